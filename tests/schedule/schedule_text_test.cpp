// The text form of schedules, whatever kind they are of.
#include "compiler/schedule/schedule.h"

#include "algebras/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

using namespace compiler;
using testing::HasSubstr;

TEST(ScheduleText, SaysOfWhichKindItIs) {
  for (const Kernels kernels : {Kernels::ThreadsCopy, Kernels::EngineCopies}) {
    EXPECT_TRUE(isReduction(parseSchedule("rows=4,reduce=16", kernels)));
    EXPECT_TRUE(isForThreads(parseSchedule("rows=64,warps=2x4", kernels)));
    EXPECT_TRUE(isForThreads(parseSchedule("vector=2", kernels)));
  }
  // What says nothing is of the kernels that the target has for most layers.
  EXPECT_TRUE(isForThreads(parseSchedule("rows=64", Kernels::ThreadsCopy)));
  EXPECT_EQ(parseSchedule("rows=64", Kernels::EngineCopies), Schedule(StagedSchedule{.rows = 64}));
  // A text that only begins like an entry, or has it behind another's equals sign, names none.
  EXPECT_FALSE(isReduction("reduces=3"));
  EXPECT_FALSE(isReduction("rows=reduce"));
  EXPECT_FALSE(isReduction(""));
}

TEST(ScheduleText, ComesBackTheSame) {
  for (const char *text : {"rows=128,columns=96,depth=64,stages=3",
                           "rows=64,columns=96,depth=32,stages=0,outer=groups,split_k=4",
                           "rows=64,columns=128,depth=64,stages=3,cluster=1x2,ping_pong=2,longest_first=1",
                           "rows=32,columns=96,depth=64,stages=3,warps=1x4,vector=2",
                           "rows=32,columns=96,depth=64,stages=3,warps=1x4,vector=0,longest_first=2",
                           "reduce=16,rows=4,columns=64,vector=8"})
    EXPECT_EQ(toString(parseSchedule(text, Kernels::EngineCopies)), text);
}

TEST(ScheduleText, LeavesOutWhatFollowsFromTheMachine) {
  CpuSchedule product;
  product.weights = WeightAccess::Copied;
  product.pairs = true;
  EXPECT_EQ(toString(product), "weights=copied,types=1,rows=64,register_rows=8,register_columns=48");
  product.unit = MultiplyUnit::Amx;
  EXPECT_EQ(toString(product), "weights=copied,types=1,rows=64,register_rows=8,register_columns=48,unit=amx");
  CpuGradientSchedule gradient;
  EXPECT_EQ(toString(gradient), "features=64,columns=192,rows=64,register_features=8,register_columns=48");
  gradient.unit = MultiplyUnit::Amx;
  EXPECT_EQ(toString(gradient),
            "features=64,columns=192,rows=64,register_features=8,register_columns=48,unit=amx");
}

TEST(ScheduleText, HasTheEntriesOfItsKindAlone) {
  const auto message_of = [](const char *text, Kernels kernels) -> std::string {
    try {
      parseSchedule(text, kernels);
    } catch (const algebras::InputError &error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return "";
  };
  EXPECT_THAT(message_of("rows=64,warps=2x2,cluster=2x1", Kernels::EngineCopies),
              testing::AllOf(HasSubstr("nothing in it is called 'cluster'"), HasSubstr("vector=8")));
  EXPECT_THAT(message_of("reduce=4,depth=64", Kernels::ThreadsCopy),
              testing::AllOf(HasSubstr("nothing in it is called 'depth'"), HasSubstr("reduce=32")));
  EXPECT_THAT(message_of("rows=64,ping_pong=2", Kernels::ThreadsCopy),
              HasSubstr("nothing in it is called 'ping_pong'"));
  // What is wrong is called as it was written. Texts of CPU schedules are written and never read.
  EXPECT_THAT(message_of("rows=64,hold=2", Kernels::ThreadsCopy),
              HasSubstr("nothing in it is called 'hold'"));
  EXPECT_THAT(message_of("rows=64,bank=packed", Kernels::EngineCopies),
              HasSubstr("nothing in it is called 'bank'"));
  // Entries given twice are refused before their values are looked at.
  EXPECT_THAT(message_of("rows=64,rows=x", Kernels::EngineCopies), HasSubstr("'rows' is given twice"));
}

TEST(ScheduleText, ReadsFormerNamesAndDoesNotWriteThem) {
  const std::pair<const char *, const char *> names[] = {
      {"hold", "stationary"}, {"turns", "ping_pong"}, {"split", "split_k"}, {"long", "longest_first"}};
  for (const auto &[former, current] : names) {
    const std::string tile = "rows=64,columns=128,depth=64,stages=3,", value = "=2";
    EXPECT_EQ(toString(parseSchedule(tile + former + value, Kernels::EngineCopies)), tile + current + value);
    // One entry under both names is given twice.
    EXPECT_THROW(parseSchedule(tile + former + value + "," + current + value, Kernels::EngineCopies),
                 algebras::InputError);
  }
}

} // namespace
