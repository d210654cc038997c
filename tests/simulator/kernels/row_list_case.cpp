#include "tests/simulator/kernels/row_list_case.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace simulator_test {

std::vector<std::int32_t> RowListCase::typeOfRows() const {
  std::vector<std::int32_t> found(static_cast<std::size_t>(rows), -1);
  auto fromPosition = [&](std::int64_t position) {
    return position < 0 ? -1 : static_cast<std::int32_t>(position % (types * width) / width);
  };
  if (form == RowForm::Types)
    for (std::size_t row = 0; row < found.size(); ++row)
      found[row] = numbers[row] >= 0 && numbers[row] < types ? static_cast<std::int32_t>(numbers[row]) : -1;
  else if (form == RowForm::Positions)
    for (std::size_t row = 0; row < found.size(); ++row)
      found[row] = fromPosition(numbers[row]);
  else
    for (std::size_t sequence = 0; sequence + 1 < numbers.size(); ++sequence)
      for (std::int64_t row = numbers[sequence]; row < numbers[sequence + 1]; ++row)
        found[static_cast<std::size_t>(row)] =
            fromPosition((firsts.empty() ? 0 : firsts[sequence]) + row - numbers[sequence]);
  return found;
}

std::vector<std::int32_t> RowListCase::expected() const {
  const std::vector<std::int32_t> of_rows = typeOfRows();
  std::vector<std::int32_t> list(static_cast<std::size_t>(types + 2 + rows), -7);
  std::size_t place = static_cast<std::size_t>(types) + 2;
  list[0] = 0;
  for (std::int32_t type = 0; type < types; ++type) {
    const std::size_t begin = place;
    list[static_cast<std::size_t>(type) + 1] = static_cast<std::int32_t>(begin) - types - 2;
    for (std::int32_t row = 0; row < rows; ++row)
      if (of_rows[static_cast<std::size_t>(row)] == type)
        list[place++] = row;
    list[0] = std::max(list[0], static_cast<std::int32_t>(place - begin));
  }
  list[static_cast<std::size_t>(types) + 1] = static_cast<std::int32_t>(place) - types - 2;
  return list;
}

RowListCase::Made RowListCase::make(const compiler::HostKernel &kernel, std::int32_t threads,
                                    std::int64_t blocks, std::uint64_t seed) const {
  std::vector<std::int32_t> narrow(numbers.begin(), numbers.end()),
      narrow_firsts(firsts.begin(), firsts.end());
  std::vector<std::int64_t> long_numbers = numbers, long_firsts = firsts;
  std::vector<std::int32_t> list(static_cast<std::size_t>(types + 2 + rows), -7);

  simulator::GlobalMemory memory;
  auto registered = [&](const char *name, auto &of_four, auto &of_eight) -> void * {
    void *data = wide ? static_cast<void *>(of_eight.data()) : of_four.data();
    if (!of_four.empty())
      memory.registerGlobal(name, data, static_cast<std::int64_t>(of_four.size()) * (wide ? 8 : 4),
                            simulator::Access::Read);
    return of_four.empty() ? nullptr : data;
  };
  void *source = registered("the source", narrow, long_numbers);
  void *first_positions = registered("the first positions", narrow_firsts, long_firsts);
  memory.registerGlobal("the row list", list.data(), static_cast<std::int64_t>(list.size() * 4),
                        simulator::Access::Write);

  std::int32_t form_bits = form == RowForm::Types       ? algrt_rows_of_types
                           : form == RowForm::Positions ? algrt_rows_of_positions
                                                        : algrt_rows_of_sequences;
  if (wide)
    form_bits |= algrt_rows_of_wide;
  const auto address = [](const void *pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
  algrt::cuda::ParameterBlock block(kernel.parameters());
  algrt::cuda::setRowList(block, kernel.parameters(),
                          {address(list.data()), address(source), address(first_positions), width, rows,
                           types, form_bits,
                           std::max<std::int32_t>(1, static_cast<std::int32_t>(numbers.size()) - 1)});
  const std::vector<void *> arguments = block.pointers();
  simulator::Launch launch;
  launch.kernel = [&] { kernel.call(arguments.data()); };
  launch.grid = blocks;
  launch.threads = threads;
  launch.sharedBytes = algrt_group_rows_shared_bytes(threads, types);
  launch.seed = seed;
  launch.mostSteps = 4'000'000;
  const simulator::Report report = simulator::run(launch, memory);
  if (!report.ok())
    return {{}, report.faults.front().text() + "\n  at " + kernel.site(report.faults.front().site)};
  return {list, ""};
}

std::string RowListCase::run(const compiler::HostKernel &kernel, std::int32_t threads, std::int64_t blocks,
                             std::uint64_t seed) const {
  const auto [list, fault] = make(kernel, threads, blocks, seed);
  if (!fault.empty())
    return fault;
  const std::vector<std::int32_t> wanted = expected();
  if (list == wanted)
    return "";
  return fmt::format("the list is {}\n          not {}", fmt::join(list, " "), fmt::join(wanted, " "));
}

RowListCase randomRowList(std::mt19937_64 &random, RowForm form, std::int32_t rows) {
  const auto upTo = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  RowListCase made;
  made.form = form;
  made.rows = rows;
  made.types = static_cast<std::int32_t>(1 + upTo(8));
  made.width = upTo(2) == 0 ? 1 : 1 + upTo(5);
  made.wide = form != RowForm::Types && upTo(1) == 0;
  const std::int64_t far = made.wide ? std::int64_t{1} << 40 : 1 << 30;
  auto position = [&] { return upTo(9) == 0 ? -1 - upTo(5) : upTo(3) == 0 ? far + upTo(1000) : upTo(100); };
  if (form == RowForm::Types)
    for (std::int32_t row = 0; row < rows; ++row)
      made.numbers.push_back(upTo(9) == 0 ? upTo(20) - 10
                                          : std::min(upTo(made.types - 1), upTo(made.types - 1)));
  else if (form == RowForm::Positions)
    for (std::int32_t row = 0; row < rows; ++row)
      made.numbers.push_back(position());
  else {
    made.numbers = {0};
    while (made.numbers.back() < rows || made.numbers.size() == 1) {
      const std::int64_t length = upTo(3) == 0 ? 0 : upTo(rows - made.numbers.back());
      made.numbers.push_back(made.numbers.back() + length);
      if (form == RowForm::Sequences)
        made.firsts.push_back(position());
    }
  }
  return made;
}

} // namespace simulator_test
