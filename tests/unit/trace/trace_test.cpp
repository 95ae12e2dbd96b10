// What is written comes back the same, also after a kill and on a disk that is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "lab/core/failure.h"
#include "lab/trace/recording_provider.h"
#include "lab/trace/trace_reader.h"
#include "lab/trace/trace_writer.h"

namespace firstlight::trace {
namespace {

using testing::HasSubstr;

class Trace : public testing::Test {
 protected:
  Trace() {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-trace-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~Trace() override { std::filesystem::remove_all(folder_); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  std::string content(const std::string& file) const {
    std::ifstream in(folder_ + "/" + file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  void append(const std::string& text) const { std::ofstream(folder_ + "/bus.jsonl", std::ios::app) << text; }

  std::string folder_;
};

Transaction transaction(std::uint64_t number, Access access) {
  Transaction out;
  out.number = number;
  out.start = Instant(Duration(1'000'000'007 * static_cast<std::int64_t>(number)));
  out.took = Duration(12'345);
  out.allowed = std::chrono::milliseconds(500);
  out.by = "power/core_on \"quoted\" \\ \n";
  out.resource = "i2c0";
  out.access = std::move(access);
  return out;
}

/// One of every kind, with answers that need care: bytes above 0x7f, control characters, an error, nothing at all.
std::vector<Access> one_of_each() {
  std::vector<std::uint8_t> long_one(1000);
  for (std::size_t i = 0; i < long_one.size(); ++i) long_one[i] = static_cast<std::uint8_t>(i * 7);
  I2cMessage read = I2cMessage::reading(3);
  read.pec = true;
  return {
      Open{Kind::dma_memory, 0x0200000000, 0x1000000},
      I2cTransfer{0x40, {I2cMessage::writing({0x8b}), read}, {I2cStatus::ok, {0x00, 0xff, 0x8c}, 1, ""}},
      I2cTransfer{0x44,
                  {I2cMessage::writing({0x9a}), I2cMessage::reading_block(32, 1)},
                  {I2cStatus::address_nack, {}, 0, "no part"}},
      I2cRecovery{true},
      RegisterRead{0x010084, {BusStatus::slave_error, 0xdeadbeef, "SLVERR"}},
      RegisterWrite{0x010084, 0xffffffff, {}},
      MemoryRead{0x2000, {1, 2, 3}},
      MemoryRead{0x2000, long_one},
      MemoryWrite{0x4000, long_one},
      MemoryBarrier{},
      StreamWrite{"MEAS:VOLT? (@1)\n", {}},
      StreamRead{'\n', 0, {StreamStatus::timeout, std::string("half\x00 an\xff\xc3\xa4 answer", 17), "late"}},
      StreamRead{std::nullopt, 12, {StreamStatus::ok, "#14\r\n\"\\", ""}},
      StreamDrain{"old\n"},
      StreamReopen{{StreamStatus::closed, "", "gone"}},
      LineGet{"leak_n", true, ""},
      LineGet{"leak_n", std::nullopt, "no such line"},
      LineSet{"por_n", false, true, ""},
      HwmonRead{"temp1_input", {HwmonStatus::ok, -12'345, ""}},
      IpmiCommand{4, 0x2d, {0x01}, {IpmiStatus::ok, 0xc3, {0x20, 0xc0}, ""}},
      HttpRequest{"PATCH", "/redfish/v1", R"({"a":1})", {HttpStatus::ok, 204, "", ""}},
      ModbusRead{1, ModbusTable::input_registers, 100, 2, {ModbusStatus::exception, {1, 65535}, 2, "busy"}},
      ModbusWrite{247, ModbusTable::coils, 0, {0, 1}, {}},
  };
}

/// Equal lines are equal transactions: the writer writes all there is of one.
std::string lines_of(const std::string& folder, const std::vector<Transaction>& transactions) {
  std::filesystem::create_directories(folder);
  {
    TraceWriter writer(folder);
    for (const auto& one : transactions) writer.write(one);
  }
  std::ifstream in(folder + "/bus.jsonl");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST_F(Trace, ComesBackAsItWasWritten) {
  std::vector<Transaction> all;
  for (auto& access : one_of_each()) all.push_back(transaction(all.size(), std::move(access)));
  all.front().allowed.reset();
  all.back().cut_off = true;
  const std::string first = lines_of(folder_ + "/a", all);
  const auto read = read_trace(folder_ + "/a");
  ASSERT_EQ(read.transactions.size(), all.size());
  EXPECT_EQ(read.unreadable_lines, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(read.transactions[i].access.index(), all[i].access.index()) << i;
    EXPECT_EQ(read.transactions[i].start, all[i].start);
    EXPECT_EQ(read.transactions[i].by, all[i].by);
  }
  EXPECT_EQ(lines_of(folder_ + "/b", read.transactions), first);
  const auto& late = std::get<StreamRead>(read.transactions[11].access);
  EXPECT_EQ(late.result.data, std::string("half\x00 an\xff\xc3\xa4 answer", 17));
  EXPECT_EQ(std::get<MemoryWrite>(read.transactions[8].access).bytes, std::get<MemoryWrite>(all[8].access).bytes);
}

TEST_F(Trace, KeepsEqualPayloadsOnce) {
  TraceWriter writer(folder_);
  const std::vector<std::uint8_t> payload(4096, 0xa5);
  for (std::uint64_t i = 0; i < 50; ++i) writer.write(transaction(i, MemoryRead{0, payload}));
  writer.write(transaction(50, MemoryRead{0, std::vector<std::uint8_t>(4096, 0x5a)}));
  EXPECT_EQ(std::filesystem::file_size(folder_ + "/bus.bin"), 2 * payload.size());
}

TEST_F(Trace, StandsInTheOrderOfTheStarts) {
  TraceWriter writer(folder_);
  writer.write(transaction(1, MemoryBarrier{}));
  writer.write(transaction(0, LineGet{"leak_n", true, ""}));
  const auto read = read_trace(folder_);
  EXPECT_EQ(read.transactions[0].number, 0U);
  EXPECT_EQ(read.transactions[1].number, 1U);
}

TEST_F(Trace, ToleratesALastLineThatAKillCutShort) {
  {
    TraceWriter writer(folder_);
    writer.write(transaction(0, MemoryBarrier{}));
  }
  append(R"({"n":1,"t":5,"d":0,"by":"x","on":"i2c0","op":"i2)");
  const auto read = read_trace(folder_);
  EXPECT_EQ(read.transactions.size(), 1U);
  EXPECT_EQ(read.unreadable_lines, 1);
}

TEST_F(Trace, RefusesADamagedMiddle) {
  {
    TraceWriter writer(folder_);
    writer.write(transaction(0, MemoryBarrier{}));
  }
  append("{\"n\":1,\"t\":5,\"d\":0,\"by\":\"x\",\"on\":\"i2c0\",\"op\":\"teleport\"}\n{}\n");
  try {
    read_trace(folder_);
    FAIL() << "it was taken";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.failure().message, HasSubstr("bus.jsonl:2: "));
    EXPECT_THAT(error.failure().message, HasSubstr("teleport"));
  }
}

TEST_F(Trace, SaysWhenThereIsNone) { EXPECT_THROW(read_trace(folder_), FailureError); }

TEST_F(Trace, EndsOnAFullDiskWithoutThrowing) {
  TraceWriter writer(folder_);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_NO_THROW(writer.write(transaction(i, MemoryBarrier{})));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(writer.trouble(), HasSubstr("bus.jsonl"));
  const std::size_t size = content("bus.jsonl").size();
  writer.write(transaction(100, MemoryBarrier{}));
  EXPECT_EQ(content("bus.jsonl").size(), size) << "a trace with a hole would replay wrongly";
}

// ---- the decorator

class StoppedClock final : public BenchTime {
 public:
  Instant now() const override { return now_; }
  void sleep_until(Instant when) override { now_ = when; }
  std::unique_ptr<Event> make_event() override { return nullptr; }
  bool wait(Event&, Instant) override { return false; }
  void offload(const std::function<void()>& work) override { work(); }
  void post(std::function<void()> action) override { action(); }

 private:
  Instant now_{};
};

class CancelledRegisters final : public RegisterBus {
 public:
  explicit CancelledRegisters(BenchTime& time) : time_(time) {}
  BusResult read(std::uint64_t, Instant) override {
    time_.sleep(std::chrono::microseconds(3));
    throw Cancelled{};
  }
  BusResult write(std::uint64_t, std::uint32_t, Instant) override { return {}; }
  std::string name() const override { return "fake"; }

 private:
  BenchTime& time_;
};

class FakeProvider final : public TransportProvider {
 public:
  explicit FakeProvider(BenchTime& time) : time_(time) {}
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan&) override {
    return std::make_unique<CancelledRegisters>(time_);
  }

 private:
  BenchTime& time_;
};

TEST_F(Trace, HoldsWhatWasCutOff) {
  StoppedClock clock;
  FakeProvider inner(clock);
  TraceWriter writer(folder_);
  RecordingProvider provider(inner, clock, writer, [] { return std::string("link/train"); });
  ResourcePlan resource;
  resource.name = "regs0";
  const auto bus = provider.open_registers(resource);
  EXPECT_THROW(bus->read(0x10, clock.now() + std::chrono::seconds(1)), Cancelled);
  bus->write(0x14, 7, kNever);
  const auto read = read_trace(folder_).transactions;
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(std::get<Open>(read[0].access).kind, Kind::registers);
  EXPECT_TRUE(read[1].cut_off);
  EXPECT_EQ(read[1].took, Duration(3'000'000));
  EXPECT_EQ(read[1].allowed, Duration(1'000'000'000'000));
  EXPECT_EQ(read[1].by, "link/train");
  EXPECT_EQ(read[1].resource, "regs0");
  EXPECT_FALSE(read[2].cut_off);
  EXPECT_EQ(read[2].allowed, std::nullopt);
  EXPECT_EQ(std::get<RegisterWrite>(read[2].access).value, 7U);
}

TEST_F(Trace, LetsARefusalThrough) {
  StoppedClock clock;
  FakeProvider inner(clock);
  TraceWriter writer(folder_);
  RecordingProvider provider(inner, clock, writer, [] { return std::string(); });
  EXPECT_THROW(provider.open_gpio({}), FailureError);
}

}  // namespace
}  // namespace firstlight::trace
