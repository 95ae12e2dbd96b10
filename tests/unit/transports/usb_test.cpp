// USB instruments are found by what sysfs says of them; messages become lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "lab/transports/message_stream.h"
#include "lab/transports/usbtmc_device.h"
#include "tests/peers/support/peer_process.h"
#include "tests/unit/transports/stream_fixture.h"

namespace firstlight {
namespace {

namespace fs = std::filesystem;
using test::kMillisecond;
using testing::HasSubstr;

class FakeSysfs {
 public:
  /// As the kernel has it: the class folder links to the node's folder, whose `device` links to the USB interface.
  void add(const std::string& node, const std::string& vendor, const std::string& product, const std::string& serial) {
    const fs::path device = folder_.path() / "devices" / ("usb-" + node);
    const fs::path interface = device / "1-1:1.0";
    const fs::path entry = interface / "usbmisc" / node;
    fs::create_directories(entry);
    std::ofstream(device / "idVendor") << vendor << "\n";
    std::ofstream(device / "idProduct") << product << "\n";
    std::ofstream(device / "serial") << serial << "\n";
    fs::create_directory_symlink(interface, entry / "device");
    fs::create_directories(folder_.path() / "class" / "usbmisc");
    fs::create_directory_symlink(entry, folder_.path() / "class" / "usbmisc" / node);
  }
  std::string path() const { return folder_.path().string(); }

 private:
  peers::TemporaryFolder folder_;
};

TEST(UsbInstruments, AreFoundInSysfs) {
  FakeSysfs sysfs;
  sysfs.add("usbtmc1", "0957", "1755", "MY4401");
  sysfs.add("usbtmc0", "1ab1", "0e11", "DP8A1234");
  sysfs.add("lp0", "03f0", "1234", "PRINTER");
  const auto found = usb_instruments(sysfs.path());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].node, "/dev/usbtmc0");
  EXPECT_EQ(found[0].address(), "usbtmc:1ab1:0e11:DP8A1234");
  EXPECT_EQ(found[1].address(), "usbtmc:0957:1755:MY4401");
  EXPECT_TRUE(usb_instruments("/nowhere").empty());
}

TEST(UsbInstruments, HaveAddresses) {
  const auto plain = parse_usb_address("1ab1:0e11:DP8A1234");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->vendor, "1ab1");
  EXPECT_EQ(plain->serial, "DP8A1234");
  EXPECT_EQ(parse_usb_address("0x1AB1:0xe11:A:B")->product, "0e11");
  EXPECT_EQ(parse_usb_address("0x1AB1:0xe11:A:B")->serial, "A:B");
  EXPECT_EQ(parse_usb_address("1ab1:0e11:")->serial, "");
  for (const char* wrong : {"", "1ab1", "1ab1:0e11", "psu:0e11:X", "1ab11:0e11:X", ":0e11:X"})
    EXPECT_FALSE(parse_usb_address(wrong)) << wrong;
}

TEST(UsbInstruments, ThatAreNotThereAreTold) {
  const auto failure = test::failure_to_open(test::resource_at("usbtmc:dead:beef:NONE"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::infrastructure);
  EXPECT_THAT(failure->message, HasSubstr("not at this machine"));
  const auto wrong = test::failure_to_open(test::resource_at("usbtmc:psu"));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->error_class, ErrorClass::bench);
}

/// Answers from a list; without one it blocks until its limit, or until it is interrupted.
class FakeDevice final : public MessageDevice {
 public:
  std::deque<std::string> messages;
  std::vector<std::string> sent;
  std::chrono::milliseconds extra{0};  // that it blocks longer than it was told to
  bool interrupted = false;

  StreamResult send(const std::string& message, Limit) override {
    sent.push_back(message);
    return {};
  }
  StreamResult receive(Limit limit) override {
    std::unique_lock lock(mutex_);
    if (!messages.empty()) {
      std::string first = messages.front();
      messages.pop_front();
      return {StreamStatus::ok, first, {}};
    }
    changed_.wait_for(lock, limit + extra, [this] { return interrupted; });
    return {StreamStatus::timeout, {}, "no message"};
  }
  void interrupt() override {
    const std::lock_guard lock(mutex_);
    interrupted = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

class Messages : public testing::Test {
 protected:
  void use(const std::function<void(ByteStream&, Scheduler&)>& body) {
    peers::on_wall_clock([&](Scheduler& time) {
      MessageStream stream("usbtmc:1:2:3", device, time);
      body(stream, time);
    });
  }
  std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
};

TEST_F(Messages, EndLines) {
  device->messages = {"12.01\n", "no line feed", "#15ab\ncd\n"};
  use([&](ByteStream& stream, Scheduler& time) {
    const Instant deadline = time.now() + 1000 * kMillisecond;
    EXPECT_EQ(stream.write("MEAS?\n", deadline).status, StreamStatus::ok);
    EXPECT_EQ(device->sent.at(0), "MEAS?\n");
    EXPECT_EQ(stream.read_until('\n', deadline).data, "12.01\n");
    EXPECT_EQ(stream.read_until('\n', deadline).data, "no line feed\n");
    EXPECT_EQ(stream.read_exactly(3, deadline).data, "#15");
    EXPECT_EQ(stream.read_exactly(5, deadline).data, "ab\ncd");
    EXPECT_EQ(stream.drain(), "\n");
  });
}

TEST_F(Messages, EndInTimeEvenWhenTheDeviceDoesNot) {
  device->extra = std::chrono::seconds(5);
  use([&](ByteStream& stream, Scheduler& time) {
    const Instant begin = time.now();
    EXPECT_EQ(stream.read_until('\n', begin + 100 * kMillisecond).status, StreamStatus::timeout);
    EXPECT_LT(time.now() - begin, 600 * kMillisecond);
  });
  EXPECT_TRUE(device->interrupted);
}

TEST_F(Messages, ACancelledFiberComesFreeAtOnceAndTheDeviceIsInterrupted) {
  use([&](ByteStream& stream, Scheduler& time) {
    const auto reader = time.spawn("reader", [&] { stream.read_until('\n', time.now() + 5000 * kMillisecond); });
    time.sleep(30 * kMillisecond);
    const Instant begin = time.now();
    time.cancel(reader);
    EXPECT_TRUE(time.join(reader, begin + 1000 * kMillisecond));
    EXPECT_LT(time.now() - begin, 100 * kMillisecond);
  });
  EXPECT_TRUE(device->interrupted);
}

}  // namespace
}  // namespace firstlight
