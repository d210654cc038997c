// What all probes share on the host: checked CUDA calls, device memory, launches, timing, tensor maps and a
// report that prints tables and writes the same numbers as JSON.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#define CHECK(call) checkStatus((call), #call, __FILE__, __LINE__)

inline void checkStatus(cudaError_t status, const char *call, const char *file, int line) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
  std::exit(1);
}

inline std::string driverErrorName(CUresult status) {
  const char *name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name)
    return "unknown error " + std::to_string(static_cast<int>(status));
  return name;
}

inline void checkStatus(CUresult status, const char *call, const char *file, int line) {
  if (status == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, driverErrorName(status).c_str());
  std::exit(1);
}

inline std::string format(const char *pattern, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof text, pattern, arguments);
  va_end(arguments);
  return text;
}

inline std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char character : text) {
    if (character == '"' || character == '\\')
      result += '\\';
    result += character;
  }
  return result + "\"";
}

// One cell of a table; a number that could not be measured is not finite: a dash in the table, null in JSON.
struct Cell {
  std::string shown, json;
  Cell(const char *text) : shown(text), json(quoted(text)) {}
  Cell(const std::string &text) : shown(text), json(quoted(text)) {}
  Cell(int number) : shown(std::to_string(number)), json(shown) {}
  Cell(double number) {
    if (!std::isfinite(number)) {
      shown = "-";
      json = "null";
      return;
    }
    shown = format(std::fabs(number) >= 1000 ? "%.0f" : std::fabs(number) >= 100 ? "%.1f" : "%.2f", number);
    json = format("%.6g", number);
  }
};

// Prints every row at once and rewrites the file after it: whatever a later kernel does, the rows before it
// stay.
class Report {
public:
  Report(const char *probe, int argumentCount, char **arguments) : probe(probe) {
    if (argumentCount != 2) {
      std::fprintf(stderr, "usage: %s RESULT.json\n", arguments[0]);
      std::exit(2);
    }
    path = arguments[1];
    int device = 0, driver = 0, runtime = 0, clock = 0, memoryClock = 0;
    cudaDeviceProp properties;
    CHECK(cudaSetDevice(device));
    CHECK(cudaGetDeviceProperties(&properties, device));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
    CHECK(cudaDeviceGetAttribute(&memoryClock, cudaDevAttrMemoryClockRate, device));
    processors = properties.multiProcessorCount;
    if (properties.major != 9) {
      std::fprintf(stderr, "%s: needs a device of compute capability 9.0, found %d.%d\n", probe,
                   properties.major, properties.minor);
      std::exit(1);
    }
    deviceJson =
        format("{\"name\": %s, \"multiprocessors\": %d, \"l2Bytes\": %d, \"memoryBytes\": %zu, "
               "\"clockKilohertz\": %d, \"memoryClockKilohertz\": %d, \"driver\": %d, \"runtime\": %d}",
               quoted(properties.name).c_str(), processors, properties.l2CacheSize, properties.totalGlobalMem,
               clock, memoryClock, driver, runtime);
    std::printf("== %s: %s, %d multiprocessors, L2 %d MB ==\n", probe, properties.name, processors,
                properties.l2CacheSize >> 20);
    write();
  }

  int multiprocessors() const { return processors; }

  void table(const std::string &title, const std::vector<std::string> &columns) {
    tables.push_back({title, columns, {}});
    std::printf("\n%s\n", title.c_str());
    for (size_t column = 0; column < columns.size(); ++column)
      std::printf("%*s", width(column), columns[column].c_str());
    std::printf("\n");
    std::fflush(stdout);
  }

  void row(const std::vector<Cell> &cells) {
    for (size_t column = 0; column < cells.size(); ++column)
      std::printf("%*s", width(column), cells[column].shown.c_str());
    std::printf("\n");
    std::fflush(stdout);
    tables.back().rows.push_back(cells);
    write();
  }

private:
  struct Table {
    std::string title;
    std::vector<std::string> columns;
    std::vector<std::vector<Cell>> rows;
  };

  int width(size_t column) const {
    const auto &columns = tables.back().columns;
    int length = column < columns.size() ? static_cast<int>(columns[column].size()) : 0;
    return (column ? 1 : 0) + std::max(length, 7);
  }

  void write() const {
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
      std::exit(1);
    }
    std::fprintf(file, "{\"probe\": %s, \"device\": %s, \"tables\": [", quoted(probe).c_str(),
                 deviceJson.c_str());
    for (size_t index = 0; index < tables.size(); ++index) {
      const Table &table = tables[index];
      std::fprintf(file, "%s\n  {\"title\": %s,\n   \"columns\": [", index ? "," : "",
                   quoted(table.title).c_str());
      for (size_t column = 0; column < table.columns.size(); ++column)
        std::fprintf(file, "%s%s", column ? ", " : "", quoted(table.columns[column]).c_str());
      std::fprintf(file, "],\n   \"rows\": [");
      for (size_t row = 0; row < table.rows.size(); ++row) {
        std::fprintf(file, "%s\n     [", row ? "," : "");
        for (size_t column = 0; column < table.rows[row].size(); ++column)
          std::fprintf(file, "%s%s", column ? ", " : "", table.rows[row][column].json.c_str());
        std::fprintf(file, "]");
      }
      std::fprintf(file, "]}");
    }
    std::fprintf(file, "]}\n");
    std::fclose(file);
  }

  std::string probe, path, deviceJson;
  int processors = 0;
  std::vector<Table> tables;
};

template <typename Element> class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t count) : count(count) { CHECK(cudaMalloc(&data, count * sizeof(Element))); }
  ~DeviceBuffer() { cudaFree(data); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  Element *get() const { return data; }
  size_t size() const { return count; }
  void fillBytes(int value) { CHECK(cudaMemset(data, value, count * sizeof(Element))); }
  void upload(const std::vector<Element> &host) {
    CHECK(cudaMemcpy(data, host.data(), host.size() * sizeof(Element), cudaMemcpyHostToDevice));
  }
  std::vector<Element> download() const {
    std::vector<Element> host(count);
    CHECK(cudaMemcpy(host.data(), data, count * sizeof(Element), cudaMemcpyDeviceToHost));
    return host;
  }

private:
  Element *data = nullptr;
  size_t count;
};

// The stream that everything runs on; not the default stream, which cannot be captured.
inline cudaStream_t probeStream() {
  static cudaStream_t stream = [] {
    cudaStream_t created;
    CHECK(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
    return created;
  }();
  return stream;
}

struct LaunchShape {
  int blocks = 1, threads = 1, sharedBytes = 0, cluster = 1;
  bool programmatic = false;
};

template <typename... Parameters> void allowSharedBytes(void (*kernel)(Parameters...), int bytes) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

template <typename... Parameters, typename... Arguments>
void launch(const LaunchShape &shape, void (*kernel)(Parameters...), const Arguments &...arguments) {
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(shape.blocks);
  configuration.blockDim = dim3(shape.threads);
  configuration.dynamicSmemBytes = shape.sharedBytes;
  configuration.stream = probeStream();
  configuration.attrs = attributes;
  if (shape.cluster > 1) {
    cudaLaunchAttribute &attribute = attributes[configuration.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  }
  if (shape.programmatic) {
    cudaLaunchAttribute &attribute = attributes[configuration.numAttrs++];
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  CHECK(cudaLaunchKernelEx(&configuration, kernel, static_cast<Parameters>(arguments)...));
}

// How many clusters of this shape the device holds at once: a partition of the chip whose number of
// processors is no multiple of the cluster leaves some idle.
template <typename... Parameters>
int activeClusters(const LaunchShape &shape, void (*kernel)(Parameters...)) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = shape.cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(shape.blocks);
  configuration.blockDim = dim3(shape.threads);
  configuration.dynamicSmemBytes = shape.sharedBytes;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  int clusters = 0;
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, kernel, &configuration));
  return clusters;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void synchronize() {
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(probeStream()));
}

// Median time of the work that `enqueue` puts on the stream, after one round that is not counted.
inline double microseconds(int repetitions, const std::function<void()> &enqueue) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  enqueue();
  synchronize();
  std::vector<double> times;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    float milliseconds = 0;
    CHECK(cudaEventRecord(begin, probeStream()));
    enqueue();
    CHECK(cudaEventRecord(end, probeStream()));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(1000.0 * milliseconds);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return median(times);
}

// Median time of one replay of a graph of `nodes` launches in a row.
inline double replayMicroseconds(int nodes, int repetitions, const std::function<void(int)> &enqueue) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(probeStream(), cudaStreamCaptureModeThreadLocal));
  for (int node = 0; node < nodes; ++node)
    enqueue(node);
  CHECK(cudaStreamEndCapture(probeStream(), &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  double result = microseconds(repetitions, [&] { CHECK(cudaGraphLaunch(executable, probeStream())); });
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  return result;
}

// Time per launch within a graph: the slope between a short and a three times longer graph, so that the cost
// of starting the graph itself drops out.
inline double microsecondsPerNode(int nodes, int repetitions, const std::function<void(int)> &enqueue) {
  double shorter = replayMicroseconds(nodes, repetitions, enqueue);
  double longer = replayMicroseconds(3 * nodes, repetitions, enqueue);
  return (longer - shorter) / (2 * nodes);
}

// `strides` are the bytes between neighbours of dimension 1, 2, ...; dimension 0 is contiguous bf16.
inline CUresult encodeMap(CUtensorMap &map, void *base, std::initializer_list<uint64_t> sizes,
                          std::initializer_list<uint64_t> strides, std::initializer_list<uint32_t> box,
                          CUtensorMapSwizzle swizzle) {
  const uint32_t steps[5] = {1, 1, 1, 1, 1};
  return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, static_cast<uint32_t>(sizes.size()),
                                base, sizes.begin(), strides.begin(), box.begin(), steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
