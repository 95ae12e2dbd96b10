#include "lab/drivers/tern/tern_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {
constexpr double kPollCoreCycles = 2048;
constexpr std::uint32_t kWordBytes = 8;
}  // namespace

TernMemory::TernMemory(std::string name, Registers& registers, BenchTime& time, TernClock clock)
    : name_(std::move(name)),
      registers_(registers),
      time_(time),
      clock_(clock),
      sram_(name_ + " sram", registers),
      scratchpad_(name_ + " tensor engine scratchpad", registers),
      accumulators_(name_ + " tensor engine accumulators", registers) {}

void TernMemory::fill(std::uint32_t value, Instant deadline) {
  registers_.write("sram.fill_data[0]", value);
  registers_.write("sram.fill_data[1]", value);
  registers_.write("sram.irq_status.fill_done", 1);
  registers_.write("sram.fill.start", 1);
  while (registers_.read("sram.status.fill_busy") != 0) {
    if (time_.now() >= deadline) {
      Failure failure;
      failure.error_class = ErrorClass::dut;
      failure.symptom = "fill_timeout";
      failure.message = fmt::format("{}: the fill did not end in time", part());
      failure.part = part();
      failure.sent = "sram.fill.start = 1";
      failure.received = "sram.status.fill_busy = 1";
      failure.likely_cause = "the core clock is much slower than the bench file says, or the fill engine hangs";
      throw FailureError(failure);
    }
    time_.sleep(clock_.core_cycles(kPollCoreCycles));
  }
}

std::uint32_t TernMemory::window(std::uint32_t offset, std::size_t words) const {
  if (offset % 4 != 0 || offset > size() || words * 4 > size() - offset) {
    Failure failure;
    failure.error_class = ErrorClass::sequence;
    failure.symptom = "out_of_range";
    failure.message = fmt::format("{} words at {:#x} are not within the {} bytes of {}, or not aligned to 4", words,
                                  offset, size(), part());
    throw FailureError(failure);
  }
  return registers_.map().find("sram_data[0]").found->address + offset;
}

std::vector<std::uint32_t> TernMemory::read(std::uint32_t offset, std::size_t words) {
  const std::uint32_t base = window(offset, words);
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < words; ++i) out.push_back(registers_.read_at(base + static_cast<std::uint32_t>(4 * i)));
  return out;
}

void TernMemory::write(std::uint32_t offset, const std::vector<std::uint32_t>& words) {
  const std::uint32_t base = window(offset, words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    registers_.write_at(base + static_cast<std::uint32_t>(4 * i), words[i]);
}

EccCounters TernMemory::counters() {
  EccCounters out;
  out.corrected = registers_.read("sram.corrected_count");
  out.uncorrected = registers_.read("sram.uncorrected_count");
  const Fields corrected(registers_, "sram.corrected_first", registers_.read("sram.corrected_first"));
  const Fields uncorrected(registers_, "sram.uncorrected_first", registers_.read("sram.uncorrected_first"));
  if (corrected["valid"] != 0) {
    out.first_corrected = corrected["address"];
    out.syndrome = fmt::format("corrected at {:#06x} for {}, syndrome {:#04x}", corrected["address"],
                               corrected.name("source"), corrected["syndrome"]);
  }
  if (uncorrected["valid"] != 0) {
    out.first_uncorrected = uncorrected["address"];
    out.syndrome += fmt::format("{}uncorrected at {:#06x} for {}, syndrome {:#04x}", out.syndrome.empty() ? "" : "; ",
                                uncorrected["address"], uncorrected.name("source"), uncorrected["syndrome"]);
  }
  return out;
}

void TernMemory::clear_counters() {
  registers_.write("sram.ctrl.clear_counts", 1);
  registers_.write("sram.irq_status", 0xF);
}

void TernMemory::inject_error(std::uint32_t offset, int bits) {
  window(offset, 1);
  const Fields match(registers_, "sram.inject_match");
  const Fields arm(registers_, "sram.inject_arm");
  registers_.write("sram.inject_mask[0]", (1U << static_cast<unsigned>(std::clamp(bits, 0, 32))) - 1U);
  registers_.write("sram.inject_mask[1]", 0);
  registers_.write("sram.inject_check", 0);
  registers_.write("sram.inject_match",
                   match.place("address", offset / kWordBytes * kWordBytes) | match.place("enable", 1));
  registers_.write("sram.inject_arm", arm.place("writes", 1));
}

}  // namespace firstlight::tern
