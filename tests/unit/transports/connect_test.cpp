// Addresses that lead nowhere, and what is said of them.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "lab/transports/serial_line.h"
#include "lab/transports/socket_connect.h"
#include "tests/instruments/far_end.h"
#include "tests/peers/support/peer_process.h"
#include "tests/unit/transports/stream_fixture.h"

namespace firstlight {
namespace {

using test::failure_to_open;
using test::kMillisecond;
using test::resource_at;
using testing::HasSubstr;

TEST(HostPorts, AreRead) {
  EXPECT_EQ(parse_host_port("psu-3:5025")->host, "psu-3");
  EXPECT_EQ(parse_host_port("psu-3:5025")->port, "5025");
  EXPECT_EQ(parse_host_port("[fe80::1]:5025")->host, "fe80::1");
  for (const char* wrong : {"", "psu-3", ":5025", "psu-3:", "psu-3:0", "psu-3:65536", "psu-3:scpi", "a b:1", "::1:5025",
                            "psu-3:5025/inst0", "[]:1", "psu-3:+1"})
    EXPECT_FALSE(parse_host_port(wrong)) << wrong;
}

TEST(Tcp, ARefusedConnectionIsTold) {
  const std::string address = "tcp://127.0.0.1:" + std::to_string(peers::free_port());
  const auto failure = failure_to_open(resource_at(address));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::infrastructure);
  EXPECT_EQ(failure->symptom, "connect_failed");
  EXPECT_EQ(failure->message, "\"psu0\" at " + address + " cannot be reached: Connection refused");
  EXPECT_THAT(failure->likely_cause, HasSubstr("nothing listens on that port"));
}

TEST(Tcp, AnUnknownNameIsTold) {
  const auto failure = failure_to_open(resource_at("tcp://no-such-psu.invalid:5025"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure->likely_cause, HasSubstr("no-such-psu.invalid"));
}

TEST(Tcp, AnAddressOfAnotherFormIsTheBenchsFault) {
  const auto failure = failure_to_open(resource_at("tcp://psu-3"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::bench);
  EXPECT_THAT(failure->message, HasSubstr("bench.yaml:4"));
  EXPECT_THAT(failure->message, HasSubstr("tcp://HOST:PORT"));
}

/// A listener whose queue is full: the next connection hangs, as to a host that drops packets.
class Deaf {
 public:
  Deaf() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* raw = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(::bind(listener_.get(), raw, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    ::getsockname(listener_.get(), raw, &size);
    for (int i = 0; i < 4; ++i) {
      waiting_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      ::connect(waiting_.back().get(), raw, size);
    }
  }
  HostPort at() const { return {"127.0.0.1", std::to_string(ntohs(address_.sin_port))}; }

 private:
  FileDescriptor listener_;
  sockaddr_in address_{};
  std::vector<FileDescriptor> waiting_;
};

TEST(Tcp, ConnectingEndsAtItsDeadline) {
  const Deaf deaf;
  peers::on_wall_clock([&](Scheduler& time) {
    IoThread io;
    const Instant begin = time.now();
    try {
      connect_tcp({"psu0", "tcp://psu-3:5025"}, deaf.at(), begin + 150 * kMillisecond, time, io);
      ADD_FAILURE() << "it connected";
    } catch (const FailureError& error) {
      EXPECT_THAT(error.failure().message, HasSubstr("no connection within"));
      EXPECT_THAT(error.failure().likely_cause, HasSubstr("off or still booting"));
    }
    EXPECT_LT(time.now() - begin, 500 * kMillisecond);
  });
}

TEST(Tcp, ConnectingIsCancelledAtOnce) {
  const Deaf deaf;
  peers::on_wall_clock([&](Scheduler& time) {
    IoThread io;
    const auto fiber = time.spawn("connect", [&] {
      connect_tcp({"psu0", "tcp://psu-3:5025"}, deaf.at(), kNever - kMillisecond, time, io);
    });
    time.sleep(20 * kMillisecond);
    const Instant begin = time.now();
    time.cancel(fiber);
    EXPECT_TRUE(time.join(fiber, begin + 1000 * kMillisecond));
    EXPECT_LT(time.now() - begin, 100 * kMillisecond);
    EXPECT_FALSE(Scheduler::error(fiber));
  });
}

TEST(UnixSockets, OneThatIsNotThereIsTold) {
  const auto failure = failure_to_open(resource_at("unix:/nowhere/socket"));
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("No such file"));
  const auto long_one = failure_to_open(resource_at("unix:/" + std::string(200, 'x')));
  ASSERT_TRUE(long_one);
  EXPECT_THAT(long_one->message, HasSubstr("name too long"));
}

// ---- serial lines

class SerialNames : public testing::Test {
 protected:
  SerialNames() {
    std::filesystem::create_directories(folder_.path() / "by-id");
    std::ofstream(folder_ / "ttyUSB0") << "";
    std::filesystem::create_symlink("../ttyUSB0", folder_.path() / "by-id" / "usb-FTDI_psu_A1234");
  }
  peers::TemporaryFolder folder_;
};

TEST_F(SerialNames, AreFoundForADevice) {
  EXPECT_THAT(stable_serial_names(folder_ / "ttyUSB0", folder_.path().string()),
              testing::ElementsAre(folder_ / "by-id/usb-FTDI_psu_A1234"));
  EXPECT_THAT(stable_serial_names(folder_ / "ttyUSB1", folder_.path().string()), testing::IsEmpty());
}

TEST_F(SerialNames, ANumberIsRefusedWithTheNameToWrite) {
  const ResourcePlan resource = resource_at("serial:" + folder_ / "ttyUSB0");
  try {
    refuse_numbered_serial(resource, folder_ / "ttyUSB0", folder_.path().string());
    ADD_FAILURE() << "not refused";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().error_class, ErrorClass::bench);
    EXPECT_THAT(error.failure().message, HasSubstr("write serial:" + (folder_ / "by-id/usb-FTDI_psu_A1234")));
  }
  EXPECT_NO_THROW(refuse_numbered_serial(resource, folder_ / "by-id/usb-FTDI_psu_A1234", folder_.path().string()));
  EXPECT_NO_THROW(refuse_numbered_serial(resource, "/dev/ttyS0"));
  EXPECT_NO_THROW(refuse_numbered_serial(resource, "/dev/pts/3"));
}

TEST(SerialLines, AreRefusedByNumberWhenOpened) {
  for (const char* device : {"/dev/ttyUSB0", "/dev/ttyACM12"}) {
    const auto failure = failure_to_open(resource_at(std::string("serial:") + device));
    ASSERT_TRUE(failure) << device;
    EXPECT_EQ(failure->symptom, "numbered_serial");
    EXPECT_THAT(failure->message, HasSubstr("/dev/serial/by-id"));
  }
}

TEST(SerialLines, OneThatIsUnpluggedIsTold) {
  const auto failure = failure_to_open(resource_at("serial:/dev/serial/by-id/usb-nowhere"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure->likely_cause, HasSubstr("not plugged in"));
}

TEST(SerialLines, AFileIsNone) {
  const auto failure = failure_to_open(resource_at("serial:/dev/null"));
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->message, HasSubstr("no serial line"));
}

ResourcePlan with_params(const std::string& address, std::int64_t baud) {
  ResourcePlan resource = resource_at(address);
  resource.params["baud"] = {baud, {}};
  resource.params["parity"] = {std::string("even"), {}};
  resource.params["stop_bits"] = {std::int64_t{2}, {}};
  resource.params["handshake"] = {std::string("rts_cts"), {}};
  return resource;
}

TEST(SerialLines, TakeTheResourcesParameters) {
  instruments::FarEnd far(instruments::FarEnd::Kind::terminal, [](instruments::Line& line, int) { line.read_line(); });
  test::with_stream(with_params(far.address(), 115200), [&](ByteStream&, Scheduler&) {
    const std::string device = far.address().substr(7);
    const auto stty = peers::run_program({"stty", "-F", device, "-a"}, std::chrono::seconds(5));
    EXPECT_THAT(stty.output, HasSubstr("speed 115200 baud"));
    for (const char* set : {" cstopb", " crtscts", " clocal", "-hupcl", "-icanon", "-echo ", "-ixon", "min = 1"})
      EXPECT_THAT(stty.output, HasSubstr(set));
  });
  const auto failure = failure_to_open(with_params(far.address(), 123457));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::bench);
  EXPECT_THAT(failure->message, HasSubstr("123457"));
}

TEST(SerialLines, OneWhoseAdapterGoesIsClosed) {
  auto far = std::make_unique<instruments::FarEnd>(instruments::FarEnd::Kind::terminal,
                                                   [](instruments::Line& line, int) { line.read_line(); });
  const std::string address = far->address();
  test::with_stream(resource_at(address), [&](ByteStream& stream, Scheduler& time) {
    const auto unplug = time.spawn("unplug", [&] {
      time.sleep(30 * kMillisecond);
      far.reset();
    });
    const StreamResult result = stream.read_until('\n', time.now() + 2000 * kMillisecond);
    EXPECT_EQ(result.status, StreamStatus::closed) << result.detail;
    EXPECT_EQ(stream.write("x", kNever).status, StreamStatus::closed);
    EXPECT_NE(stream.reopen(time.now() + 200 * kMillisecond).status, StreamStatus::ok);
    time.join(unplug, kNever);
  });
}

}  // namespace
}  // namespace firstlight
