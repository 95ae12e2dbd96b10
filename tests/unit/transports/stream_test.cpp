// What every stream over a descriptor has in common, over a TCP socket, a unix socket and a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/instruments/far_end.h"
#include "tests/unit/transports/stream_fixture.h"

namespace firstlight {
namespace {

using instruments::FarEnd;
using instruments::Line;
using namespace std::chrono_literals;
using test::kMillisecond;
using testing::HasSubstr;

std::string name_of_kind(const testing::TestParamInfo<FarEnd::Kind>& info) {
  static const std::vector<std::string> names = {"Tcp", "Unix", "Terminal"};
  return names.at(static_cast<std::size_t>(info.param));
}

class Streams : public testing::TestWithParam<FarEnd::Kind> {
 protected:
  /// @param answer what the instrument does with each line
  void use(const std::function<void(Line&, const std::string&)>& answer,
           const std::function<void(ByteStream&, Scheduler&)>& body) {
    FarEnd far(GetParam(), [&](Line& line, int) {
      while (const auto command = line.read_line()) answer(line, *command);
    });
    test::with_stream(test::resource_at(far.address()), body);
  }
};

class EveryStream : public Streams {};
/// What only sockets can show: an end while the other side lives on.
class EverySocket : public Streams {};

TEST_P(EveryStream, KeepsWhatCameAfterTheTerminator) {
  use([](Line& line, const std::string&) { line.send("one\ntwo\nthree"); },
      [](ByteStream& stream, Scheduler& time) {
        const Instant deadline = time.now() + 2000 * kMillisecond;
        ASSERT_EQ(stream.write("go\n", deadline).status, StreamStatus::ok);
        EXPECT_EQ(stream.read_until('\n', deadline).data, "one\n");
        EXPECT_EQ(stream.read_until('\n', deadline).data, "two\n");
        EXPECT_EQ(stream.read_exactly(3, deadline).data, "thr");
        EXPECT_EQ(stream.drain(), "ee");
        EXPECT_EQ(stream.drain(), "");
      });
}

TEST_P(EveryStream, TellsWhatCameBeforeATimeout) {
  use([](Line& line, const std::string&) { line.send("half"); },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        const Instant begin = time.now();
        const StreamResult result = stream.read_until('\n', begin + 100 * kMillisecond);
        EXPECT_EQ(result.status, StreamStatus::timeout);
        EXPECT_EQ(result.data, "half");
        EXPECT_THAT(result.detail, HasSubstr("deadline"));
        EXPECT_GE(time.now() - begin, 100 * kMillisecond);
        EXPECT_LT(time.now() - begin, 400 * kMillisecond);
        EXPECT_EQ(stream.drain(), "") << "it was handed out already";
      });
}

TEST_P(EveryStream, CarriesAllBytes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  use([&](Line& line, const std::string&) { line.send(all); },
      [&](ByteStream& stream, Scheduler& time) {
        const Instant deadline = time.now() + 2000 * kMillisecond;
        stream.write("go\n", deadline);
        EXPECT_EQ(stream.read_exactly(all.size(), deadline).data, all);
      });
}

TEST_P(EveryStream, WaitsForBytesThatComeOneAtATime) {
  use(
      [](Line& line, const std::string&) {
        for (const char c : std::string("12.01\n")) {
          line.send(std::string(1, c));
          line.pause(5ms);
        }
      },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        EXPECT_EQ(stream.read_until('\n', time.now() + 2000 * kMillisecond).data, "12.01\n");
      });
}

TEST_P(EveryStream, ACancelledFiberComesFreeAtOnce) {
  use([](Line&, const std::string&) {},
      [](ByteStream& stream, Scheduler& time) {
        bool returned = false;
        const auto reader = time.spawn("reader", [&] {
          stream.read_until('\n', kNever);
          returned = true;
        });
        time.sleep(20 * kMillisecond);
        const Instant begin = time.now();
        time.cancel(reader);
        EXPECT_TRUE(time.join(reader, begin + 1000 * kMillisecond));
        EXPECT_LT(time.now() - begin, 100 * kMillisecond);
        EXPECT_FALSE(returned);
      });
}

TEST_P(EveryStream, IsUsableAfterACancelledRead) {
  use([](Line& line, const std::string& command) { line.send(command + "!\n"); },
      [](ByteStream& stream, Scheduler& time) {
        const auto reader = time.spawn("reader", [&] { stream.read_until('\n', kNever); });
        time.sleep(10 * kMillisecond);
        time.cancel(reader);
        time.join(reader, kNever);
        stream.write("again\n", kNever);
        EXPECT_EQ(stream.read_until('\n', time.now() + 2000 * kMillisecond).data, "again!\n");
      });
}

TEST_P(EveryStream, MayBeDestroyedWhileAFiberIsOnItsWayOut) {
  FarEnd far(GetParam(), [](Line& line, int) {
    while (line.read_line()) continue;
  });
  BenchPlan bench;
  for (int round = 0; round < 20; ++round) {
    peers::on_wall_clock([&](Scheduler& time) {
      LabProvider provider(time, bench);
      auto stream = provider.open_stream(test::resource_at(far.address()));
      const auto reader = time.spawn("reader", [&] { stream->read_until('\n', time.now() + kMillisecond); });
      if (round % 2 == 0) time.cancel(reader);
      time.join(reader, kNever);
      stream.reset();
    });
  }
}

TEST_P(EveryStream, AFloodNeitherFillsTheMemoryNorStopsTheBench) {
  use(
      [](Line& line, const std::string&) {
        const std::string chunk(64 * 1024, 'x');
        while (line.send(chunk)) continue;
      },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        int ticks = 0;
        const auto ticker = time.spawn("ticker", [&] {
          for (;; ++ticks) time.sleep(kMillisecond);
        });
        const StreamResult result = stream.read_until('\n', time.now() + 3000 * kMillisecond);
        EXPECT_NE(result.status, StreamStatus::ok);
        EXPECT_LE(result.data.size(), std::size_t{2} << 20U);
        EXPECT_THAT(result.detail, testing::AnyOf(HasSubstr("without an end"), HasSubstr("deadline")));
        EXPECT_LE(stream.drain().size(), std::size_t{2} << 20U) << "draining ends, too";
        time.sleep(5 * kMillisecond);
        EXPECT_GT(ticks, 0);
        time.cancel(ticker);
      });
}

TEST_P(EverySocket, SaysWhenTheOtherEndHasGone) {
  use(
      [](Line& line, const std::string&) {
        line.send("last wor");
        line.close();
      },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        const StreamResult result = stream.read_until('\n', time.now() + 2000 * kMillisecond);
        EXPECT_EQ(result.status, StreamStatus::closed);
        EXPECT_EQ(result.data, "last wor");
        EXPECT_EQ(stream.write("hello?\n", kNever).status, StreamStatus::closed);
        EXPECT_EQ(stream.read_until('\n', kNever).status, StreamStatus::closed);
      });
}

TEST_P(EverySocket, AnswersThatCameBeforeTheEndAreRead) {
  use(
      [](Line& line, const std::string&) {
        line.send("one\ntwo\n");
        line.close();
      },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        EXPECT_EQ(stream.read_until('\n', time.now() + 2000 * kMillisecond).data, "one\n");
        time.sleep(20 * kMillisecond);
        EXPECT_EQ(stream.read_until('\n', time.now() + 2000 * kMillisecond).data, "two\n");
        EXPECT_EQ(stream.read_until('\n', kNever).status, StreamStatus::closed);
      });
}

TEST_P(EverySocket, NoticesInDrainThatNobodyIsThere) {
  use([](Line& line, const std::string&) { line.close(); },
      [](ByteStream& stream, Scheduler& time) {
        stream.write("go\n", kNever);
        time.sleep(50 * kMillisecond);
        EXPECT_EQ(stream.drain(), "");
        EXPECT_EQ(stream.write("more\n", kNever).status, StreamStatus::closed);
      });
}

TEST_P(EveryStream, GivesUpWritingToSomeoneWhoDoesNotRead) {
  FarEnd far(GetParam(), [](Line& line, int) { line.pause(5s); });
  test::with_stream(test::resource_at(far.address()), [](ByteStream& stream, Scheduler& time) {
    const Instant begin = time.now();
    const StreamResult result = stream.write(std::string(std::size_t{64} << 20U, 'x'), begin + 200 * kMillisecond);
    EXPECT_EQ(result.status, StreamStatus::timeout);
    EXPECT_THAT(result.detail, HasSubstr("took only"));
    EXPECT_LT(time.now() - begin, 600 * kMillisecond);
  });
}

TEST(ATerminal, LeavesWhatNobodyWaitsForToOthers) {
  // Two processes may have a line open: the run, and whoever makes the bench safe after it.
  FarEnd far(FarEnd::Kind::terminal, [](Line& line, int) {
    while (const auto command = line.read_line()) line.send(*command + "!\n");
  });
  test::with_stream(test::resource_at(far.address()), [&](ByteStream& first, Scheduler& time) {
    first.write("mine\n", kNever);
    EXPECT_EQ(first.read_until('\n', time.now() + 2000 * kMillisecond).data, "mine!\n");
    BenchPlan bench;
    LabProvider provider(time, bench);
    const auto second = provider.open_stream(test::resource_at(far.address()));
    for (int i = 0; i < 20; ++i) {
      second->write("theirs\n", kNever);
      EXPECT_EQ(second->read_until('\n', time.now() + 2000 * kMillisecond).data, "theirs!\n");
    }
    EXPECT_EQ(first.drain(), "");
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryStream,
                         testing::Values(FarEnd::Kind::tcp, FarEnd::Kind::unix_socket, FarEnd::Kind::terminal),
                         name_of_kind);
INSTANTIATE_TEST_SUITE_P(Kinds, EverySocket, testing::Values(FarEnd::Kind::tcp, FarEnd::Kind::unix_socket),
                         name_of_kind);

TEST(Reopening, FindsTheInstrumentAgainWhenItIsBack) {
  FarEnd far(FarEnd::Kind::tcp, [](Line& line, int connection) {
    while (line.read_line()) {
      if (connection == 0) return;
      line.send("back\n");
    }
  });
  test::with_stream(test::resource_at(far.address()), [](ByteStream& stream, Scheduler& time) {
    const Instant deadline = time.now() + 2000 * kMillisecond;
    stream.write("go\n", deadline);
    ASSERT_EQ(stream.read_until('\n', deadline).status, StreamStatus::closed);
    ASSERT_EQ(stream.reopen(deadline).status, StreamStatus::ok);
    stream.write("go\n", deadline);
    EXPECT_EQ(stream.read_until('\n', deadline).data, "back\n");
  });
}

TEST(Reopening, SaysWhyItCannot) {
  FarEnd far(FarEnd::Kind::tcp, [&](Line& line, int) { line.read_line(); });
  test::with_stream(test::resource_at(far.address()), [&](ByteStream& stream, Scheduler& time) {
    const Instant deadline = time.now() + 2000 * kMillisecond;
    far.stop_listening();
    stream.write("go\n", deadline);
    ASSERT_EQ(stream.read_until('\n', deadline).status, StreamStatus::closed);
    time.sleep(50 * kMillisecond);
    const StreamResult result = stream.reopen(deadline);
    EXPECT_EQ(result.status, StreamStatus::closed);
    EXPECT_THAT(result.detail, HasSubstr("refused"));
    EXPECT_EQ(stream.write("go\n", deadline).status, StreamStatus::closed);
  });
}

}  // namespace
}  // namespace firstlight
