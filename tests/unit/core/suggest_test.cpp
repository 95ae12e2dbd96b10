#include "lab/core/suggest.h"

#include <gtest/gtest.h>

namespace firstlight {
namespace {

const std::vector<std::string> kRails = {"vdd_aon", "vdd_core", "vdd_sram", "vdd_hbm", "vdd_serdes"};

TEST(NearestName, FindsSlipsOfTheFinger) {
  EXPECT_EQ(nearest_name("vdd_cor", kRails), "vdd_core");
  EXPECT_EQ(nearest_name("vdd_croe", kRails), "vdd_core");
  EXPECT_EQ(nearest_name("VDD_CORE", kRails), "vdd_core");
  EXPECT_EQ(nearest_name("vddcore", kRails), "vdd_core");
  EXPECT_EQ(nearest_name("vdd_sreds", kRails), "vdd_serdes");
}

TEST(NearestName, FindsAbbreviations) {
  EXPECT_EQ(nearest_name("temp", {"voltage", "temperature"}), "temperature");
  EXPECT_EQ(nearest_name("maximum", {"min", "max"}), "max");
}

TEST(NearestName, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("coolant", kRails), "");
  EXPECT_EQ(nearest_name("", kRails), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name(std::string(10'000, 'v'), kRails), "");
}

}  // namespace
}  // namespace firstlight
