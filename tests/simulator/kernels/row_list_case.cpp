#include "tests/simulator/kernels/row_list_case.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace simulator_test {

// By the definition: a position below 0 counts back from the period.
static int32_t typeOfExpertsRow(const RowListCase &batch, int32_t row) {
  const RowExperts &experts = batch.experts;
  int32_t expert = -1;
  for (int32_t number = 0; number < experts.count(); ++number)
    if (row >= experts.starts[static_cast<size_t>(number)] &&
        row < experts.starts[static_cast<size_t>(number) + 1])
      expert = number;
  if (expert < 0)
    return -1;
  const int32_t of_batch =
      experts.list.empty() ? row
                           : std::clamp(experts.list[static_cast<size_t>(row)], 0, experts.batch_rows - 1);
  const int64_t position = batch.form == RowForm::Positions ? batch.numbers[static_cast<size_t>(of_batch)]
                                                            : int64_t{batch.offset} + of_batch;
  const int64_t period = batch.types * batch.width;
  return expert * batch.types + static_cast<int32_t>((position % period + period) % period / batch.width);
}

std::vector<int32_t> RowListCase::typeOfRows() const {
  std::vector<int32_t> found(static_cast<size_t>(rows), -1);
  if (!experts.starts.empty()) {
    for (int32_t row = 0; row < rows; ++row)
      found[static_cast<size_t>(row)] = typeOfExpertsRow(*this, row);
    return found;
  }
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

RowListCase::Tables RowListCase::expected() const {
  const std::vector<int32_t> of_rows = typeOfRows();
  const int32_t segments = types * experts.count();
  std::vector<int32_t> list(static_cast<size_t>(segments + 2 + rows), -7);
  std::vector<int32_t> of_x = list;
  const size_t entries = static_cast<size_t>(segments) + 2;
  size_t place = entries;
  list[0] = 0;
  for (int32_t segment = 0; segment < segments; ++segment) {
    // Rows before the first expert's are in no list, and leave their places.
    if (!experts.starts.empty() && segment % types == 0)
      place = entries + static_cast<size_t>(experts.starts[static_cast<size_t>(segment / types)]);
    const size_t begin = place;
    list[static_cast<size_t>(segment) + 1] = static_cast<int32_t>(begin - entries);
    for (int32_t row = 0; row < rows; ++row)
      if (of_rows[static_cast<size_t>(row)] == segment) {
        of_x[place] = experts.list.empty()
                          ? row
                          : std::clamp(experts.list[static_cast<size_t>(row)], 0, experts.batch_rows - 1);
        list[place++] = row;
      }
    list[0] = std::max(list[0], static_cast<int32_t>(place - begin));
  }
  list[static_cast<size_t>(segments) + 1] = static_cast<int32_t>(place - entries);
  std::copy_n(list.begin(), entries, of_x.begin());
  if (!experts.list_of_x)
    of_x.assign(list.size(), -7);
  return {list, of_x};
}

RowListCase::Made RowListCase::make(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks,
                                    uint64_t seed) const {
  std::vector<int32_t> narrow(numbers.begin(), numbers.end()), narrow_firsts(firsts.begin(), firsts.end());
  std::vector<int64_t> long_numbers = numbers, long_firsts = firsts;
  const int32_t segments = types * experts.count();
  std::vector<int32_t> list(static_cast<size_t>(segments + 2 + rows), -7), of_x = list;

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
  const auto bytes = [](const std::vector<int32_t> &words) { return static_cast<int64_t>(words.size() * 4); };
  memory.registerGlobal("the row list", list.data(), bytes(list), simulator::Access::Write);
  if (experts.list_of_x)
    memory.registerGlobal("the row list of X", of_x.data(), bytes(of_x), simulator::Access::Write);
  for (const auto &[name, words] :
       {std::pair("the starts", &experts.starts), std::pair("the rows of experts", &experts.list)})
    if (!words->empty())
      memory.registerGlobal(name, words->data(), bytes(*words), simulator::Access::Read);

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
       offset, experts.list_of_x ? address(of_x.data()) : 0, address(experts.starts.data()), experts.count(),
       experts.list.empty() ? 0 : address(experts.list.data()), experts.batch_rows});
  const std::span<void *> arguments = block.pointers();
  simulator::Launch launch;
  launch.kernel = [&] { kernel.call(arguments.data()); };
  launch.grid = blocks;
  launch.threads = threads;
  launch.shared_bytes = algrt_group_rows_shared_bytes(threads, segments);
  launch.seed = seed;
  launch.most_steps = 4'000'000;
  const simulator::Report report = simulator::run(launch, memory);
  if (!report.ok())
    return {{{}, {}}, report.faults.front().text() + "\n  at " + kernel.site(report.faults.front().site)};
  return {{list, of_x}, ""};
}

std::string RowListCase::run(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks,
                             uint64_t seed) const {
  const Made made = make(kernel, threads, blocks, seed);
  if (!made.fault.empty())
    return made.fault;
  const Tables wanted = expected();
  if (made.list != wanted.list)
    return fmt::format("the list is {}\n          not {}", fmt::join(made.list, " "),
                       fmt::join(wanted.list, " "));
  if (made.of_x != wanted.of_x)
    return fmt::format("that of X is {}\n           not {}", fmt::join(made.of_x, " "),
                       fmt::join(wanted.of_x, " "));
  return "";
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

RowListCase randomExpertList(std::mt19937_64 &random, int32_t rows) {
  const auto up_to = [&](int64_t most) {
    return static_cast<int32_t>(random() % static_cast<uint64_t>(most + 1));
  };
  RowListCase made;
  made.rows = rows;
  made.types = 1 + up_to(4);
  made.width = 1 + up_to(2);
  const int32_t count = 1 + up_to(6);
  for (int32_t expert = 0; expert <= count; ++expert)
    made.experts.starts.push_back(up_to(rows));
  std::ranges::sort(made.experts.starts);
  made.experts.batch_rows = rows;
  if (up_to(1) == 0) {
    made.experts.batch_rows = 1 + up_to(rows);
    made.experts.list_of_x = up_to(2) > 0;
    for (int32_t row = 0; row < rows; ++row)
      made.experts.list.push_back(up_to(made.experts.batch_rows - 1));
    if (rows > 3) {
      made.experts.list[2] = -1;
      made.experts.list[3] = 1 << 30;
    }
  }
  if (up_to(1) == 0) {
    made.form = RowForm::Positions;
    made.wide = up_to(1) == 0;
    for (int32_t row = 0; row < made.experts.batch_rows; ++row)
      made.numbers.push_back(up_to(9) == 0 ? -1 - up_to(50) : up_to(1000));
  } else {
    made.form = RowForm::EqualSequences; // which such a kernel does not look at
    made.offset = up_to(made.types * made.width - 1);
  }
  return made;
}

} // namespace simulator_test
