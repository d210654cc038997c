// The gate itself: kernels that it must not let through.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "tests/gates/gate.h"
#include "tests/gates/main_loop.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A text with one part of it exchanged, which must be there.
std::string exchanged(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "nothing to exchange: " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The line that holds a text, with the end of the line.
std::string lineWith(const std::string &text, const std::string &part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) {
    ADD_FAILURE() << "there is no " << part;
    return part;
  }
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) + 1 - begin);
}

class Gate : public gates::WithAssembler<testing::Test> {
protected:
  void SetUp() override {
    WithAssembler::SetUp();
    if (IsSkipped())
      return;
    const algebras::Algebra algebra = algebras::parseExpression("Q(4)");
    const compiler::Spec spec{
        algebra, algebras::makeLayer(algebras::Lift::rows(algebra), 512, 768, algebras::DataType::BF16),
        false, "Q(4)"};
    evidence = gates::collectEvidence(compiler::gpuProgram(spec, compiler::Target::Sm90a, {}).nvvm);
    ASSERT_THAT(gates::objections(evidence), IsEmpty()); // what follows is each one step away from this
  }

  const std::string &ptx() const { return evidence.ptx.ptx; }
  std::vector<std::string> objectionsToPtx(const std::string &text) const {
    return gates::objections(gates::withPtx(evidence, text));
  }

  gates::Evidence evidence;
};

// A kernel that holds `values` of them at once in at most `registers`.
std::string crowdedKernel(int values, int registers) {
  std::string text =
      fmt::format(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry crowded(.param .u64 p)\n"
                  ".maxntid 128, 1, 1\n.maxnreg {}\n{{\n.reg .u64 %p;\n.reg .u32 %v<{}>;\n"
                  "ld.param.u64 %p, [p];\n",
                  registers, values);
  for (int i = 0; i < values; ++i)
    text += fmt::format("ld.volatile.global.u32 %v{}, [%p + {}];\n", i, 4 * i);
  for (int i = values; i-- > 0;)
    text += fmt::format("st.volatile.global.u32 [%p + {}], %v{};\n", 4 * (values - i), i);
  return text + "ret;\n}\n";
}

TEST_F(Gate, ObjectsToSpills) {
  const auto crowded = objectionsToPtx(crowdedKernel(64, 32));
  EXPECT_THAT(crowded, Contains(HasSubstr("bytes of spill stores")));
  EXPECT_THAT(crowded, Contains(HasSubstr("bytes of spill loads")));
  EXPECT_THAT(crowded, Contains(HasSubstr("bytes of stack frame")));
  EXPECT_THAT(crowded, Contains(HasSubstr("STL in the machine code")));
  EXPECT_THAT(crowded, Contains(HasSubstr("LDL in the machine code")));
  const auto roomy = objectionsToPtx(crowdedKernel(64, 128));
  EXPECT_THAT(roomy, testing::Not(Contains(HasSubstr("spill"))));
  EXPECT_THAT(roomy, testing::Not(Contains(HasSubstr("STL"))));
}

TEST_F(Gate, ObjectsToAnUnknownNumberOfThreads) {
  // Without it ptxas ignores setmaxnreg.
  const auto found = objectionsToPtx(exchanged(ptx(), lineWith(ptx(), ".reqntid"), ""));
  EXPECT_THAT(found, Contains(HasSubstr("C7508")));
}

TEST_F(Gate, ObjectsToWaitsAndFencesThatPtxasPutsIn) {
  std::string unfenced = ptx(), unawaited = ptx();
  for (const std::string fence = "wgmma.fence.sync.aligned;"; unfenced.find(fence) != std::string::npos;)
    unfenced = exchanged(unfenced, fence, "");
  for (const std::string wait = "wgmma.wait_group"; unawaited.find(wait) != std::string::npos;)
    unawaited = exchanged(unawaited, lineWith(unawaited, wait), "");
  EXPECT_THAT(objectionsToPtx(unfenced), Contains(HasSubstr("(C75")));
  EXPECT_THAT(objectionsToPtx(unawaited), Contains(HasSubstr("(C75")));
}

TEST_F(Gate, ObjectsToInstructionsLostOrCopiedOnTheWayToPtx) {
  for (const char *instruction :
       {"fence.proxy.async", "mbarrier.init.shared", "cp.async.bulk.commit_group"}) {
    const std::string line = lineWith(ptx(), instruction);
    EXPECT_THAT(objectionsToPtx(exchanged(ptx(), line, "")), Contains(HasSubstr("in PTX"))) << instruction;
    EXPECT_THAT(objectionsToPtx(exchanged(ptx(), line, line + line)), Contains(HasSubstr("in PTX")))
        << instruction;
  }
}

TEST_F(Gate, ObjectsToWhatTheOptimiserLostOrCopied) {
  gates::Evidence copied = evidence;
  ASSERT_FALSE(copied.ptx.optimized.empty());
  ++copied.ptx.optimized.begin()->second;
  EXPECT_THAT(gates::objections(copied), Contains(HasSubstr("before optimisation")));
  gates::Evidence lost = evidence;
  lost.ptx.optimized.erase(lost.ptx.optimized.begin());
  EXPECT_THAT(gates::objections(lost), Contains(HasSubstr("0 after")));
  gates::Evidence unmarked = evidence;
  unmarked.ptx.unmarked_assembly = 1;
  EXPECT_THAT(gates::objections(unmarked), Contains(HasSubstr("not convergent")));
}

TEST_F(Gate, ObjectsToMachineCodeWithoutTheInstructionsOfHopper) {
  const std::string plain =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n";
  const auto found = objectionsToPtx(plain);
  for (const char *instruction : {"HGMMA", "UTMALDG", "UTMASTG", "USETMAXREG"})
    EXPECT_THAT(found, Contains(HasSubstr(std::string("no ") + instruction)));
}

TEST_F(Gate, ObjectsToALongMainLoop) {
  const std::vector<gates::MainLoop> loops = gates::mainLoops(evidence.sass);
  ASSERT_FALSE(loops.empty());
  // Behind the first product that is in a loop, more than a step may have.
  gates::Evidence longer = evidence;
  const size_t product = longer.sass.find("HGMMA"), end = longer.sass.find('\n', product);
  std::string more;
  for (int64_t i = 0; i <= loops[0].budget(); ++i)
    more += "        /*0000*/                   IADD3 R0, R0, 0x1, RZ ;\n";
  longer.sass.insert(end + 1, more);
  EXPECT_THAT(gates::objections(longer), Contains(HasSubstr("beside which it may have")));
}

TEST(MainLoops, AreTheInnermostThatMultiply) {
  const std::string sass = R"(.L_x_0:
        /*0000*/                   IADD3 R0, R0, 0x1, RZ ;
.L_x_1:
        /*0010*/                   SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R8] ;
                                                                      /* 0x000000000c187981 */
        /*0020*/              @!P0 BRA `(.L_x_9) ;
        /*0030*/                   HGMMA.64x8x16.F32.BF16 R24, gdesc[UR12], R24 ;
        /*0040*/               @P1 BRA P2, `(.L_x_1) ;
.L_x_2:
        /*0050*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0060*/               @P1 BRA `(.L_x_2) ;
        /*0070*/               @P1 BRA `(.L_x_0) ;
.L_x_9:
        /*0080*/                   BRA `(.L_x_2);
)";
  const std::vector<gates::MainLoop> loops = gates::mainLoops(sass);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].instructions, 4);
  EXPECT_EQ(loops[0].products, 1);
}

TEST_F(Gate, CountsWholeNames) {
  EXPECT_EQ(gates::countInPtx("x.fence.proxy.async; fence.proxy.async;\n", "fence.proxy."), 1);
  EXPECT_EQ(gates::countInSass(" STL.64 [R1] ; ISTL R2 ; STLX R3 ; STL [R1] ;", "STL"), 2);
}

} // namespace
