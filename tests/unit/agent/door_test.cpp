// Who comes to the agent's door without the token, or with what is no message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "lab/transports/agent/protocol.h"
#include "tests/unit/agent/agent_fixture.h"

namespace firstlight::agent::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A client that knows nothing of frames. Blocking: used by `offload`.
class Raw {
 public:
  explicit Raw(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const timeval limit{3, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  ~Raw() { ::close(socket_); }

  void send(const std::string& bytes) const { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  /// All that comes until the agent closes; "still open" when it does not.
  std::string rest() const {
    std::string all;
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == ECONNRESET) return all;
      if (count < 0) return "still open";
      if (count == 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
  std::optional<json> message() const {
    std::array<std::uint8_t, kLengthBytes> length{};
    if (::recv(socket_, length.data(), length.size(), MSG_WAITALL) != static_cast<ssize_t>(length.size())) return {};
    std::string content(length_of(length.data()), '\0');
    if (::recv(socket_, content.data(), content.size(), MSG_WAITALL) != static_cast<ssize_t>(content.size())) return {};
    return message_of(content);
  }
  bool connected() const { return connected_; }

 private:
  int socket_ = -1;
  bool connected_ = false;
};

/// What the agent does with a client that acts like this.
void at_the_door(const std::function<void(Raw&)>& act) {
  peers::on_wall_clock([&](Scheduler& scheduler) {
    Desk desk(scheduler);
    scheduler.offload([&] {
      Raw raw(desk.server->endpoint().path);
      ASSERT_TRUE(raw.connected());
      act(raw);
    });
    // Whatever came, others are served.
    EXPECT_NE(desk.provider->open_i2c(resource("i2c0", "i2c", "agent:host0/i2c0")), nullptr);
  });
}

std::string hello(const std::string& token) { return frame_of({{"firstlight_agent", kVersion}, {"token", token}}); }
const json kRead = {{"id", 1}, {"op", "reg.read"}, {"of", "bar0"}, {"address", 1}};

TEST(AgentDoor, AnswersNothingWithoutTheToken) {
  at_the_door([](Raw& raw) {
    const auto start = std::chrono::steady_clock::now();
    raw.send(hello("0123456789abcdef-wrong") + frame_of(kRead));
    const std::string said = raw.rest();
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(250)) << "guessing is slow";
    EXPECT_EQ(said, frame_of({{"refused", "wrong token"}}));
  });
}

TEST(AgentDoor, AnswersNothingBeforeTheToken) {
  at_the_door([](Raw& raw) {
    raw.send(frame_of(kRead) + hello(kToken));
    EXPECT_EQ(raw.rest(), frame_of({{"refused", "this is a firstlight agent"}}));
  });
}

TEST(AgentDoor, ClosesOnAnotherProtocol) {
  // "GET " as a length is far beyond what a hello may have.
  at_the_door([](Raw& raw) {
    raw.send("GET / HTTP/1.1\r\nHost: dut-3\r\n\r\n");
    EXPECT_EQ(raw.rest(), "");
  });
  at_the_door([](Raw& raw) {
    raw.send(std::string("\0\0\0\4\xc1\xc1\xc1\xc1", 8));
    EXPECT_THAT(raw.rest(), HasSubstr("refused"));
  });
}

TEST(AgentDoor, TellsAnotherVersion) {
  at_the_door([](Raw& raw) {
    raw.send(frame_of({{"firstlight_agent", 99}, {"token", kToken}}));
    EXPECT_THAT(raw.rest(), HasSubstr("this agent speaks version 1"));
  });
}

TEST(AgentDoor, RefusesRequestsThatMakeNoSense) {
  at_the_door([](Raw& raw) {
    raw.send(hello(kToken));
    EXPECT_EQ(raw.message()->value("firstlight_agent", 0), kVersion);
    const auto why = [&](const json& request) {
      raw.send(frame_of(request));
      const auto answer = raw.message();
      return answer ? answer->value("refused", "not refused") : std::string("closed");
    };
    EXPECT_THAT(why({{"id", 2}, {"op", "reg.fly"}, {"of", "bar0"}}), HasSubstr("no operation \"reg.fly\""));
    EXPECT_THAT(why({{"id", 3}, {"op", 7}}), HasSubstr("\"op\" of the request is not of its type"));
    EXPECT_THAT(why({{"id", 4}, {"op", "reg.read"}, {"of", "bar0"}, {"address", 0}}), HasSubstr("has not been opened"));
    EXPECT_THAT(why({{"id", 5}, {"op", "open"}, {"of", "mem0"}, {"type", "dma_memory"}}), HasSubstr("not refused"));
    EXPECT_THAT(why({{"id", 6}, {"op", "mem.read"}, {"of", "mem0"}, {"offset", 0}, {"count", 99999999}}),
                HasSubstr("at most"));
    EXPECT_THAT(why({{"id", 7}, {"op", "mem.read"}, {"of", "mem0"}, {"offset", ~std::uint64_t{0}}, {"count", 2}}),
                HasSubstr("beyond"));
    EXPECT_THAT(why({{"id", 8}, {"op", "mem.read"}, {"of", "mem0"}, {"offset", -1}, {"count", 2}}),
                Not(HasSubstr("not refused")));
    EXPECT_THAT(why({{"id", 9}, {"op", "open"}, {"of", "i2c0"}, {"type", "i2c"}}), HasSubstr("not refused"));
    EXPECT_THAT(
        why({{"id", 10}, {"op", "i2c.transfer"}, {"of", "i2c0"}, {"address", 300}, {"messages", json::array()}}),
        HasSubstr("7 bits"));
    EXPECT_THAT(why({{"id", 11}, {"op", "i2c.transfer"}, {"of", "i2c0"}, {"address", 1}, {"messages", {{1, 2}}}}),
                HasSubstr("a message of an I2C transfer is"));
  });
}

TEST(AgentDoor, ClosesOnWhatIsNoMessageAtAll) {
  at_the_door([](Raw& raw) {
    raw.send(hello(kToken));
    EXPECT_TRUE(raw.message());
    raw.send(frame_of({{"op", "reg.read"}}));  // no id
    EXPECT_EQ(raw.rest(), "");
  });
  at_the_door([](Raw& raw) {
    raw.send(hello(kToken));
    EXPECT_TRUE(raw.message());
    raw.send(std::string("\x7f\xff\xff\xff", 4));
    EXPECT_EQ(raw.rest(), "");
  });
}

TEST(AgentDoor, IsClosedToATokenThatChanged) {
  peers::on_wall_clock([&](Scheduler& scheduler) {
    Desk desk(scheduler);
    desk.write_token("0123456789abcdef-other");
    const Failure failure = failure_of([&] { desk.provider->open_i2c(resource("i2c0", "i2c", "agent:host0/i2c0")); });
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
    EXPECT_EQ(failure.symptom, "agent_refused");
    EXPECT_THAT(failure.message, AllOf(HasSubstr("agent \"host0\""), HasSubstr("wrong token")));
    EXPECT_THAT(failure.message, Not(HasSubstr("0123456789abcdef")));
    desk.server.reset();
    desk.write_token(kToken);
    EXPECT_EQ(failure_of([&] { desk.provider->open_i2c(resource("i2c0", "i2c", "agent:host0/i2c0")); }).symptom,
              "agent_unreachable");
  });
}

}  // namespace
}  // namespace firstlight::agent::testing
