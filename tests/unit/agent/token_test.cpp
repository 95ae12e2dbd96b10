#include "lab/transports/agent/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "lab/transports/agent/endpoint.h"
#include "tests/unit/agent/agent_fixture.h"

namespace firstlight::agent::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Token : ::testing::Test {
  std::string write(const std::string& text, mode_t mode) const {
    const std::string path = folder / "token";
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  peers::TemporaryFolder folder;
};

TEST_F(Token, IsTheFirstLineOfAFileForItsOwnerOnly) {
  EXPECT_EQ(token_from_file(write("0123456789abcdef\nnot this\n", 0600)), "0123456789abcdef");
  EXPECT_EQ(token_from_file(write("0123456789abcdef\r\n", 0400)), "0123456789abcdef");
  for (const mode_t mode : {0640, 0604, 0660}) {
    const std::string path = write("0123456789abcdef", mode);
    const Failure failure = failure_of([&] { token_from_file(path); });
    EXPECT_EQ(failure.error_class, ErrorClass::bench);
    EXPECT_THAT(failure.message, AllOf(HasSubstr("can be read by others"), Not(HasSubstr("0123456789"))));
    EXPECT_EQ(failure.likely_cause, "chmod 600 " + path);
  }
}

TEST_F(Token, IsNotShort) {
  for (const char* text : {"", "\n", "0123456789abcde", "short\n0123456789abcdef"}) {
    const std::string path = write(text, 0600);
    EXPECT_THAT(failure_of([&] { token_from_file(path); }).message,
                AllOf(HasSubstr("shorter than 16"), Not(HasSubstr("0123456789"))));
  }
  EXPECT_THAT(failure_of([&] { token_from_file(folder / "none"); }).message, HasSubstr("No such file"));
}

TEST_F(Token, ComesFromTheEnvironmentToo) {
  ::setenv("FL_TEST_TOKEN", "0123456789abcdef", 1);
  EXPECT_EQ(token_from_environment("FL_TEST_TOKEN"), "0123456789abcdef");
  ::unsetenv("FL_TEST_TOKEN");
  EXPECT_THAT(failure_of([] { token_from_environment("FL_TEST_TOKEN"); }).message, HasSubstr("FL_TEST_TOKEN"));
}

TEST_F(Token, IsMadeAnewEachTime) {
  const std::string path = write("an older one that others may read", 0644);
  const std::string one = make_token_file(path);
  EXPECT_EQ(token_from_file(path), one);
  EXPECT_EQ(one.size(), 64U);
  EXPECT_NE(make_token_file(path), one);
}

TEST_F(Token, ComparesWhole) {
  EXPECT_TRUE(same_token("0123456789abcdef", "0123456789abcdef"));
  EXPECT_FALSE(same_token("0123456789abcdef", "0123456789abcdeF"));
  EXPECT_FALSE(same_token("0123456789abcdef", "0123456789abcdef0123456789abcdef"));
  EXPECT_FALSE(same_token("0123456789abcdef", ""));
  EXPECT_FALSE(same_token("", "0123456789abcdef"));
}

TEST(Endpoint, IsReadAndWritten) {
  const auto text = [](const char* from) {
    const auto endpoint = parse_endpoint(from);
    return endpoint ? endpoint->text() : std::string("none");
  };
  EXPECT_EQ(text("tcp://dut-3:5099"), "tcp://dut-3:5099");
  EXPECT_EQ(text("tcp://[::1]:5099"), "tcp://[::1]:5099");
  EXPECT_EQ(text("tcp://:5099"), "tcp://127.0.0.1:5099");
  EXPECT_EQ(text("unix:/run/agent"), "unix:/run/agent");
  EXPECT_EQ(text("unix:///run/agent"), "unix:/run/agent");
  for (const char* bad : {"", "tcp://dut-3", "tcp://dut-3:", "tcp://dut-3:65536", "tcp://dut-3:x1", "tcp://::1:5099",
                          "udp://dut-3:5099", "unix:", "dut-3:5099", "tcp:dut-3:5099"})
    EXPECT_EQ(text(bad), "none") << bad;
}

TEST(Endpoint, KnowsTheLoopback) {
  for (const char* own : {"tcp://127.0.0.1:1", "tcp://[::1]:1", "tcp://localhost:1", "unix:/x"})
    EXPECT_TRUE(is_loopback(*parse_endpoint(own))) << own;
  for (const char* open : {"tcp://0.0.0.0:1", "tcp://[::]:1", "tcp://10.0.0.1:1"})
    EXPECT_FALSE(is_loopback(*parse_endpoint(open))) << open;
}

}  // namespace
}  // namespace firstlight::agent::testing
