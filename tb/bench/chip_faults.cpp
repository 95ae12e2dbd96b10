#include "tb/bench/chip_faults.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include "firmware/tern_regs.h"

namespace tb {
namespace {

using firstlight::FaultSpec;

constexpr unsigned kSramBytes = 0x10000;
constexpr unsigned kSramWordBytes = 8;
constexpr unsigned kCodeWordBits = 72;
constexpr unsigned kSumBits = 32;
constexpr unsigned kSlowFactor = 20;
constexpr unsigned kMostLoss = 40;  // dB
constexpr std::uint32_t kExtraDoorbellBit = 1U << 12U;
constexpr double kLateMilliseconds = 20;
constexpr double kLateCompletionMilliseconds = 100;

[[noreturn]] void refuse(std::string_view name, std::string_view value, const std::string& expected) {
  throw std::invalid_argument(fmt::format("fault {}: \"{}\" is not {}", name, value, expected));
}

std::optional<std::uint64_t> whole(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t number(std::string_view name, std::string_view value, std::uint64_t below, const std::string& expected) {
  const auto out = whole(value);
  if (!out || *out >= below) refuse(name, value, expected);
  return *out;
}

/// "A:B" or "A,B".
std::pair<std::uint64_t, std::uint64_t> pair(std::string_view name, std::string_view value, char separator,
                                             const std::string& expected) {
  const auto at = value.find(separator);
  if (at == std::string_view::npos) refuse(name, value, expected);
  const auto first = whole(value.substr(0, at));
  const auto second = whole(value.substr(at + 1));
  if (!first || !second) refuse(name, value, expected);
  return {*first, *second};
}

void lane_dead(const ChipFaultTargets& t, std::string_view value) {
  const auto lane = static_cast<unsigned>(number("lane_dead", value, SerdesChannel::lanes, "a lane, 0 to 3"));
  t.chip.partner().to_chip().set_condition(lane, SerdesChannel::Condition::electrical_idle);
  t.chip.partner().from_chip().set_condition(lane, SerdesChannel::Condition::electrical_idle);
}

void lanes_swapped(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "two different lanes, such as 0,1";
  const auto [a, b] = pair("lanes_swapped", value, ',', expected);
  if (a >= SerdesChannel::lanes || b >= SerdesChannel::lanes || a == b) refuse("lanes_swapped", value, expected);
  std::array<unsigned, SerdesChannel::lanes> wiring = {0, 1, 2, 3};
  std::swap(wiring[a], wiring[b]);
  t.chip.partner().to_chip().set_wiring(wiring);
}

void lanes_reversed(const ChipFaultTargets& t, std::string_view) {
  t.chip.partner().to_chip().set_wiring({3, 2, 1, 0});
}

void lane_inverted(const ChipFaultTargets& t, std::string_view value) {
  t.chip.partner().to_chip().set_inverted(
      static_cast<unsigned>(number("lane_inverted", value, SerdesChannel::lanes, "a lane, 0 to 3")), true);
}

void ber(const ChipFaultTargets& t, std::string_view value) {
  double rate = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rate);
  if (error != std::errc() || end != value.data() + value.size() || !(rate >= 0 && rate <= 0.5))
    refuse("ber", value, "a bit error ratio, 0 to 0.5");
  for (unsigned lane = 0; lane < SerdesChannel::lanes; ++lane) {
    t.chip.partner().to_chip().set_bit_error_rate(lane, rate);
    t.chip.partner().from_chip().set_bit_error_rate(lane, rate);
  }
}

void lane_skew(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected =
      fmt::format("LANE:BITS with a lane of 0 to 3 and at most {} bits", SerdesChannel::max_skew);
  const auto [lane, bits] = pair("lane_skew", value, ':', expected);
  if (lane >= SerdesChannel::lanes || bits > SerdesChannel::max_skew) refuse("lane_skew", value, expected);
  t.chip.partner().to_chip().set_skew(static_cast<unsigned>(lane), static_cast<unsigned>(bits));
}

void lane_lossy(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = fmt::format("LANE:DB with a lane of 0 to 3 and 1 to {} dB", kMostLoss);
  const auto [lane, loss] = pair("lane_lossy", value, ':', expected);
  if (lane >= SerdesChannel::lanes || loss == 0 || loss > kMostLoss) refuse("lane_lossy", value, expected);
  SerdesChannel& channel = t.chip.partner().to_chip();
  Eye eye = channel.eye(static_cast<unsigned>(lane));
  eye.loss_db += static_cast<double>(loss);
  channel.set_eye(static_cast<unsigned>(lane), eye);
}

void sram_bit_stuck(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "ADDRESS:BIT with a byte address below 0x10000 and a code-word bit below 72";
  const auto [address, bit] = pair("sram_bit_stuck", value, ':', expected);
  if (address >= kSramBytes || bit >= kCodeWordBits) refuse("sram_bit_stuck", value, expected);
  t.chip.set_stuck_cell(static_cast<unsigned>(address / kSramWordBytes), static_cast<unsigned>(bit), true);
}

/// "A:B:C".
std::array<unsigned, 3> triple(std::string_view name, std::string_view value, const std::string& expected) {
  std::array<unsigned, 3> out{};
  for (unsigned& part : out) {
    const auto at = value.find(':');
    const bool last = &part == &out.back();
    const auto one = whole(value.substr(0, at));
    if (!one || *one > UINT32_MAX || last != (at == std::string_view::npos)) refuse(name, value, expected);
    part = static_cast<unsigned>(*one);
    if (!last) value.remove_prefix(at + 1);
  }
  return out;
}

void spad_bit_stuck(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected =
      "PARTITION:ADDRESS:BIT with a partition of 0 to 7, a byte address below 0x4000 and a code-word bit below 72";
  const auto [partition, address, bit] = triple("spad_bit_stuck", value, expected);
  if (partition >= TensorFaults::columns || address >= TensorFaults::partition_bytes || bit >= kCodeWordBits)
    refuse("spad_bit_stuck", value, expected);
  t.chip.tensor_faults().set_stuck_cell(partition, address / kSramWordBytes, bit);
}

void pe_bit_flip(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "ROW:COLUMN:BIT with a row and a column of 0 to 7 and a bit of 0 to 31";
  const auto [row, column, bit] = triple("pe_bit_flip", value, expected);
  if (row >= TensorFaults::rows || column >= TensorFaults::columns || bit >= kSumBits)
    refuse("pe_bit_flip", value, expected);
  t.chip.tensor_faults().set_flipped_bit(row, column, bit);
}

void weak_column(const ChipFaultTargets& t, std::string_view value) {
  t.chip.tensor_faults().set_weak_column(
      static_cast<unsigned>(number("weak_column", value, TensorFaults::columns, "a column, 0 to 7")));
}

void sram_double_error(const ChipFaultTargets& t, std::string_view value) {
  t.chip.set_double_error(static_cast<unsigned>(
      number("sram_double_error", value, kSramBytes, "a byte address below 0x10000") / kSramWordBytes));
}

void dma_bus_error(const ChipFaultTargets& t, std::string_view value) {
  t.hbm.set_bus_error(number("dma_bus_error", value, t.hbm.size(), "an offset in external memory"));
}

void hbm_data_error(const ChipFaultTargets& t, std::string_view value) {
  t.hbm.set_data_error(number("hbm_data_error", value, t.hbm.size(), "an offset in external memory"));
}

void hbm_bit_stuck(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "ADDRESS:BIT with an offset in external memory and a bit of 0 to 7";
  const auto [offset, bit] = pair("hbm_bit_stuck", value, ':', expected);
  if (offset >= t.hbm.size() || bit >= 8) refuse("hbm_bit_stuck", value, expected);
  t.hbm.set_stuck_bit(offset, static_cast<unsigned>(bit), true);
}

void hbm_lost_write(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "OFFSET:COUNT with an offset in external memory and a count from 1";
  const auto [offset, count] = pair("hbm_lost_write", value, ':', expected);
  if (offset >= t.hbm.size() || count == 0 || count > UINT32_MAX) refuse("hbm_lost_write", value, expected);
  t.hbm.set_lost_write(offset, static_cast<unsigned>(count));
}

void hbm_lane_narrow(const ChipFaultTargets& t, std::string_view value) {
  const std::string expected = "LANE:TAPS with a byte lane of 0 to 7 and 4 to 63 taps";
  const auto [lane, taps] = pair("hbm_lane_narrow", value, ':', expected);
  if (lane >= MemoryLanes::lanes || taps < 4 || taps >= MemoryLanes::taps) refuse("hbm_lane_narrow", value, expected);
  t.chip.axi().lanes().set_width(static_cast<unsigned>(lane), static_cast<unsigned>(taps));
}

void hbm_lane_dead(const ChipFaultTargets& t, std::string_view value) {
  t.chip.axi().lanes().set_width(
      static_cast<unsigned>(number("hbm_lane_dead", value, MemoryLanes::lanes, "a byte lane, 0 to 7")), 0);
}

void hbm_slow(const ChipFaultTargets& t, std::string_view) {
  MemoryTiming timing = t.hbm.timing();
  timing.latency *= kSlowFactor;
  timing.cycles_per_beat *= kSlowFactor;
  t.hbm.set_timing(timing);
}

struct ChipFault {
  FaultSpec spec;
  std::function<void(const ChipFaultTargets&, std::string_view)> set;
};

std::vector<ChipFault> link_faults() {
  return {
      {{"lane_dead", "link", "A lane is open in both directions: no signal.", "lane 0 to 3", "2", ""}, lane_dead},
      {{"lanes_swapped", "link", "Two lanes towards the chip are swapped.", "two lanes", "0,1", ""}, lanes_swapped},
      {{"lanes_reversed", "link", "The lanes towards the chip arrive in reverse order.", "", "", ""}, lanes_reversed},
      {{"lane_inverted", "link", "The pair of a lane towards the chip is swapped, so its bits arrive inverted.",
        "lane 0 to 3", "1", ""},
       lane_inverted},
      {{"ber", "link", "Random bit errors on every lane, both ways.", "bit error ratio", "1e-6", ""}, ber},
      {{"lane_skew", "link", "A lane towards the chip is late.", "LANE:BITS", "2:40", ""}, lane_skew},
      {{"lane_lossy", "link", "A lane towards the chip has that much more loss: its eye is small.", "LANE:DB", "2:9",
        ""},
       lane_lossy},
      {{"prbs_no_traffic", "link", "The far transmitters send a constant where they should send PRBS.", "", "", ""},
       [](const ChipFaultTargets& t, std::string_view) { t.chip.partner().set_constant_in_prbs(true); }},
      {{"link_partner_absent", "link", "Nothing is plugged in at the far end.", "", "", ""},
       [](const ChipFaultTargets& t, std::string_view) { t.chip.partner().set_absent(true); }},
  };
}

std::vector<ChipFault> memory_faults() {
  return {
      {{"sram_bit_stuck", "memory", "A cell of the SRAM is stuck at one.", "ADDRESS:BIT", "0x1234:5", ""},
       sram_bit_stuck},
      {{"sram_double_error", "memory",
        "Two cells of one word of the SRAM are stuck at one, beyond what SECDED corrects.", "byte address", "0x800",
        ""},
       sram_double_error},
      {{"dma_bus_error", "dma", "External memory answers accesses to one line of 64 bytes with a bus error.",
        "offset in external memory", "0x2040", ""},
       dma_bus_error},
      {{"hbm_data_error", "memory", "Reads of one line of external memory come back with a wrong bit.",
        "offset in external memory", "0x3000", ""},
       hbm_data_error},
      {{"hbm_bit_stuck", "memory", "A cell of external memory is stuck at one.", "ADDRESS:BIT", "0x234:5", ""},
       hbm_bit_stuck},
      {{"hbm_lost_write", "memory", "External memory loses one write of one line of 64 bytes.", "OFFSET:COUNT",
        "0x4840:1", ""},
       hbm_lost_write},
      {{"hbm_lane_narrow", "memory", "The eye of a byte lane of external memory is that narrow, for reads and writes.",
        "LANE:TAPS", "3:5", ""},
       hbm_lane_narrow},
      {{"hbm_lane_dead", "memory", "A byte lane of external memory never arrives right.", "lane 0 to 7", "6", ""},
       hbm_lane_dead},
      {{"dma_stale_descriptor", "dma",
        "Descriptors that the host writes become visible late, whatever barrier it uses.", "", "", ""},
       [](const ChipFaultTargets& t, std::string_view) {
         t.host.set_late_writes({kLateMilliseconds, sc_core::SC_MS});
       }},
      {{"late_completion", "dma", "Completions that the engine writes reach the host's memory late.", "", "", ""},
       [](const ChipFaultTargets& t, std::string_view) {
         t.host.set_late_completions({kLateCompletionMilliseconds, sc_core::SC_MS});
       }},
      {{"host_barrier_lost", "dma", "The host's write barrier does nothing: its writes reach memory in any order.", "",
        "", ""},
       [](const ChipFaultTargets& t, std::string_view) { t.host.set_barrier_lost(); }},
      {{"dma_ring_overrun", "dma", "The doorbell word arrives with an extra bit set: a tail beyond the ring.", "", "",
        ""},
       [](const ChipFaultTargets& t, std::string_view) {
         t.host_word = {true, TERN_DMA0_BASE + TERN_DMA_DOORBELL_OFFSET(0), kExtraDoorbellBit};
       }},
      {{"hbm_slow", "dma", "External memory has 20 times its latency and a 20th of its bandwidth.", "", "", ""},
       hbm_slow},
  };
}

std::vector<ChipFault> tensor_faults() {
  return {
      {{"spad_bit_stuck", "tensor", "A cell of the tensor engine's scratchpad is stuck at one.",
        "PARTITION:ADDRESS:BIT", "3:0x1230:17", ""},
       spad_bit_stuck},
      {{"pe_bit_flip", "tensor", "A PE of the tensor engine's array gives its sums with one bit wrong.",
        "ROW:COLUMN:BIT", "2:5:20", ""},
       pe_bit_flip},
      {{"weak_column", "tensor", "A column of the tensor engine's array gets a bit wrong now and then under load.",
        "column 0 to 7", "3", ""},
       weak_column},
  };
}

const std::vector<ChipFault>& catalogue() {
  static const std::vector<ChipFault> all = [] {
    std::vector<ChipFault> out = link_faults();
    for (ChipFault& fault : tensor_faults()) out.push_back(std::move(fault));
    for (ChipFault& fault : memory_faults()) out.push_back(std::move(fault));
    return out;
  }();
  return all;
}

}  // namespace

const std::vector<FaultSpec>& chip_fault_specs() {
  static const std::vector<FaultSpec> specs = [] {
    std::vector<FaultSpec> out;
    for (const ChipFault& fault : catalogue()) out.push_back(fault.spec);
    return out;
  }();
  return specs;
}

void set_chip_fault(const ChipFaultTargets& targets, std::string_view name, std::string_view value) {
  for (const ChipFault& fault : catalogue()) {
    if (fault.spec.name != name) continue;
    fault.set(targets, value.empty() ? std::string_view(fault.spec.fallback) : value);
    return;
  }
  throw std::invalid_argument(fmt::format("no fault is named \"{}\"", name));
}

}  // namespace tb
