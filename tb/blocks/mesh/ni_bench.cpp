#include "tb/blocks/mesh/ni_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tb::blocks::mesh {

using golden::axi::Address;
using golden::axi::Response;
using golden::axi::SparseMemory;
using golden::axi::WriteBeat;
using golden::mesh::Port;

namespace {

constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 33U) - 1;
constexpr unsigned kDefaultTimeout = 4000;

// As FL_AXI_PINS, of a port that is an array.
#define FL_AXI_PINS_AT(model, prefix, i)                                                                             \
  tb::blocks::AxiPins {                                                                                              \
    (model).prefix##_aw_valid[i], (model).prefix##_aw_ready[i], (model).prefix##_aw_id[i],                           \
        (model).prefix##_aw_addr[i], (model).prefix##_aw_len[i], (model).prefix##_w_valid[i],                        \
        (model).prefix##_w_ready[i], (model).prefix##_w_data[i], (model).prefix##_w_strb[i],                         \
        (model).prefix##_w_last[i], (model).prefix##_b_valid[i], (model).prefix##_b_ready[i],                        \
        (model).prefix##_b_id[i], (model).prefix##_b_resp[i], (model).prefix##_ar_valid[i],                          \
        (model).prefix##_ar_ready[i], (model).prefix##_ar_id[i], (model).prefix##_ar_addr[i],                        \
        (model).prefix##_ar_len[i], (model).prefix##_r_valid[i], (model).prefix##_r_ready[i],                        \
        (model).prefix##_r_id[i], (model).prefix##_r_data[i], (model).prefix##_r_resp[i], (model).prefix##_r_last[i] \
  }

}  // namespace

void NiBench::Wires::sample() {
  if (one_in == 0) return;
  const unsigned passed = bench.dut().passes_o & bench.dut().flip_i;
  for (unsigned n = 0; n < nodes; ++n) flips += passed >> n & 1U;
}

void NiBench::Wires::drive() {
  unsigned flip = 0;
  for (unsigned n = 0; n < nodes; ++n)
    if (one_in != 0 && bench.dice.one_in(one_in)) flip |= 1U << n;
  bench.dut().flip_i = static_cast<CData>(flip);
  bench.dut().flip_bit_i = static_cast<CData>(bench.dice.below(64));
}

void NiBench::Watch::sample() {
  for (unsigned n = 0; n < nodes; ++n)
    for (unsigned e = 0; e < 8; ++e) counts.at(n).at(e) += bench.dut().events_o[n] >> e & 1U;
}

NiBench& NiBench::instance() {
  static NiBench bench;
  return bench;
}

NiBench::NiBench() : block("bench") {
  for (unsigned n = 0; n < nodes; ++n) {
    const std::string name = "node" + std::to_string(n);
    managers_.push_back(
        std::make_unique<AxiManagerAgent>(name + ".manager", FL_AXI_PINS_AT(dut(), s, n), seed() + 1 + n));
    ports_.push_back(std::make_unique<AxiMemoryAgent>(name + ".memory", FL_AXI_PINS_AT(dut(), m, n), memories_.at(n),
                                                      seed() + 11 + n));
    block.add(*managers_.back());
    block.add(*ports_.back());
  }
  block.add(wires_);
  block.add(watch_);
}

void NiBench::set_defaults() {
  dut().enable_i = 0xF;
  dut().link_enable_i = 0;
  for (unsigned n = 0; n < nodes; ++n) dut().link_enable_i |= 1U << (5 * n + golden::mesh::index(Port::local));
  for (const auto& [node, port] : {std::pair{0U, Port::east}, {2U, Port::east}, {0U, Port::south}, {1U, Port::south}})
    enable_link(node, port, true);
  dut().table_mode_i = 0;
  dut().timeout_i = kDefaultTimeout;
  dut().table_write_i = dut().first_write_i = 0;
  set_flips(0);
}

void NiBench::restart(std::uint64_t salt) {
  dice = Dice(seed() * 7919 + salt);
  set_defaults();
  for (auto& memory : memories_) memory = SparseMemory();
  for (auto& manager : managers_) {
    manager->reset();
    manager->eager = 1.0;
  }
  block.reset();
  for (auto& manager : managers_) manager->reset();
  for (auto& port : ports_) {
    port->reset();
    port->manners = {};
    port->reads.clear();
    port->writes.clear();
    port->read_faults.clear();
    port->write_faults.clear();
  }
  watch_.counts = {};
  wires_.flips = 0;
}

void NiBench::enable_link(unsigned node, Port port, bool on) {
  const unsigned other = node ^ (port == Port::east || port == Port::west ? 1U : 2U);
  const std::uint32_t mask = 1U << (5 * node + golden::mesh::index(port)) |
                             1U << (5 * other + golden::mesh::index(golden::mesh::opposite(port)));
  dut().link_enable_i = on ? dut().link_enable_i | mask : dut().link_enable_i & ~mask;
}

void NiBench::use_tables(const golden::mesh::Topology& topology, const golden::mesh::Routes& routes) {
  for (unsigned at = 0; at < nodes; ++at) {
    for (unsigned dst = 0; dst < nodes; ++dst) {
      dut().table_node_i = static_cast<CData>(topology.name(dst));
      dut().table_port_i = static_cast<CData>(golden::mesh::index(routes.next(topology, at, dst)));
      dut().table_write_i = static_cast<CData>(1U << at);
      block.cycle();
      dut().table_write_i = 0;
      dut().table_port_i = static_cast<CData>(golden::mesh::index(routes.out(at, dst)));
      dut().first_write_i = static_cast<CData>(1U << at);
      block.cycle();
      dut().first_write_i = 0;
    }
  }
  dut().table_mode_i = 1;
}

bool NiBench::drain(std::uint64_t limit) {
  const auto idle = [this] {
    return std::all_of(managers_.begin(), managers_.end(), [](const auto& m) { return m->open() + m->waiting() == 0; });
  };
  return block.cycle_until(idle, limit);
}

void NiBench::expect_protocol_kept() {
  block.cycle(50);
  for (const auto& m : managers_) {
    EXPECT_EQ(m->strays, 0U);
    for (const auto& text : m->checker().violations()) ADD_FAILURE() << text;
  }
  for (const auto& p : ports_)
    for (const auto& text : p->checker().violations()) ADD_FAILURE() << text;
}

std::uint64_t NiBench::events(Event event) const {
  std::uint64_t all = 0;
  for (unsigned n = 0; n < nodes; ++n) all += events(n, event);
  return all;
}

NiTraffic::NiTraffic(NiBench& bench, unsigned node, std::vector<unsigned> targets)
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
  const Address address{static_cast<std::uint8_t>(bench_.dice.below(16)), NiBench::there(target, addr),
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

}  // namespace tb::blocks::mesh
