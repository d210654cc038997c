#include "tests/simulator/kernels/row_list_case.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace simulator_test {

std::vector<int32_t> RowListCase::typeOfRows() const {
  std::vector<int32_t> found(static_cast<size_t>(rows), -1);
  auto from_position = [&](int64_t position) {
    return position < 0 ? -1 : static_cast<int32_t>(position % (types * width) / width);
  };
  if (form == RowForm::Types)
    for (size_t row = 0; row < found.size(); ++row)
      found[row] = numbers[row] >= 0 && numbers[row] < types ? static_cast<int32_t>(numbers[row]) : -1;
  else if (form == RowForm::Positions)
    for (size_t row = 0; row < found.size(); ++row)
      found[row] = from_position(numbers[row]);
  else if (form == RowForm::EqualSequences)
    for (int32_t row = 0; row < rows; ++row)
      found[static_cast<size_t>(row)] = from_position(int64_t{offset} + row % sequence_rows);
  else
    for (size_t sequence = 0; sequence + 1 < numbers.size(); ++sequence)
      for (int64_t row = numbers[sequence]; row < numbers[sequence + 1]; ++row)
        found[static_cast<size_t>(row)] =
            from_position((firsts.empty() ? 0 : firsts[sequence]) + row - numbers[sequence]);
  return found;
}

std::vector<int32_t> RowListCase::expected() const {
  const std::vector<int32_t> of_rows = typeOfRows();
  std::vector<int32_t> list(static_cast<size_t>(types + 2 + rows), -7);
  size_t place = static_cast<size_t>(types) + 2;
  list[0] = 0;
  for (int32_t type = 0; type < types; ++type) {
    const size_t begin = place;
    list[static_cast<size_t>(type) + 1] = static_cast<int32_t>(begin) - types - 2;
    for (int32_t row = 0; row < rows; ++row)
      if (of_rows[static_cast<size_t>(row)] == type)
        list[place++] = row;
    list[0] = std::max(list[0], static_cast<int32_t>(place - begin));
  }
  list[static_cast<size_t>(types) + 1] = static_cast<int32_t>(place) - types - 2;
  return list;
}

RowListCase::Made RowListCase::make(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks,
                                    uint64_t seed) const {
  std::vector<int32_t> narrow(numbers.begin(), numbers.end()), narrow_firsts(firsts.begin(), firsts.end());
  std::vector<int64_t> long_numbers = numbers, long_firsts = firsts;
  std::vector<int32_t> list(static_cast<size_t>(types + 2 + rows), -7);

  simulator::GlobalMemory memory;
  auto registered = [&](const char *name, auto &of_four, auto &of_eight) -> void * {
    void *data = wide ? static_cast<void *>(of_eight.data()) : of_four.data();
    if (!of_four.empty())
      memory.registerGlobal(name, data, static_cast<int64_t>(of_four.size()) * (wide ? 8 : 4),
                            simulator::Access::Read);
    return of_four.empty() ? nullptr : data;
  };
  void *source = registered("the source", narrow, long_numbers);
  void *first_positions = registered("the first positions", narrow_firsts, long_firsts);
  memory.registerGlobal("the row list", list.data(), static_cast<int64_t>(list.size() * 4),
                        simulator::Access::Write);

  int32_t form_bits = form == RowForm::Types            ? algrt_rows_of_types
                      : form == RowForm::Positions      ? algrt_rows_of_positions
                      : form == RowForm::EqualSequences ? algrt_rows_of_equal_sequences
                                                        : algrt_rows_of_sequences;
  if (wide)
    form_bits |= algrt_rows_of_wide;
  const auto address = [](const void *pointer) { return reinterpret_cast<uint64_t>(pointer); };
  algrt::cuda::ParameterBlock block(kernel.parameters());
  algrt::cuda::setRowList(
      block, kernel.parameters(),
      {address(list.data()), address(source), address(first_positions), width, rows, types, form_bits,
       form == RowForm::EqualSequences ? sequence_rows
                                       : std::max<int32_t>(1, static_cast<int32_t>(numbers.size()) - 1),
       offset});
  const std::span<void *> arguments = block.pointers();
  simulator::Launch launch;
  launch.kernel = [&] { kernel.call(arguments.data()); };
  launch.grid = blocks;
  launch.threads = threads;
  launch.shared_bytes = algrt_group_rows_shared_bytes(threads, types);
  launch.seed = seed;
  launch.most_steps = 4'000'000;
  const simulator::Report report = simulator::run(launch, memory);
  if (!report.ok())
    return {{}, report.faults.front().text() + "\n  at " + kernel.site(report.faults.front().site)};
  return {list, ""};
}

std::string RowListCase::run(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks,
                             uint64_t seed) const {
  const auto [list, fault] = make(kernel, threads, blocks, seed);
  if (!fault.empty())
    return fault;
  const std::vector<int32_t> wanted = expected();
  if (list == wanted)
    return "";
  return fmt::format("the list is {}\n          not {}", fmt::join(list, " "), fmt::join(wanted, " "));
}

RowListCase randomRowList(std::mt19937_64 &random, RowForm form, int32_t rows) {
  const auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  RowListCase made;
  made.form = form;
  made.rows = rows;
  made.types = static_cast<int32_t>(1 + up_to(8));
  made.width = up_to(2) == 0 ? 1 : 1 + up_to(5);
  made.wide = form != RowForm::Types && up_to(1) == 0;
  const int64_t far = made.wide ? int64_t{1} << 40 : 1 << 30;
  auto position = [&] {
    return up_to(9) == 0 ? -1 - up_to(5) : up_to(3) == 0 ? far + up_to(1000) : up_to(100);
  };
  if (form == RowForm::Types)
    for (int32_t row = 0; row < rows; ++row)
      made.numbers.push_back(up_to(9) == 0 ? up_to(20) - 10
                                           : std::min(up_to(made.types - 1), up_to(made.types - 1)));
  else if (form == RowForm::Positions)
    for (int32_t row = 0; row < rows; ++row)
      made.numbers.push_back(position());
  else if (form == RowForm::EqualSequences) {
    made.sequence_rows = static_cast<int32_t>(1 + up_to(rows));
    made.offset = static_cast<int32_t>(up_to(made.types * made.width - 1));
  } else {
    made.numbers = {0};
    while (made.numbers.back() < rows || made.numbers.size() == 1) {
      const int64_t length = up_to(3) == 0 ? 0 : up_to(rows - made.numbers.back());
      made.numbers.push_back(made.numbers.back() + length);
      if (form == RowForm::Sequences)
        made.firsts.push_back(position());
    }
  }
  return made;
}

} // namespace simulator_test
