#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/cli/application.h"
#include "lab/cli/doctor_findings.h"
#include "lab/transports/schemes.h"

namespace firstlight::cli {
namespace {

using ::testing::HasSubstr;

std::string doctor(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Surroundings surroundings;
  surroundings.out = &out;
  surroundings.err = &err;
  run_command_line(arguments, surroundings);
  return out.str();
}

TEST(Doctor, NamesEveryWayToReachHardware) {
  const std::string text = doctor({"doctor"});
  for (const auto& scheme : all_schemes().streams) EXPECT_THAT(text, HasSubstr(scheme.form));
  for (const auto& scheme : all_schemes().i2c) EXPECT_THAT(text, HasSubstr(scheme.form));
  for (const auto& scheme : all_schemes().modbus) EXPECT_THAT(text, HasSubstr(scheme.form));
}

TEST(Doctor, SaysWhatABuildLacks) {
  const auto lacks = [](const auto& schemes) {
    return std::count_if(schemes.begin(), schemes.end(), [](const auto& one) { return !one.missing.empty(); });
  };
  const SchemeTable& all = all_schemes();
  const auto missing = lacks(all.streams) + lacks(all.i2c) + lacks(all.registers) + lacks(all.dma_memories) +
                       lacks(all.gpios) + lacks(all.hwmons) + lacks(all.ipmi) + lacks(all.http) + lacks(all.modbus);
  const auto findings = transport_findings();
  EXPECT_EQ(std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.health == Health::note; }),
            missing);
  for (const Finding& finding : findings) EXPECT_EQ(finding.health == Health::note, !finding.advice.empty());
}

TEST(Doctor, IsReadableByPrograms) {
  const auto list = nlohmann::json::parse(doctor({"doctor", "--json"}));
  for (const char* section : {"station", "transports", "hardware"})
    EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](const auto& one) { return one["section"] == section; }))
        << section;
}

}  // namespace
}  // namespace firstlight::cli
