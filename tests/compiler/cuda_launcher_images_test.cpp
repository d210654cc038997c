// What the launcher in plain C gives to the driver: machine code, and PTX where that is refused.
#include "compiler/targets/c/cuda_launcher.h"

#include "compiler/spec/usage_error.h"
#include "runtime/gpu_kernel_abi.h"
#include "tests/compiler/compiled_launcher.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace algrt::cuda;
using compiler::launcherNames;
using launcher_test::emptyKernel;
using launcher_test::Launcher;
using launcher_test::Shape;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const Shape &shape = launcher_test::shapes.front();
const char *const loading = "cuModuleLoadDataEx";

template <class Value> void put(std::string &bytes, size_t at, const Value &value) {
  bytes.resize(std::max(bytes.size(), at + sizeof value));
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// An ELF file that says of an empty kernel what a cubin would: its architecture, its name and the sizes of
/// its parameters.
std::string emptyCubin() {
  constexpr char names[] = "\0.shstrtab\0.nv.info.product";
  constexpr uint32_t format_and_attribute = 0x1704, bytes_of_record = 12;
  std::string info;
  uint32_t ordinal = 0;
  for (const uint32_t bytes : {uint32_t(5 * algrt_tensor_map_bytes), 4u, 4u, 8u}) {
    put(info, info.size(), format_and_attribute | bytes_of_record << 16);
    for (const uint32_t word : {0u, ordinal++, bytes << 18})
      put(info, info.size(), word);
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190; // EM_CUDA
  header.e_flags = 90;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_offset = sizeof header + sizeof sections;
  sections[1].sh_size = sizeof names;
  sections[2].sh_name = 11;
  sections[2].sh_offset = sections[1].sh_offset + sizeof names;
  sections[2].sh_size = info.size();
  std::string bytes;
  put(bytes, 0, header);
  put(bytes, sizeof header, sections);
  put(bytes, sections[1].sh_offset, names);
  return bytes + info;
}

class LauncherImages : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (std::system(("command -v " + GetParam() + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << "NOT TESTED: there is no " << GetParam();
    algrt::cuda_stand_in::reset({{}});
  }
  void TearDown() override {
    EXPECT_THAT(algrt::cuda_stand_in::violations(), IsEmpty());
    EXPECT_THAT(algrt::cuda_stand_in::leaks(), IsEmpty());
    algrt::cuda_stand_in::onLaunch({});
  }
  /// What a launch of the loaded kernel runs.
  std::string imageOf(const Launcher &launcher, Launcher::Kernel &kernel) {
    std::string image;
    algrt::cuda_stand_in::onLaunch(
        [&](const algrt::cuda_stand_in::Launch &launch) { image = *launch.image; });
    Context context = nullptr, popped = nullptr;
    DevicePointer memory = 0;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), Result::Success);
    EXPECT_EQ(cuCtxPushCurrent_v2(context), Result::Success);
    EXPECT_EQ(cuMemAlloc_v2(&memory, 4 << 20), Result::Success);
    void *at = reinterpret_cast<void *>(memory);
    const compiler::CudaProgram program = launcher_test::programOf(shape, "up-1.c");
    EXPECT_EQ(launcher.launch(&kernel, at, program.layer.k, at, program.layer.weightColumns(), at,
                              program.layer.n, 1, 0, nullptr),
              0)
        << launcher.error(&kernel);
    EXPECT_EQ(cuMemFree_v2(memory), Result::Success);
    EXPECT_EQ(cuCtxPopCurrent_v2(&popped), Result::Success);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), Result::Success);
    return image;
  }
  TemporaryFolder folder;
  const std::string ptx = emptyKernel(shape), cubin = emptyCubin();
};

TEST_P(LauncherImages, MachineCodeIsTakenWhereTheDriverKnowsIt) {
  const Launcher launcher(folder, shape, GetParam(), ptx, cubin);
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  EXPECT_EQ(algrt::cuda_stand_in::callCount(loading), 1);
  EXPECT_EQ(imageOf(launcher, kernel), cubin);
  launcher.unload(&kernel);
}

TEST_P(LauncherImages, PtxIsTakenWhereTheDriverRefusesMachineCode) {
  const Launcher launcher(folder, shape, GetParam(), ptx, cubin);
  for (const Result refusal :
       {Result::InvalidImage, Result::NoBinaryForGpu, Result::InvalidPtx, Result::JitCompilerNotFound,
        Result::UnsupportedPtxVersion, Result::NotFound}) {
    algrt::cuda_stand_in::reset({{}});
    algrt::cuda_stand_in::failCall(loading, 1, refusal);
    Launcher::Kernel kernel;
    ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << int(refusal) << ": " << launcher.error(&kernel);
    EXPECT_STREQ(launcher.error(&kernel), "");
    EXPECT_EQ(algrt::cuda_stand_in::callCount(loading), 2);
    EXPECT_EQ(imageOf(launcher, kernel), ptx);
    launcher.unload(&kernel);
  }
}

TEST_P(LauncherImages, BothRefusalsAreSaid) {
  const Launcher launcher(folder, shape, GetParam(), ptx, cubin);
  algrt::cuda_stand_in::failCall(loading, 1, Result::NoBinaryForGpu);
  algrt::cuda_stand_in::failCall(loading, 2, Result::UnsupportedPtxVersion);
  Launcher::Kernel kernel;
  EXPECT_EQ(launcher.loadFromStandIn(kernel, 0), int(Result::UnsupportedPtxVersion));
  EXPECT_THAT(launcher.error(&kernel),
              AllOf(HasSubstr("loading the kernel's machine code: "), HasSubstr("(CUresult 209); "),
                    HasSubstr("compiling the kernel's PTX: "), HasSubstr("(CUresult 222)")));
}

TEST_P(LauncherImages, OtherFailuresAreNoRefusal) {
  const Launcher launcher(folder, shape, GetParam(), ptx, cubin);
  for (const Result failure : {Result::OutOfMemory, Result::IllegalAddress, Result::Unknown}) {
    algrt::cuda_stand_in::reset({{}});
    algrt::cuda_stand_in::failCall(loading, 1, failure);
    Launcher::Kernel kernel;
    EXPECT_EQ(launcher.loadFromStandIn(kernel, 0), int(failure));
    EXPECT_THAT(launcher.error(&kernel), HasSubstr("loading the kernel's machine code: "));
    EXPECT_EQ(algrt::cuda_stand_in::callCount(loading), 1);
  }
}

// What a C compiler could read in another way, or would not take.
TEST_P(LauncherImages, PtxArrivesByteForByte) {
  std::string odd =
      ptx + "// \"quoted\" \\n ?\?=?\?/ \t %d %s \001 \x80\xff */ " + std::string(9000, '"') + "\n\n";
  odd += "// " + std::string(1000 - 3, 'x') + "\n0// no line's end";
  const Launcher launcher(folder, shape, GetParam(), odd);
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  EXPECT_EQ(imageOf(launcher, kernel), odd);
  launcher.unload(&kernel);
}

TEST_P(LauncherImages, TheDriversComplaintIsSaid) {
  const Launcher launcher(folder, shape, GetParam(), "no program");
  Launcher::Kernel kernel;
  EXPECT_EQ(launcher.loadFromStandIn(kernel, 0), int(Result::InvalidImage));
  EXPECT_THAT(launcher.error(&kernel), AllOf(HasSubstr("compiling the kernel's PTX: "),
                                             HasSubstr("(CUresult 200): the assembler's complaint")));
}

INSTANTIATE_TEST_SUITE_P(CompiledBy, LauncherImages, testing::Values("clang-22", "gcc"),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return std::string(info.param == "gcc" ? "Gcc" : "Clang");
                         });

TEST(LauncherNames, AreIdentifiersAndFiles) {
  const compiler::LauncherNames names = launcherNames("build/up-1.c");
  EXPECT_EQ(names.header_path, "build/up-1.h");
  EXPECT_EQ(names.include, "up-1.h");
  EXPECT_EQ(names.identifier, "up_1");
  EXPECT_EQ(launcherNames("2b.c").identifier, "kernel_2b");
  EXPECT_EQ(launcherNames("_x.c").identifier, "kernel__x");
  for (const char *wrong : {"", "-", "up", "up.h", "up.cpp", ".c", "a\"b.c"})
    EXPECT_THROW(launcherNames(wrong), compiler::UsageError) << wrong;
}

} // namespace
