#include "tests/compiler/fused_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler_test {

const std::vector<FusedLayer> &fusedLayers() {
  static const std::vector<FusedLayer> layers = {
      {"Q(3)", false, "3 x 5", "3 x 20", 15, 60, 3, 1, 3},
      {"Q(3)", false, "3 x 7", "3 x 7", 21, 21, 3, 1, 3},
      {"Q(4)", false, "4 x 6", "4 x 16", 24, 64, 4, 3, 4},
      {"T(3)", false, "[5, 8, 3]", "[1, 20, 9]", 16, 30, 3, 2, 3},
      {"path(3)", false, "3 x 8", "3 x 9", 24, 27, 3, 0, 3},
      {"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1']]})", true, "2",
       "2", 16, 24, 1, 1, 2},
      {"table({'dimension':2,'constants':[[0,0,0,'1'],[0,1,1,'1'],[1,0,1,'1'],[1,1,0,'-1/2']]})", true, "2",
       "2", 16, 40, 1, 1, 2}};
  return layers;
}

namespace {

struct View {
  std::string name;
  bool bf16;
};

class Writer {
public:
  Writer(std::mt19937 &generator, const FusedLayer &layer, bool transposed, bool bf16)
      : random_(generator), program_{layer, transposed, bf16, {}, {}} {}

  FusedProgram write(bool two_layers = false) {
    if (!program_.layer.slots) {
      const bool given = program_.layer.width == 0;
      schedule_ = argument(given ? FusedArgument::Kind::Types : FusedArgument::Kind::Position, false);
    }
    const std::string x = argument(FusedArgument::Kind::Rows, program_.bf16, rowsWidth());
    rows_ = {viewOf(x, program_.bf16, /*result=*/false), program_.bf16};
    addLayer();
    if (two_layers) {
      // What lies between the layers has the type of the operands of products, and is made of all that the
      // first one computes: nothing else may read that.
      addMap(program_.bf16, values_);
      rows_ = values_.back();
      values_.clear();
      last_ = true;
      addLayer();
    }
    std::vector<View> returned = {values_.back()};
    for (const View &value : values_)
      if (returned.size() < 3 && below(3) == 0)
        returned.push_back(value);
    std::vector<std::string> names, types;
    for (const View &value : returned) {
      const std::string name = fresh();
      line("{} = alg.gather {} : {}", name, value.name, viewType(value.bf16, true));
      names.push_back(name);
      types.push_back(matrixType(value.bf16, resultWidth()));
    }
    program_.text =
        fmt::format("func.func @f({}) -> ({}) {{\n{}  return {} : {}\n}}\n", fmt::join(declared_, ", "),
                    fmt::join(types, ", "), body_, fmt::join(names, ", "), fmt::join(types, ", "));
    return program_;
  }

private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string fresh() { return fmt::format("%v{}", number_++); }
  template <class... Parts> void line(fmt::format_string<Parts...> text, Parts &&...parts) {
    body_ += "  " + fmt::format(text, std::forward<Parts>(parts)...) + "\n";
  }
  static const char *element(bool bf16) { return bf16 ? "bf16" : "f32"; }
  /// The gradient of a layer and the second of two go from N to K.
  bool backwards() const { return program_.transposed || last_; }
  int64_t rowsWidth() const { return backwards() ? program_.layer.n : program_.layer.k; }
  int64_t resultWidth() const { return backwards() ? program_.layer.k : program_.layer.n; }
  static std::string matrixType(bool bf16, int64_t columns) {
    return fmt::format("tensor<?x{}x{}>", columns, element(bf16));
  }
  std::string weightType() const {
    const FusedLayer &layer = program_.layer;
    if (layer.slots)
      return fmt::format("tensor<2x{}x{}x{}>", layer.k / 2, layer.n / 2, element(program_.bf16));
    return fmt::format("tensor<{}x{}x{}>", last_ ? layer.n : layer.k, last_ ? layer.k : layer.n,
                       element(program_.bf16));
  }
  std::string rowTypes() const {
    const FusedLayer &layer = program_.layer;
    if (layer.width == 0)
      return fmt::format("explicit {}", layer.types);
    return layer.width == 1 ? fmt::format("cyclic {}", layer.types)
                            : fmt::format("interval {} x {}", layer.types, layer.width);
  }
  /// Of activations like the result, or like the rows.
  std::string viewType(bool bf16, bool result) const {
    const int64_t columns = result ? resultWidth() : rowsWidth();
    if (program_.layer.slots)
      return fmt::format("!alg.slots<?x{}x{}, plain(2)>", columns, element(bf16));
    return fmt::format("!alg.slots<?x{}x{}, rows({}), cols({})>", columns, element(bf16), rowTypes(),
                       groups(result));
  }
  const std::string &groups(bool result) const {
    return result == backwards() ? program_.layer.in : program_.layer.out;
  }

  std::string argument(FusedArgument::Kind kind, bool bf16, int64_t columns = 0) {
    const std::string name = fmt::format("%a{}", program_.arguments.size());
    program_.arguments.push_back({kind, bf16, columns, last_});
    std::string type;
    switch (kind) {
    case FusedArgument::Kind::Rows:
      type = matrixType(bf16, columns);
      break;
    case FusedArgument::Kind::Weights:
      type = weightType();
      break;
    case FusedArgument::Kind::Columns:
      type = fmt::format("tensor<{}x{}>", resultWidth(), element(bf16));
      break;
    case FusedArgument::Kind::RowVector:
      type = fmt::format("tensor<?x{}>", element(bf16));
      break;
    case FusedArgument::Kind::Number:
      type = "tensor<f32>";
      break;
    case FusedArgument::Kind::Types:
      type = "tensor<?xi32>";
      break;
    case FusedArgument::Kind::Position:
      type = "index";
      break;
    }
    declared_.push_back(name + ": " + type);
    return name;
  }

  std::string viewOf(const std::string &matrix, bool bf16, bool result) {
    const std::string name = fresh();
    const std::string type = matrixType(bf16, result ? resultWidth() : rowsWidth());
    if (program_.layer.slots)
      line("{} = alg.slots {} plain(2) : {}", name, matrix, type);
    else
      line("{} = alg.slots {} rows({}, {}) cols({}) : {}", name, matrix, rowTypes(), schedule_,
           groups(result), type);
    return name;
  }

  void addLayer() {
    for (int count = 1 + below(3); count > 0; --count)
      addProduct();
    for (int count = static_cast<int>(values_.size() > 1) + below(4); count > 0; --count)
      addMap(below(2));
  }

  void addProduct() {
    const FusedLayer &layer = program_.layer;
    const std::string weights = argument(FusedArgument::Kind::Weights, program_.bf16), view = fresh(),
                      name = fresh();
    std::string type;
    if (layer.slots) {
      line("{} = alg.slots {} plain(2) : {}", view, weights, weightType());
      type =
          fmt::format("!alg.slots<2x{}x{}x{}, plain(2)>", layer.k / 2, layer.n / 2, element(program_.bf16));
    } else {
      const std::string &rows = last_ ? layer.out : layer.in, &columns = last_ ? layer.in : layer.out;
      line("{} = alg.slots {} rows({}) cols({}) : {}", view, weights, rows, columns, weightType());
      type = fmt::format("!alg.slots<{}x{}x{}, rows({}), cols({})>", last_ ? layer.n : layer.k,
                         last_ ? layer.k : layer.n, element(program_.bf16), rows, columns);
    }
    const bool into = program_.bf16 && below(2);
    line("{} = alg.contract {}, {} by #alg.algebra<\"{}\"> -> {} : {}, {}{}", name, rows_.name, view,
         layer.algebra, program_.transposed ? "i" : "k", viewType(program_.bf16, false), type,
         into ? " into f32" : "");
    values_.push_back({name, program_.bf16 && !into});
  }

  /// A view that a map may read: of what there is, of an argument, or of the rows where they are cut so.
  View input() {
    const bool square = program_.layer.in == program_.layer.out && program_.layer.k == program_.layer.n;
    if (square && !last_ && below(4) == 0)
      return rows_;
    if (below(4) > 0)
      return values_[static_cast<size_t>(below(static_cast<int>(values_.size())))];
    const bool bf16 = below(2);
    return {viewOf(argument(FusedArgument::Kind::Rows, bf16, resultWidth()), bf16, true), bf16};
  }

  void addMap(bool bf16, std::vector<View> read = {}) {
    std::vector<std::string> views, view_types, vectors[3], types;
    std::string block, code, sum;
    auto take = [&](bool bf16) {
      const std::string name = fresh();
      block += fmt::format("{}{}: {}", block.empty() ? "" : ", ", name, element(bf16));
      std::string wide = name;
      if (bf16) {
        wide = fresh();
        code += fmt::format("    {} = arith.extf {} : bf16 to f32\n", wide, name);
      }
      if (sum.empty()) {
        sum = wide;
        return;
      }
      static const char *const operations[] = {"addf", "subf", "maximumf", "minimumf"};
      const std::string next = fresh();
      code += fmt::format("    {} = arith.{} {}, {} : f32\n", next, operations[below(4)], sum, wide);
      sum = next;
    };
    if (read.empty())
      for (int count = 1 + below(3); count > 0; --count)
        read.push_back(input());
    for (const View &view : read) {
      views.push_back(view.name);
      types.push_back(viewType(view.bf16, true));
      take(view.bf16);
    }
    const FusedArgument::Kind kinds[] = {FusedArgument::Kind::Columns, FusedArgument::Kind::RowVector,
                                         FusedArgument::Kind::Number};
    for (int shape = 0; shape < 3; ++shape)
      for (int count = below(3) / 2 + below(2) * below(2); count > 0; --count) {
        const bool narrow = shape < 2 && below(2);
        vectors[shape].push_back(argument(kinds[shape], narrow));
        types.push_back(shape == 0   ? fmt::format("tensor<{}x{}>", resultWidth(), element(narrow))
                        : shape == 1 ? fmt::format("tensor<?x{}>", element(narrow))
                                     : "tensor<f32>");
        take(narrow);
      }
    const std::string name = fresh(), low = fresh(), high = fresh(), lowest = fresh(), highest = fresh();
    code += fmt::format("    {} = arith.maximumf {}, {} : f32\n    {} = arith.minimumf {}, {} : f32\n", low,
                        sum, lowest, high, low, highest);
    std::string result = high;
    if (bf16) {
      result = fresh();
      code += fmt::format("    {} = arith.truncf {} : f32 to bf16\n", result, high);
    }
    line("{} = arith.constant -60.0 : f32", lowest);
    line("{} = arith.constant 60.0 : f32", highest);
    std::string operands = fmt::format("{}", fmt::join(views, ", "));
    static const char *const words[] = {"columns", "rows", "numbers"};
    for (int shape = 0; shape < 3; ++shape)
      if (!vectors[shape].empty())
        operands += fmt::format(" {} {}", words[shape], fmt::join(vectors[shape], ", "));
    line("{} = alg.map {} : ({}) -> {} {{\n  ^bb0({}):\n{}    alg.yield {} : {}\n  }}", name, operands,
         fmt::join(types, ", "), viewType(bf16, true), block, code, result, element(bf16));
    values_.push_back({name, bf16});
  }

  std::mt19937 &random_;
  FusedProgram program_;
  bool last_ = false; ///< whether what is added belongs to the second of two layers
  std::string schedule_, body_;
  View rows_{};
  std::vector<View> values_;
  std::vector<std::string> declared_;
  int number_ = 0;
};

} // namespace

FusedProgram randomFusedProgram(std::mt19937 &random, const FusedLayer &layer, bool transposed, bool bf16) {
  return Writer(random, layer, transposed, bf16).write();
}

FusedProgram randomNetwork(std::mt19937 &random, const FusedLayer &layer, bool bf16) {
  return Writer(random, layer, /*transposed=*/false, bf16).write(/*two_layers=*/true);
}

} // namespace compiler_test
