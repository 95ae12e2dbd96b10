#include "lab/transports/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lab/bench/parse.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"

namespace firstlight {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "correct-horse-battery";

class SecretTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-secret-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& content, unsigned mode) {
    const std::string path = folder_ / "password";
    std::ofstream(path) << content;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static ResourcePlan resource(const std::string& param, const std::string& value) {
    ResourcePlan plan;
    plan.name = "bmc0";
    plan.where = {"bench.yaml", 7, 3};
    plan.params[param] = Value{value, {}};
    return plan;
  }
  static Failure refused(const ResourcePlan& plan) {
    try {
      read_secret(plan, "password");
    } catch (const FailureError& error) {
      return error.failure();
    }
    ADD_FAILURE() << "it was taken";
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(SecretTest, IsTheFirstLineOfAFileThatOnlyItsOwnerMayRead) {
  for (const unsigned mode : {0600U, 0400U})
    EXPECT_EQ(
        read_secret(resource("password_file", file(std::string(kSecret) + "\r\nmore\n", mode)), "password")->reveal(),
        kSecret);
}

TEST_F(SecretTest, IsRefusedFromAFileThatOthersMayRead) {
  for (const unsigned mode : {0640U, 0604U, 0620U, 0610U}) {
    const Failure failure = refused(resource("password_file", file(kSecret, mode)));
    EXPECT_EQ(failure.error_class, ErrorClass::bench);
    EXPECT_THAT(failure.message, HasSubstr("others than its owner"));
    EXPECT_THAT(failure.likely_cause, HasSubstr("chmod 0600"));
    EXPECT_THAT(failure.message + failure.likely_cause + failure.received, Not(HasSubstr(kSecret)));
  }
}

TEST_F(SecretTest, IsRefusedFromWhatIsNoFile) {
  EXPECT_THAT(refused(resource("password_file", folder_ / "nothing")).message, HasSubstr("cannot read"));
  EXPECT_THAT(refused(resource("password_file", folder_)).message, HasSubstr("no regular file"));
  EXPECT_THAT(refused(resource("password_file", file("\nsecond\n", 0600))).message, HasSubstr("is empty"));
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refused(resource("password_file", pipe)).message, HasSubstr("no regular file"));
}

TEST_F(SecretTest, ComesFromTheEnvironment) {
  ::setenv("FIRSTLIGHT_TEST_PASSWORD", kSecret, 1);
  EXPECT_EQ(read_secret(resource("password_env", "FIRSTLIGHT_TEST_PASSWORD"), "password")->reveal(), kSecret);
  ::unsetenv("FIRSTLIGHT_TEST_PASSWORD");
  EXPECT_THAT(refused(resource("password_env", "FIRSTLIGHT_TEST_PASSWORD")).message, HasSubstr("is not set"));
  EXPECT_FALSE(read_secret(ResourcePlan{}, "password"));
}

TEST_F(SecretTest, IsTakenOutOfWhatOthersSay) {
  const Secret secret(kSecret);
  EXPECT_EQ(secret.redact(std::string("no ") + kSecret + "," + kSecret + "!"), "no ***,***!");
  EXPECT_EQ(Secret("*").redact("a*b"), "a***b");
}

std::string told(const std::string& bench) {
  Vocabulary vocabulary;
  vocabulary.resources = resource_type_specs();
  vocabulary.drivers = driver_type_specs();
  vocabulary.rail_measures = rail_measure_specs();
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_bench_text("bench.yaml", bench, vocabulary, diagnostics));
  std::string text;
  for (const Diagnostic& one : diagnostics.list()) text += to_text(one, bench);
  return text;
}

TEST(Credentials, InABenchFileAreRefusedAndNotShown) {
  for (const char* type : {"ipmi", "redfish"}) {
    const std::string text = told(std::string("bench: b\ndut: {name: tern}\nresources:\n  bmc0: {type: ") + type +
                                  ", address: \"lan://h\", usr: x, password: " + kSecret + "}\n");
    EXPECT_THAT(text, HasSubstr("password_file"));
    EXPECT_THAT(text, HasSubstr("password_env"));
    EXPECT_THAT(text, HasSubstr("line 4"));
    EXPECT_THAT(text, Not(HasSubstr(kSecret)));
  }
}

}  // namespace
}  // namespace firstlight
