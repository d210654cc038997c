// What bash offers behind a line that has been begun, by the script that algctl prints for it.
#include "tests/tools/outcome.h"
#include "tests/tools/temporary_folder.h"

#include <algorithm>
#include <cstdio>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <set>

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;
using Words = std::vector<std::string>;

class BashCompletion : public testing::Test {
protected:
  // COMPREPLY for a line of these words, the last of which is being typed, in the folder of the test.
  Words offered(const Words &line) {
    std::string command = "cd '" + folder.path("") +
                          "' && bash --norc -c 'source \"$0\"; COMP_WORDS=(\"$@\"); "
                          "COMP_CWORD=$(($# - 1)); _algctl; "
                          "[ ${#COMPREPLY[@]} -eq 0 ] || printf \"%s\\n\" \"${COMPREPLY[@]}\"' '" +
                          script + "'";
    for (const std::string &word : line)
      command += " '" + word + "'";
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> pipe(popen(command.c_str(), "r"), pclose);
    std::string out;
    for (int c; (c = std::fgetc(pipe.get())) != EOF;)
      out += static_cast<char>(c);
    Words words;
    for (size_t begin = 0, end; (end = out.find('\n', begin)) != std::string::npos; begin = end + 1)
      words.push_back(out.substr(begin, end - begin));
    return words;
  }

  TemporaryFolder folder;
  std::string script = folder.write("algctl.bash", algctl({"completion", "bash"}).out);
};

TEST_F(BashCompletion, OffersCommandsAndTheCommandsWithin) {
  EXPECT_THAT(offered({"algctl", "co"}), UnorderedElementsAre("compare", "cost", "completion"));
  EXPECT_THAT(offered({"algctl", ""}), Contains("verify"));
  EXPECT_THAT(offered({"algctl", "cache", ""}), UnorderedElementsAre("ls", "verify", "gc"));
  EXPECT_THAT(offered({"algctl", "cache", "gc", "--k"}), ElementsAre("--keep-bytes"));
  EXPECT_THAT(offered({"algctl", "completion", ""}), ElementsAre("bash", "zsh", "fish"));
}

TEST_F(BashCompletion, OffersOptionsOfTheCommandAlone) {
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--mac"}), ElementsAre("--machine"));
  EXPECT_THAT(offered({"algctl", "verify", "Q(2)", "--mac"}), IsEmpty());
  // Names that are understood but not shown are not offered either.
  EXPECT_THAT(offered({"algctl", "run", "x.alg", "--bias"}), ElementsAre("--bias-file"));
}

TEST_F(BashCompletion, OffersTheValuesOfAnOption) {
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype", ""}), ElementsAre("f32", "bf16"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype", "b"}), ElementsAre("bf16"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--target", "sm"}), UnorderedElementsAre("sm_90a", "sm_80"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--map", ""}), ElementsAre("forward", "dx", "dw"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--row-types", "i"}), ElementsAre("interval("));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--lift", ""}), ElementsAre("rows", "slots"));
  EXPECT_THAT(offered({"algctl", "show", "Q(2)", "--format", "h"}), ElementsAre("html"));
  EXPECT_THAT(offered({"algctl", "bench", "x.alg", "--against", ""}), ElementsAre("dense", "none"));
  EXPECT_THAT(offered({"algctl", "run", "x.alg", "--result-dtype", "f"}), ElementsAre("f32"));
  // A number is nobody's guess.
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--m", ""}), IsEmpty());
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "-m", ""}), IsEmpty());
}

// Bash hands --option=value over as three words; a script may have told it not to.
TEST_F(BashCompletion, TakesEqualsSigns) {
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype", "="}), ElementsAre("f32", "bf16"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype", "=", "b"}), ElementsAre("bf16"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype=b"}), ElementsAre("--dtype=bf16"));
}

TEST_F(BashCompletion, ListsGoOnBehindTheComma) {
  EXPECT_THAT(offered({"algctl", "bench", "x.alg", "--map", "dx,t"}), ElementsAre("dx,training"));
  EXPECT_THAT(offered({"algctl", "bench", "x.alg", "--map=dx,t"}), ElementsAre("--map=dx,training"));
}

TEST_F(BashCompletion, OffersFilesWhereAFileIsMeant) {
  folder.write("weights.npy", "");
  folder.write("two words.npy", "");
  EXPECT_THAT(offered({"algctl", "run", "x.alg", "--w", "we"}), ElementsAre("weights.npy"));
  EXPECT_THAT(offered({"algctl", "run", "x.alg", "--w", "=", "tw"}), ElementsAre("two words.npy"));
  EXPECT_THAT(offered({"algctl", "run", "we"}), ElementsAre("weights.npy"));
  EXPECT_THAT(offered({"algctl", "cost", "Q(2)", "--dtype", "we"}), IsEmpty());
}

// Every value that is offered is one that the command takes.
TEST_F(BashCompletion, OffersWhatIsTaken) {
  for (const auto &[option, more] :
       std::vector<std::pair<std::string, Words>>{{"--dtype", {}},
                                                  {"--lift", {}},
                                                  {"--target", {"--dense", "--dtype", "bf16"}},
                                                  {"--map", {"--dense", "--dtype", "bf16"}},
                                                  {"--y-dtype", {"--dense", "--dtype", "bf16"}}}) {
    const Words values = offered({"algctl", "cost", "Q(4)", option, ""});
    EXPECT_THAT(values, Not(IsEmpty())) << option;
    for (const std::string &value : values) {
      Words line = {"cost", "Q(4)", "--in", "64", "--out", "64", "--m", "4", option, value};
      line.insert(line.end(), more.begin(), more.end());
      EXPECT_EQ(algctl(line).code, 0) << option << " " << value;
    }
  }
  for (const std::string &value : offered({"algctl", "show", "Q(2)", "--format", ""}))
    EXPECT_EQ(algctl({"show", "Q(2)", "--format", value}).code, 0) << value;
}

} // namespace
