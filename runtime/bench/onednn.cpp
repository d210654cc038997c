// oneDNN 2 through its C interface: sgemm, and the matmul primitive with plain and with pre-packed weights.
// The declarations are ours: its headers need not be installed. Its descriptors are structs that only the
// library's own functions fill and read here, so that a buffer large enough stands for each (696 and 2800
// bytes in version 2.6).
#include "runtime/bench/dense.h"
#include "runtime/bench/dynamic_library.h"
#include "runtime/support/aligned_buffer.h"
#include "runtime/support/error.h"

#include <array>
#include <cstring>

namespace algrt {

namespace {

struct MemoryDescriptor {
  alignas(16) std::array<unsigned char, 2048> bytes{};
};
struct OperationDescriptor {
  alignas(16) std::array<unsigned char, 16384> bytes{};
};
struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpu_runtime, gpu_runtime;
};
struct Argument {
  int index;
  void *memory;
};

constexpr int cpu_engine = 1, in_order_stream = 1, type_bf16 = 2, type_f32 = 3, format_any = 1;
constexpr int query_weights = 131;
constexpr int argument_source = 1, argument_destination = 17, argument_weights = 33;

// The functions used, by their names in the library.
struct Functions {
  const Version *(*version)();
  int (*sgemm)(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
               float, float *, int64_t);
  int (*engine_create)(void **, int, size_t);
  int (*engine_destroy)(void *);
  int (*stream_create)(void **, void *, unsigned);
  int (*stream_wait)(void *);
  int (*stream_destroy)(void *);
  int (*memory_desc_init_by_strides)(MemoryDescriptor *, int, const int64_t *, int, const int64_t *);
  int (*memory_desc_init_by_tag)(MemoryDescriptor *, int, const int64_t *, int, int);
  size_t (*memory_desc_get_size)(const void *);
  int (*memory_create)(void **, const void *, void *, void *);
  int (*memory_destroy)(void *);
  int (*matmul_desc_init)(OperationDescriptor *, const void *, const void *, const void *, const void *);
  int (*primitive_desc_create)(void **, const void *, const void *, void *, const void *);
  int (*reorder_primitive_desc_create)(void **, const void *, void *, const void *, void *, const void *);
  const void *(*primitive_desc_query_md)(const void *, int, int);
  int (*primitive_desc_destroy)(void *);
  int (*primitive_create)(void **, const void *);
  int (*primitive_execute)(const void *, void *, int, const Argument *);
  int (*primitive_destroy)(void *);
};

// False and the name of what is missing.
bool findAll(const DynamicLibrary &library, Functions &f, std::string &missing) {
  const auto find = [&](const char *name, auto &function) {
    const bool there = library.find(name, function);
    if (!there && missing.empty())
      missing = name;
    return there;
  };
  bool all = find("dnnl_version", f.version);
  all = find("dnnl_sgemm", f.sgemm) && all;
  all = find("dnnl_engine_create", f.engine_create) && all;
  all = find("dnnl_engine_destroy", f.engine_destroy) && all;
  all = find("dnnl_stream_create", f.stream_create) && all;
  all = find("dnnl_stream_destroy", f.stream_destroy) && all;
  all = find("dnnl_stream_wait", f.stream_wait) && all;
  all = find("dnnl_memory_desc_init_by_strides", f.memory_desc_init_by_strides) && all;
  all = find("dnnl_memory_desc_init_by_tag", f.memory_desc_init_by_tag) && all;
  all = find("dnnl_memory_desc_get_size", f.memory_desc_get_size) && all;
  all = find("dnnl_memory_create", f.memory_create) && all;
  all = find("dnnl_memory_destroy", f.memory_destroy) && all;
  all = find("dnnl_matmul_desc_init", f.matmul_desc_init) && all;
  all = find("dnnl_primitive_desc_create", f.primitive_desc_create) && all;
  all = find("dnnl_reorder_primitive_desc_create", f.reorder_primitive_desc_create) && all;
  all = find("dnnl_primitive_desc_query_md", f.primitive_desc_query_md) && all;
  all = find("dnnl_primitive_desc_destroy", f.primitive_desc_destroy) && all;
  all = find("dnnl_primitive_create", f.primitive_create) && all;
  all = find("dnnl_primitive_execute", f.primitive_execute) && all;
  return find("dnnl_primitive_destroy", f.primitive_destroy) && all;
}

// The status of a library that does not do that on this processor: oneDNN 2 multiplies bf16 only where
// AVX-512 does.
constexpr int dnnl_unimplemented = 3;

// Throws Error(ALGRT_UNSUPPORTED) where that is the status.
void require(int status, const char *what) {
  if (status == dnnl_unimplemented)
    throw Error(ALGRT_UNSUPPORTED, std::string("oneDNN: no ") + what + " on this processor");
  if (status != 0)
    throw Error(ALGRT_INTERNAL,
                std::string("oneDNN: ") + what + " failed with status " + std::to_string(status));
}

// Something of the library's that is ours to destroy.
struct Destroy {
  int (*function)(void *) = nullptr;
  void operator()(void *handle) const { function(handle); }
};
using Handle = std::unique_ptr<void, Destroy>;

template <typename... Parameters, typename... Arguments>
Handle create(const char *what, int (*destroy)(void *), int (*function)(void **, Parameters...),
              Arguments... arguments) {
  void *handle = nullptr;
  require(function(&handle, arguments...), what);
  return Handle(handle, {destroy});
}

class Sgemm : public DenseProduct {
public:
  Sgemm(const Functions &functions, const DenseOperands &operands, std::string name)
      : f_(functions), o_(operands), name_(std::move(name)) {}
  void run() override {
    require(f_.sgemm(o_.x_transposed ? 'T' : 'N', o_.w_transposed ? 'T' : 'N', o_.m, o_.n, o_.k, 1.0f,
                     static_cast<const float *>(o_.x), o_.x_transposed ? o_.m : o_.k,
                     static_cast<const float *>(o_.w), o_.w_transposed ? o_.k : o_.n, 0.0f,
                     static_cast<float *>(o_.y), o_.n),
            "dnnl_sgemm");
  }
  std::string name() const override { return name_; }

private:
  const Functions &f_;
  DenseOperands o_;
  std::string name_;
};

class Matmul : public DenseProduct {
public:
  Matmul(const Functions &functions, void *engine, void *stream, const DenseOperands &o, bool pack,
         std::string name)
      : f_(functions), stream_(stream), name_(std::move(name)) {
    const int type = o.type == ElementType::F32 ? type_f32 : type_bf16;
    MemoryDescriptor x, w, y;
    plain(x, o.m, o.k, type, o.x_transposed);
    plain(w, o.k, o.n, type, o.w_transposed);
    plain(y, o.m, o.n, type, false);
    MemoryDescriptor wanted = w;
    const std::array<int64_t, 12> shape = {o.k, o.n};
    if (pack)
      require(f_.memory_desc_init_by_tag(&wanted, 2, shape.data(), type, format_any), "weights format");
    OperationDescriptor operation;
    require(f_.matmul_desc_init(&operation, &x, &wanted, nullptr, &y), "matmul descriptor");
    const Handle description = create("matmul", f_.primitive_desc_destroy, f_.primitive_desc_create,
                                      &operation, nullptr, engine, nullptr);
    const void *chosen = f_.primitive_desc_query_md(description.get(), query_weights, 0);
    void *weights = const_cast<void *>(o.w);
    if (pack) {
      packed_ = AlignedBuffer(f_.memory_desc_get_size(chosen));
      weights = packed_.data();
    }
    x_ = memory("memory for x", &x, engine, const_cast<void *>(o.x));
    w_ = memory("memory for w", chosen, engine, weights);
    y_ = memory("memory for y", &y, engine, o.y);
    if (pack)
      reorder(engine, w, chosen, const_cast<void *>(o.w));
    primitive_ = create("matmul primitive", f_.primitive_destroy, f_.primitive_create, description.get());
  }
  void run() override {
    const Argument arguments[] = {
        {argument_source, x_.get()}, {argument_weights, w_.get()}, {argument_destination, y_.get()}};
    require(f_.primitive_execute(primitive_.get(), stream_, 3, arguments), "matmul");
    require(f_.stream_wait(stream_), "waiting");
  }
  std::string name() const override { return name_; }

private:
  void plain(MemoryDescriptor &descriptor, int64_t rows, int64_t columns, int type, bool transposed) {
    const std::array<int64_t, 12> shape = {rows, columns},
                                  strides = {transposed ? 1 : columns, transposed ? rows : 1};
    require(f_.memory_desc_init_by_strides(&descriptor, 2, shape.data(), type, strides.data()),
            "plain format");
  }
  Handle memory(const char *what, const void *descriptor, void *engine, void *data) {
    return create(what, f_.memory_destroy, f_.memory_create, descriptor, engine, data);
  }
  void reorder(void *engine, const MemoryDescriptor &from, const void *to, void *data) {
    const Handle source = memory("memory for the weights", &from, engine, data),
                 description = create("reorder", f_.primitive_desc_destroy, f_.reorder_primitive_desc_create,
                                      &from, engine, to, engine, nullptr),
                 primitive = create("reorder primitive", f_.primitive_destroy, f_.primitive_create,
                                    description.get());
    const Argument arguments[] = {{argument_source, source.get()}, {argument_destination, w_.get()}};
    require(f_.primitive_execute(primitive.get(), stream_, 2, arguments), "reorder");
    require(f_.stream_wait(stream_), "waiting");
  }

  const Functions &f_;
  void *stream_;
  std::string name_;
  AlignedBuffer packed_;
  Handle x_, w_, y_, primitive_;
};

class Onednn : public DenseLibrary {
public:
  explicit Onednn(int threads) : library_("libdnnl.so.2") {
    std::string missing;
    if (!library_) {
      found_ = "oneDNN: not found (" + library_.error() + ")";
      return;
    }
    if (!findAll(library_, functions_, missing)) {
      found_ = "oneDNN: libdnnl.so.2 lacks " + missing;
      return;
    }
    const Version *version = functions_.version();
    found_ = "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
             std::to_string(version->patch);
    void (*set_threads)(int);
    if (library_.find("omp_set_num_threads", set_threads))
      set_threads(threads);
    try {
      engine_ = create("CPU engine", functions_.engine_destroy, functions_.engine_create, cpu_engine, 0);
      stream_ = create("stream", functions_.stream_destroy, functions_.stream_create, engine_.get(),
                       in_order_stream);
      usable_ = true;
    } catch (const Error &error) {
      if (error.status() != ALGRT_UNSUPPORTED)
        throw;
      found_ += std::string(": ") + error.what();
    }
  }
  bool usable() const { return usable_; }
  std::string name() const override { return found_; }

  // Products must be gone before the library: they use its stream.
  std::vector<std::unique_ptr<DenseProduct>> products(const DenseOperands &operands) override {
    std::vector<std::unique_ptr<DenseProduct>> products;
    const auto add = [&](auto &&make) {
      try {
        products.push_back(make());
      } catch (const Error &error) { // of products that the library does not do on this processor
        if (error.status() != ALGRT_UNSUPPORTED)
          throw;
      }
    };
    const auto matmul = [&](bool pack, const char *how) {
      return std::make_unique<Matmul>(functions_, engine_.get(), stream_.get(), operands, pack, found_ + how);
    };
    if (operands.type == ElementType::F32)
      add([&] { return std::make_unique<Sgemm>(functions_, operands, found_ + " sgemm"); });
    else
      add([&] { return matmul(false, " matmul"); });
    if (operands.w_stays)
      add([&] { return matmul(true, " matmul, packed weights"); });
    return products;
  }

private:
  DynamicLibrary library_;
  Functions functions_{};
  Handle engine_, stream_;
  bool usable_ = false;
  std::string found_;
};

} // namespace

std::unique_ptr<DenseLibrary> openOnednn(int threads, std::string &found) {
  auto library = std::make_unique<Onednn>(threads);
  found = library->name();
  if (!library->usable())
    return nullptr;
  return library;
}

} // namespace algrt
