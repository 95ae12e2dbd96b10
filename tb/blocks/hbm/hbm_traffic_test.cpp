// What passes through the controller: the fabric's bursts before and after training, over spare rows, beside the
// engines, and at which cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tb/blocks/hbm/hbm_bench.h"

namespace tb::blocks::hbm {
namespace {

using golden::axi::Response;
using golden::axi::SparseMemory;
using golden::axi::WriteBeat;
using golden::hbm::kRowBytes;
using golden::hbm::kSpares;
using golden::hbm::kWordBytes;

constexpr std::uint64_t kBoundary = 4096;  // that no burst crosses (A3.4.1)

class Traffic : public testing::Test {
 protected:
  void SetUp() override { b.restart(); }
  void TearDown() override { b.expect_clean(); }

  std::vector<std::uint64_t> words(unsigned count) {
    std::vector<std::uint64_t> out(count);
    for (auto& word : out) word = dice.bits();
    return out;
  }

  HbmBench& b = bench();
  Dice dice{seed()};
};

TEST_F(Traffic, OnlyTheHostPassesBeforeTraining) {
  const std::uint64_t beats = b.memory.beats();
  const auto answers = b.read_burst(b.hbm_base() + 0x1000, 20);
  ASSERT_EQ(answers.size(), 20U);
  for (const auto& answer : answers) EXPECT_EQ(answer.resp, Response::slverr);
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x2000, words(7)), Response::slverr);
  EXPECT_EQ(b.memory.beats(), beats) << "nothing reaches the pins";
  EXPECT_EQ(b.read("irq_status.access_refused"), 1U);
  EXPECT_EQ(b.clock.dut().irq_o, 1U);
  const auto data = words(16);
  EXPECT_EQ(b.write_burst(b.host_base() + 0x40, data), Response::okay);
  const auto back = b.read_burst(b.host_base() + 0x40, 16);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(back.at(i).data, data[i]);
  b.train();
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x2000, data), Response::okay);
  const auto again = b.read_burst(b.hbm_base() + 0x2000, 16);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(again.at(i).data, data[i]);
}

TEST_F(Traffic, NothingBehindTheSizeIsReached) {
  b.write("size", 0x10000);
  b.train();
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0xFFF8, words(1)), Response::okay);
  for (const std::uint64_t offset : {0x10000ULL, 0x10400ULL, 0x11000ULL, 0xFFFFF000ULL}) {
    EXPECT_EQ(b.write_burst(b.hbm_base() + offset, words(4)), Response::decerr);
    for (const auto& answer : b.read_burst(b.hbm_base() + offset, 4)) EXPECT_EQ(answer.resp, Response::decerr);
  }
}

TEST_F(Traffic, TheWorstResponseOfTheParts) {
  b.train();
  b.memory.bus_errors = {0x800};
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x7F0, words(4)), Response::slverr);
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x3F0, words(130)), Response::okay);
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x3F0, words(250)), Response::slverr) << "of the third part";
  EXPECT_EQ(b.write_burst(b.hbm_base() + 0x3F0, words(3)), Response::okay) << "it is forgotten";
}

/// Random bursts of all IDs, lengths and regions against a model, with spare rows in use.
class RandomTraffic : public Traffic {
 protected:
  static constexpr std::uint64_t kBytes = 0x8000;  // of each memory
  static constexpr int kRounds = 30;

  void map_spares() {
    b.write("size", kBytes);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < kBytes / kRowBytes; ++row) rows.push_back(row);
    for (unsigned s = 0; s < kSpares; ++s) {
      const std::size_t at = dice.below(static_cast<unsigned>(rows.size()));
      const bool dead = dice.one_in(4);
      b.write(fmt::format("repair[{}]", s), rows[at] * kRowBytes | (dead ? 3U : 1U));
      spares_[s] = {true, dead, rows[at] * kRowBytes};
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  struct Place {
    std::uint64_t address = 0;
    unsigned beats = 0;
  };
  /// Within `page` of 4 KiB.
  Place place(std::uint64_t page) {
    const unsigned first = dice.below(512);
    return {page + first * 8U, 1 + dice.below(std::min(256U, 512 - first))};
  }
  void write(std::uint64_t page, unsigned id) {
    const Place at = place(page);
    std::vector<WriteBeat> beats;
    for (unsigned i = 0; i < at.beats; ++i) {
      beats.push_back({dice.bits(), static_cast<std::uint8_t>(dice.coin() ? 0xFF : dice.bits()), i + 1 == at.beats});
      expected_.write64(at.address + i * 8, beats.back().data, beats.back().strb);
    }
    b.fabric.write({static_cast<std::uint8_t>(id), at.address, static_cast<std::uint8_t>(at.beats - 1)},
                   std::move(beats), 0);
  }
  void read(std::uint64_t page) {
    const Place at = place(page);
    b.fabric.read({static_cast<std::uint8_t>(dice.below(16)), at.address, static_cast<std::uint8_t>(at.beats - 1)}, 0);
  }
  /// Each read saw what the model holds: nothing writes a page that is read in the same round.
  void check_reads() {
    for (const auto& burst : b.fabric.finished_reads) {
      ASSERT_EQ(burst.answers.size(), burst.address.len + 1U);
      for (std::size_t i = 0; i < burst.answers.size(); ++i) {
        ASSERT_EQ(burst.answers[i].data, expected_.read64(burst.address.addr + i * 8))
            << std::hex << burst.address.addr;
        ASSERT_EQ(burst.answers[i].resp, Response::okay);
      }
    }
    for (const auto& burst : b.fabric.finished_writes) ASSERT_EQ(burst.response.resp, Response::okay);
    b.fabric.finished_reads.clear();
    b.fabric.finished_writes.clear();
  }
  std::uint64_t page(unsigned index) const {
    const std::uint64_t pages = kBytes / kBoundary;
    return (index < pages ? b.hbm_base() : b.host_base()) + index % pages * kBoundary;
  }

  golden::hbm::SpareRows spares_{};
  SparseMemory expected_;
};

TEST_F(RandomTraffic, IsWhatTheModelSays) {
  map_spares();
  b.train();
  constexpr unsigned kPages = 2 * kBytes / kBoundary;
  std::size_t bursts = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    b.memory.manners = {1, 1 + dice.below(60), dice.coin() ? 1.0 : 0.6, dice.coin() ? 1.0 : 0.6, dice.coin(), false};
    b.fabric.eager = dice.coin() ? 1.0 : 0.6;
    std::vector<bool> written(kPages, false);
    for (int n = 0; n < 24; ++n) {
      const unsigned at = dice.below(kPages);
      // One ID a page, so that the writes of a page stay in order.
      if (n < 12) {
        write(page(at), at);
        written[at] = true;
      } else if (!written[at]) {
        read(page(at));
      } else {
        continue;
      }
      ++bursts;
    }
    b.wait_fabric();
    check_reads();
    if (HasFatalFailure()) return;
  }
  // Where it lies: behind the map of spare rows.
  for (std::uint64_t offset = 0; offset < kBytes; offset += 8) {
    const std::uint32_t at = golden::hbm::mapped(spares_, kBytes, static_cast<std::uint32_t>(offset));
    ASSERT_EQ(b.memory.dram.read(at / kWordBytes), expected_.read64(b.hbm_base() + offset)) << std::hex << offset;
  }
  EXPECT_GT(bursts, 400U);
}

TEST_F(RandomTraffic, HostTrafficGoesOnBesideTheEngines) {
  b.train();
  b.write("bist_ctrl.tests", 0x1F);
  b.memory.manners.most_latency = 20;
  constexpr unsigned kHostPages = kBytes / kBoundary;
  unsigned rounds = 0;
  for (const char* engine : {"bist", "train", "probe", "bist"}) {
    b.command(engine);
    while (b.read("status.busy") != 0) {
      for (unsigned n = 0; n < 4; ++n) write(b.host_base() + n * kBoundary, n);
      for (unsigned n = 4; n < kHostPages; ++n) read(b.host_base() + n * kBoundary);
      b.wait_fabric();
      check_reads();
      ++rounds;
    }
  }
  EXPECT_GT(rounds, 20U);
  EXPECT_EQ(b.read("status.ready"), 1U) << "the engines were not disturbed";
}

TEST_F(RandomTraffic, AnEngineWaitsForWhatIsUnderWayAndRefusesWhatFollows) {
  b.train();
  b.memory.manners.least_latency = b.memory.manners.most_latency = 100;
  unsigned refused = 0;
  unsigned passed = 0;
  for (int round = 0; round < 10; ++round) {
    for (unsigned n = 0; n < 6; ++n) {
      write(b.hbm_base() + n * kBoundary, n);
      read(b.host_base() + n * kBoundary);
    }
    b.clock.cycle(dice.below(400));
    b.run(round % 2 == 0 ? "probe" : "train");
    b.wait_fabric();
    for (const auto& burst : b.fabric.finished_writes) {
      ASSERT_TRUE(burst.response.resp == Response::okay || burst.response.resp == Response::slverr);
      ++(burst.response.resp == Response::okay ? passed : refused);
    }
    for (const auto& burst : b.fabric.finished_reads)
      for (const auto& answer : burst.answers) ASSERT_EQ(answer.resp, Response::okay) << "the host always passes";
    b.fabric.finished_reads.clear();
    b.fabric.finished_writes.clear();
    EXPECT_EQ(b.read("status.trained"), 1U);
  }
  EXPECT_GT(passed, 0U) << "what was under way when the engine was asked for";
  EXPECT_GT(refused, 0U) << "what came while it worked";
}

/// Cycles for reads, or writes, of 128 bytes each, back to back.
std::uint64_t stream(HbmBench& b, bool write, unsigned bursts) {
  constexpr unsigned kBeats = 16;
  for (unsigned n = 0; n < bursts; ++n) {
    const golden::axi::Address address{static_cast<std::uint8_t>(n % 16), b.hbm_base() + n * kBeats * 8, kBeats - 1};
    if (!write) {
      b.fabric.read(address, 0);
    } else {
      std::vector<WriteBeat> beats;
      for (unsigned i = 0; i < kBeats; ++i) beats.push_back({i, 0xFF, i + 1 == kBeats});
      b.fabric.write(address, std::move(beats), 0);
    }
  }
  const std::uint64_t begin = b.clock.cycles();
  b.wait_fabric();
  return b.clock.cycles() - begin;
}

/// When each channel first showed something, at the fabric's side and at the pins.
class FirstShown : public Agent {
 public:
  explicit FirstShown(const Vhbm_bench_top& dut) : dut_(dut) {}
  void sample() override {
    ++now_;
    const bool valid[] = {dut_.up_ar_valid != 0, dut_.mem_ar_valid != 0, dut_.up_aw_valid != 0, dut_.mem_aw_valid != 0,
                          dut_.up_w_valid != 0,  dut_.mem_w_valid != 0,  dut_.mem_r_valid != 0, dut_.up_r_valid != 0,
                          dut_.mem_b_valid != 0, dut_.up_b_valid != 0};
    for (std::size_t i = 0; i < first_.size(); ++i)
      if (valid[i] && first_[i] == 0) first_[i] = now_;
  }
  void drive() override {}

  std::uint64_t read_address() const { return first_[1] - first_[0]; }
  std::uint64_t write_address() const { return first_[3] - first_[2]; }
  std::uint64_t write_data() const { return first_[5] - first_[4]; }
  std::uint64_t read_data() const { return first_[7] - first_[6]; }
  std::uint64_t write_response() const { return first_[9] - first_[8]; }

 private:
  const Vhbm_bench_top& dut_;
  std::uint64_t now_ = 0;
  std::array<std::uint64_t, 10> first_{};
};

TEST_F(Traffic, PassesInTheCyclesThatItIsSaidTo) {
  b.train();
  FirstShown shown(b.clock.dut());
  b.clock.add(shown);
  b.write_burst(b.hbm_base() + 0x100, words(1));
  b.read_burst(b.hbm_base() + 0x100, 1);
  b.clock.clear_agents();
  b.clock.add(b.registers);
  b.clock.add(b.fabric);
  b.clock.add(b.memory);
  EXPECT_EQ(shown.read_address(), 2U);
  EXPECT_EQ(shown.write_address(), 2U);
  EXPECT_EQ(shown.write_data(), 3U) << "data follow their address";
  EXPECT_EQ(shown.read_data(), 1U);
  EXPECT_EQ(shown.write_response(), 1U);
}

TEST_F(Traffic, CostsAFewCyclesAndNoBandwidth) {
  b.train();
  b.memory.manners.least_latency = b.memory.manners.most_latency = 40;
  const std::uint64_t one_read = stream(b, false, 1);
  const std::uint64_t one_write = stream(b, true, 1);
  const std::uint64_t reads = stream(b, false, 257);
  const std::uint64_t writes = stream(b, true, 257);
  RecordProperty("read_latency", static_cast<int>(one_read));
  RecordProperty("write_latency", static_cast<int>(one_write));
  std::cout << "one read " << one_read << ", one write " << one_write << ", 256 more: reads " << reads - one_read
            << ", writes " << writes - one_write << " cycles for 4096 beats\n";
  EXPECT_EQ(reads - one_read, 4096U) << "a beat each cycle";
  EXPECT_EQ(writes - one_write, 4096U);
}

}  // namespace
}  // namespace tb::blocks::hbm
