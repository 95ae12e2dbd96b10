#include <gtest/gtest.h>

#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {
namespace {

TEST(Umockdev, HwmonChecksPassOnTheMachineThatItMakesUp) {
  const Finished checks =
      run_program({"umockdev-run", "--device", MACHINE, "--", HWMON_CHECKS}, std::chrono::seconds(30));
  EXPECT_EQ(checks.status, 0) << checks.output;
  EXPECT_NE(checks.output.find("[  PASSED  ] 4 tests."), std::string::npos) << checks.output;
}

}  // namespace
}  // namespace firstlight::peers
