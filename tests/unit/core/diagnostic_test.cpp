#include "lab/core/diagnostic.h"

#include <gtest/gtest.h>

namespace firstlight {
namespace {

std::string shown(int line, int column, const std::string& message, const std::string& near, const char* text) {
  Diagnostics diagnostics;
  diagnostics.add({"a.yaml", line, column}, message, near);
  return to_text(diagnostics.list().front(), text);
}

TEST(Diagnostic, ShowsTheLineAndPointsAtTheColumn) {
  EXPECT_EQ(shown(2, 8, "no rail \"vdd_cor\"", "vdd_core", "first\n\trail: vdd_cor\r\nthird\n"),
            "a.yaml:2:8: error: no rail \"vdd_cor\"\n"
            "     2 | \trail: vdd_cor\n"
            "       | \t      ^\n"
            "       did you mean: vdd_core\n");
}

TEST(Diagnostic, LeavesOutAPlaceThatIsNotKnown) {
  EXPECT_EQ(shown(0, 0, "there is no such file", "", ""), "a.yaml: error: there is no such file\n");
  EXPECT_EQ(shown(1, 0, "somewhere in it", "", "one line"), "a.yaml:1: error: somewhere in it\n");
  EXPECT_EQ(shown(9, 1, "gone", "", "one line"), "a.yaml:9:1: error: gone\n");
}

TEST(Diagnostics, SortsByPlaceAndDropsRepeats) {
  Diagnostics diagnostics;
  diagnostics.add({"b.yaml", 1, 1}, "b");
  diagnostics.add({"a.yaml", 10, 1}, "late");
  diagnostics.add({"a.yaml", 2, 5}, "early");
  diagnostics.add({"a.yaml", 2, 5}, "early");
  diagnostics.sort();
  ASSERT_EQ(diagnostics.list().size(), 3U);
  EXPECT_EQ(diagnostics.list()[0].message, "early");
  EXPECT_EQ(diagnostics.list()[1].message, "late");
  EXPECT_EQ(diagnostics.list()[2].message, "b");
}

}  // namespace
}  // namespace firstlight
