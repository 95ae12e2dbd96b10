#include <gtest/gtest.h>

#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
Agenda& agenda() {
  // SystemC elaborates once a process, so all tests of a program share it; time goes on from test to test.
  static Agenda shared("agenda");
  return shared;
}
}  // namespace tb::instruments::testing

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tb::instruments::testing::agenda();
  return RUN_ALL_TESTS();
}
