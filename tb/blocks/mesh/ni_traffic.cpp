#include "tb/blocks/mesh/ni_traffic.h"

#include <gtest/gtest.h>

namespace tb::blocks::mesh {

using golden::axi::Address;
using golden::axi::Response;
using golden::axi::WriteBeat;

namespace {
constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 33U) - 1;
}  // namespace

bool NiNodes::drain(std::uint64_t limit) {
  const auto idle = [this] {
    for (unsigned n = 0; n < count; ++n)
      if (manager(n).open() + manager(n).waiting() != 0) return false;
    return true;
  };
  for (std::uint64_t i = 0; i < limit && !idle(); ++i) cycle(1);
  return idle();
}

void NiNodes::expect_protocol_kept() {
  cycle(50);
  for (unsigned n = 0; n < count; ++n) {
    EXPECT_EQ(manager(n).strays, 0U);
    for (const auto& text : manager(n).checker().violations()) ADD_FAILURE() << text;
    for (const auto& text : memory_port(n).checker().violations()) ADD_FAILURE() << text;
  }
}

NiTraffic::NiTraffic(NiNodes& bench, unsigned node, std::vector<unsigned> targets)
    : bench_(bench), node_(node), targets_(std::move(targets)) {}

// Some below 4 GiB, some above: the address has 33 bits.
std::uint64_t NiTraffic::base(unsigned block) const {
  return (block % 2 != 0 ? 0x1'4000'0000 : 0x10'0000) + 0x1'0000 * std::uint64_t{node_} + 0x100 * std::uint64_t{block};
}

std::set<std::uint8_t>& NiTraffic::may_hold(unsigned target, std::uint64_t addr) {
  auto& values = values_[{target, addr}];
  if (values.empty()) values.insert(0);
  return values;
}

void NiTraffic::issue() {
  const unsigned target = targets_.at(bench_.dice.below(static_cast<unsigned>(targets_.size())));
  const unsigned block = bench_.dice.below(blocks);
  if (!busy_.insert({target, block}).second) return;
  const unsigned len = bench_.dice.below(16);
  const std::uint64_t addr = base(block) + 8 * std::uint64_t{bench_.dice.below(32 - len)};
  const Address address{static_cast<std::uint8_t>(bench_.dice.below(16)), there(target, addr),
                        static_cast<std::uint8_t>(len)};
  const unsigned tag = next_tag_++;
  open_[tag] = {target, block};
  if (bench_.dice.coin()) {
    bench_.manager(node_).read(address, tag);
    return;
  }
  const bool whole = bench_.dice.coin();
  std::vector<WriteBeat> beats;
  for (unsigned i = 0; i <= len; ++i)
    beats.push_back({bench_.dice.bits(), static_cast<std::uint8_t>(whole ? 0xFFU : bench_.dice.below(256)), i == len});
  bench_.manager(node_).write(address, beats, tag);
}

void NiTraffic::check_read(const AxiManagerAgent::Burst& burst) {
  const Open open = open_.at(burst.tag);
  const std::uint64_t first = burst.address.addr & kAddressMask;
  ASSERT_EQ(burst.answers.size(), burst.address.len + 1U);
  bool okay = true;
  for (std::size_t i = 0; i < burst.answers.size(); ++i) {
    okay = okay && burst.answers[i].resp == Response::okay;
    for (unsigned byte = 0; okay && byte < 8; ++byte) {
      const auto value = static_cast<std::uint8_t>(burst.answers[i].data >> (8 * byte));
      auto& values = may_hold(open.target, first + 8 * i + byte);
      ASSERT_EQ(values.count(value), 1U) << std::hex << "node " << node_ << " read "
                                         << burst.address.addr + 8 * i + byte;
      values = {value};
    }
  }
  failed_ += !okay;
}

void NiTraffic::check_write(const AxiManagerAgent::Burst& burst) {
  const Open open = open_.at(burst.tag);
  const bool okay = burst.response.resp == Response::okay;
  const std::uint64_t first = burst.address.addr & kAddressMask;
  for (std::size_t i = 0; i < burst.beats.size(); ++i)
    for (unsigned byte = 0; byte < 8; ++byte) {
      if ((burst.beats[i].strb >> byte & 1U) == 0) continue;
      auto& values = may_hold(open.target, first + 8 * i + byte);
      if (okay) values.clear();
      values.insert(static_cast<std::uint8_t>(burst.beats[i].data >> (8 * byte)));
    }
  failed_ += !okay;
}

void NiTraffic::check() {
  AxiManagerAgent& manager = bench_.manager(node_);
  const auto close = [this](const AxiManagerAgent::Burst& burst) {
    const Open open = open_.at(burst.tag);
    busy_.erase({open.target, open.block});
    open_.erase(burst.tag);
    ++done_;
  };
  for (const auto& burst : manager.finished_reads) {
    check_read(burst);
    close(burst);
  }
  for (const auto& burst : manager.finished_writes) {
    check_write(burst);
    close(burst);
  }
  manager.finished_reads.clear();
  manager.finished_writes.clear();
}

void NiTraffic::compare() {
  for (const auto& [place, values] : values_)
    ASSERT_EQ(values.count(bench_.memory(place.first).read(place.second)), 1U)
        << "of node " << node_ << " at node " << place.first << std::hex << ", " << place.second;
}

Everyone::Everyone(NiNodes& bench) : bench_(bench) {
  for (unsigned n = 0; n < bench.count; ++n) {
    std::vector<unsigned> others;
    for (unsigned t = 0; t < bench.count; ++t)
      if (t != n) others.push_back(t);
    traffic_.emplace_back(bench, n, others);
  }
}

void Everyone::run(unsigned cycles) {
  for (unsigned i = 0; i < cycles && !testing::Test::HasFailure(); ++i) {
    for (unsigned n = 0; n < bench_.count; ++n)
      if (bench_.manager(n).waiting() < 6) traffic_[n].issue();
    bench_.cycle(1);
    check();
  }
}

void Everyone::check() {
  for (NiTraffic& t : traffic_) t.check();
}

void Everyone::settle(unsigned limit) {
  EXPECT_TRUE(bench_.drain(limit));
  check();
  bench_.cycle(2000);  // writes of which no one waits for the answer
  for (NiTraffic& t : traffic_) t.compare();
  bench_.expect_protocol_kept();
}

void Everyone::expect_no_more_failures() {
  const unsigned before = failed();
  run(3000);
  settle();
  EXPECT_EQ(failed(), before) << "all is well again";
}

unsigned Everyone::sum(unsigned (NiTraffic::*of)() const) const {
  unsigned all = 0;
  for (const NiTraffic& t : traffic_) all += (t.*of)();
  return all;
}

}  // namespace tb::blocks::mesh
