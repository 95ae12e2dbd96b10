#include "tb/blocks/link/flit_bench.h"

#include <algorithm>

#include "tb/blocks/link/one_bench.h"

namespace tb::blocks::link {

namespace {

/// splitmix64's finaliser.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

std::uint64_t key(std::uint64_t seed, unsigned traffic, std::uint32_t serial, unsigned index) {
  return mix((seed << 40U) ^ (std::uint64_t{traffic} << 38U) ^ (std::uint64_t{index} << 32U) ^ serial);
}

// Packets of docs/link.md: a request is a read or a write, with or without strobes.
constexpr std::uint64_t kind_write = 1;
constexpr std::uint64_t kind_read = 2;
constexpr std::uint64_t kind_write_response = 3;
constexpr std::uint64_t kind_read_response = 4;

std::uint64_t head(std::uint64_t seed, unsigned traffic, std::uint32_t serial) {
  const std::uint64_t random = key(seed, traffic, serial, 63);
  const std::uint64_t beats = (random & 0xFU) << 4U;
  const std::uint64_t number = std::uint64_t{serial} << 32U;
  if (traffic == 2) return number | kind_write_response;
  if (traffic == 1) return number | beats | kind_read_response;
  if (random & 0x10U) return number | beats | kind_read;
  return number | (random & 0x20U ? 0x100U : 0U) | beats | kind_write;
}

}  // namespace

std::uint64_t flit_data(std::uint64_t seed, unsigned traffic, std::uint32_t serial, unsigned index) {
  return index == 0 ? head(seed, traffic, serial) : key(seed, traffic, serial, index);
}

unsigned flit_count(std::uint64_t seed, unsigned traffic, std::uint32_t serial) {
  const std::uint64_t h = head(seed, traffic, serial);
  const unsigned beats = static_cast<unsigned>((h >> 4U) & 0xFU) + 1;
  switch (h & 0xFU) {
    case kind_write:
      return 1 + beats + (h & 0x100U ? (beats > 8 ? 2 : 1) : 0);
    case kind_read_response:
      return 1 + beats;
    default:
      return 1;
  }
}

void FlitBench::quiet(Vflit_end& dut) {
  dut.f_valid_i = 0;
  dut.q_pop_i = 0;
}

FlitBench& fresh_flit_bench() { return OneBench<FlitBench>::fresh(); }

FlitSource::FlitSource(BlockBench<Vflit_end>& bench, std::uint64_t seed, unsigned idle_in)
    : bench_(bench), seed_(seed), dice_(seed * 3 + 1), idle_in_(idle_in) {
  bench.add(*this);
}

void FlitSource::sample() {
  taken_ = bench_.dut().f_valid_i && bench_.dut().f_ready_o;
  given_up_ = bench_.dut().fresh_o;
}

void FlitSource::begin_packet() {
  if (stopped_ || (idle_in_ != 0 && dice_.one_in(idle_in_))) return;
  const unsigned first = dice_.below(3);
  for (unsigned i = 0; i < 3 && left_ == 0; ++i) {
    const unsigned traffic = (first + i) % 3;
    const unsigned available = (bench_.dut().available_o >> (8 * traffic)) & 0xFFU;
    const unsigned count = flit_count(seed_, traffic, serial_[traffic]);
    if (available < count) continue;
    traffic_ = traffic;
    left_ = count;
    index_ = 0;
  }
}

void FlitSource::drive() {
  if (off_) return;
  if (taken_) {
    ++flits_;
    ++index_;
    if (--left_ == 0) ++serial_[traffic_];
  }
  if (given_up_ && left_ != 0) {
    if (index_ != 0) ++serial_[traffic_];
    left_ = 0;
  }
  Vflit_end& dut = bench_.dut();
  if (left_ == 0 && !given_up_) begin_packet();
  dut.f_valid_i = left_ != 0;
  if (left_ == 0) return;
  dut.f_head_i = index_ == 0;
  dut.f_last_i = left_ == 1;
  dut.f_class_i = static_cast<CData>(traffic_);
  dut.f_data_i = flit_data(seed_, traffic_, serial_[traffic_], index_);
}

FlitSink::FlitSink(BlockBench<Vflit_end>& bench, std::uint64_t seed, unsigned idle_in)
    : bench_(bench), seed_(seed), dice_(seed * 3 + 2), idle_in_(idle_in) {
  bench.add(*this);
}

void FlitSink::sample() {
  if (bench_.dut().framing_error_o) violations_.emplace_back("a framing error");
  if (bench_.dut().overflow_o) violations_.emplace_back("a queue overflows");
}

void FlitSink::drive() {
  if (off_) return;
  Vflit_end& dut = bench_.dut();
  const std::array<std::uint64_t, 3> data{dut.q0_data_o, dut.q1_data_o, dut.q2_data_o};
  unsigned pop = 0;
  for (unsigned t = 0; t < 3; ++t) {
    if (((dut.q_valid_o >> t) & 1U) == 0 || (idle_in_ != 0 && dice_.one_in(idle_in_))) continue;
    pop |= 1U << t;
    take(t, data[t]);
  }
  dut.q_pop_i = static_cast<CData>(pop);
}

void FlitSink::take(unsigned traffic, std::uint64_t data) {
  ++flits_;
  const std::uint64_t expected = flit_data(seed_, traffic, serial_[traffic], index_[traffic]);
  if (data != expected && violations_.size() < 10)
    violations_.push_back(fmt::format("class {} packet {} flit {} is {:016x}, should be {:016x}", traffic,
                                      serial_[traffic], index_[traffic], data, expected));
  if (++index_[traffic] < flit_count(seed_, traffic, serial_[traffic])) return;
  index_[traffic] = 0;
  ++serial_[traffic];
}

}  // namespace tb::blocks::link
