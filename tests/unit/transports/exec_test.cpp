#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lab/transports/exec_process.h"
#include "tests/peers/support/peer_process.h"
#include "tests/unit/transports/stream_fixture.h"

namespace firstlight {
namespace {

using test::kMillisecond;
using testing::ElementsAre;
using testing::HasSubstr;

class Programs : public testing::Test {
 protected:
  std::string script(const std::string& name, const std::string& text, bool executable = true) {
    const std::string path = folder_ / name;
    std::ofstream(path) << text;
    if (executable) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string bench() const { return folder_ / "bench.yaml"; }
  static ResourcePlan at(const std::string& command) { return test::resource_at("exec:" + command, "exec"); }
  peers::TemporaryFolder folder_;
};

TEST_F(Programs, AreFoundBesideTheBenchFileThenOnThePath) {
  const std::string path = script("chamber.sh", "#!/bin/sh\n");
  const std::string folder = folder_.path().string();
  EXPECT_EQ(parse_exec("./chamber.sh", folder).program, folder + "/./chamber.sh");
  EXPECT_EQ(parse_exec("chamber.sh", folder).program, path);
  EXPECT_EQ(parse_exec(path, "/nowhere").program, path);
  EXPECT_THAT(parse_exec("sh", folder).program, HasSubstr("/sh"));
  EXPECT_EQ(parse_exec("no-such-program", folder).program, "");
  EXPECT_EQ(parse_exec("", folder).program, "");
  EXPECT_THAT(parse_exec("sh -c \"two words\" x", folder).arguments, ElementsAre("-c", "two words", "x"));
}

TEST_F(Programs, SpeakInLines) {
  script("echo.sh", "#!/bin/sh\nwhile read line; do echo \"$1 $line in $PWD\"; done\n");
  test::with_stream(
      at("./echo.sh hello"),
      [&](ByteStream& stream, Scheduler& time) {
        const Instant deadline = time.now() + 5000 * kMillisecond;
        for (const char* word : {"one", "two"}) {
          ASSERT_EQ(stream.write(std::string(word) + "\n", deadline).status, StreamStatus::ok);
          EXPECT_EQ(stream.read_until('\n', deadline).data,
                    std::string("hello ") + word + " in " + folder_.path().string() + "\n");
        }
      },
      bench());
}

TEST_F(Programs, StartWithTheFirstUse) {
  script("mark.sh", "#!/bin/sh\ntouch started\nread line\n");
  test::with_stream(
      at("./mark.sh"),
      [&](ByteStream& stream, Scheduler& time) {
        time.sleep(50 * kMillisecond);
        EXPECT_FALSE(std::filesystem::exists(folder_ / "started"));
        stream.write("go\n", kNever);
        stream.read_until('\n', time.now() + 2000 * kMillisecond);
        EXPECT_TRUE(std::filesystem::exists(folder_ / "started"));
      },
      bench());
}

TEST_F(Programs, ThatEndLeaveTheirLastWords) {
  script("fail.sh", "#!/bin/sh\nread line\necho half\nprintf 'no chamber at 10.0.0.9' >&2\nexit 3\n");
  test::with_stream(
      at("./fail.sh"),
      [](ByteStream& stream, Scheduler& time) {
        const Instant deadline = time.now() + 5000 * kMillisecond;
        stream.write("go\n", deadline);
        EXPECT_EQ(stream.read_until('\n', deadline).data, "half\n");
        const StreamResult result = stream.read_until('\n', deadline);
        EXPECT_EQ(result.status, StreamStatus::closed);
        EXPECT_THAT(result.detail, HasSubstr("status 3"));
        EXPECT_THAT(result.detail, HasSubstr("no chamber at 10.0.0.9"));
        EXPECT_EQ(stream.write("more\n", deadline).status, StreamStatus::closed) << "and no SIGPIPE";
        EXPECT_EQ(stream.reopen(deadline).status, StreamStatus::ok);
        stream.write("go\n", deadline);
        EXPECT_EQ(stream.read_until('\n', deadline).data, "half\n");
      },
      bench());
}

TEST_F(Programs, MayTalkToStandardErrorWithoutEnd) {
  script("talk.sh", "#!/bin/sh\nread line\nhead -c 300000 /dev/zero | tr '\\0' x >&2\necho done\nread line\n");
  test::with_stream(
      at("./talk.sh"),
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        EXPECT_EQ(stream.read_until('\n', time.now() + 5000 * kMillisecond).data, "done\n");
      },
      bench());
}

TEST_F(Programs, AreKilledWithTheStreamAndSoIsWhatTheyStarted) {
  script("fork.sh", "#!/bin/sh\nsleep 1000 &\necho $! $$\nwhile :; do sleep 1; done\n");
  int child = 0;
  int shell = 0;
  test::with_stream(
      at("./fork.sh"),
      [&](ByteStream& stream, Scheduler& time) {
        const std::string line = stream.read_until('\n', time.now() + 5000 * kMillisecond).data;
        ASSERT_EQ(std::sscanf(line.c_str(), "%d %d", &child, &shell), 2) << line;
        EXPECT_EQ(::kill(child, 0), 0);
      },
      bench());
  ASSERT_GT(child, 0);
  const auto gone = [](int pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string word;
    stat >> word >> word >> word;
    return !stat || word == "Z";  // whom nobody has reaped yet runs no more
  };
  for (int i = 0; i < 200 && !(gone(child) && gone(shell)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(gone(child));
  EXPECT_TRUE(gone(shell));
}

TEST_F(Programs, ThatAreMissingOrCannotRunAreTold) {
  const auto missing = test::failure_to_open(at("./nowhere.py"), bench());
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->error_class, ErrorClass::infrastructure);
  EXPECT_THAT(missing->likely_cause, HasSubstr(folder_.path().string()));
  script("data.txt", "hello", false);
  EXPECT_TRUE(test::failure_to_open(at("./data.txt"), bench()));
  script("odd.py", "#!/no/such/interpreter\n");
  test::with_stream(
      at("./odd.py"),
      [](ByteStream& stream, Scheduler&) {
        const StreamResult result = stream.write("go\n", kNever);
        EXPECT_EQ(result.status, StreamStatus::closed);
        EXPECT_THAT(result.detail, HasSubstr("cannot be started: No such file"));
      },
      bench());
}

}  // namespace
}  // namespace firstlight
