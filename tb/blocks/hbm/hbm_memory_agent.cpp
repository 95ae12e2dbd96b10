#include "tb/blocks/hbm/hbm_memory_agent.h"

#include <algorithm>
#include <bitset>

#include "rtl/regs/tern_registers.h"

namespace tb::blocks::hbm {
namespace {

using golden::axi::bytes_per_beat;
using golden::axi::Response;

const firstlight::RegionInfo& hbm_region() { return firstlight::tern_registers().region("hbm"); }
const firstlight::RegionInfo& host_region() { return firstlight::tern_registers().region("host"); }
bool inside(const firstlight::RegionInfo& region, std::uint64_t address) {
  return address >= region.base && address - region.base < region.size;
}

}  // namespace

HbmMemoryAgent::HbmMemoryAgent(AxiPins pins, const QData& rd_delay, const QData& wr_delay, std::uint64_t seed)
    : pins_(pins), rd_delay_(rd_delay), wr_delay_(wr_delay), checker_("memory pins"), random_(seed) {
  reset();
}

void HbmMemoryAgent::reset() {
  writes_.clear();
  reads_.clear();
  b_waits_ = r_waits_ = false;
  pins_.aw_ready = pins_.w_ready = pins_.ar_ready = 0;
  pins_.b_valid = pins_.r_valid = 0;
  checker_.reset();
  manners = {};
  for (auto& eye : eyes) eye = {~std::uint64_t{0}, ~std::uint64_t{0}};
  dram = golden::hbm::FaultyDram{};
  host = golden::axi::SparseMemory{};
  bus_errors.clear();
  flipped = {};
  strays = 0;
}

bool HbmMemoryAgent::idle() const { return writes_.empty() && reads_.empty() && !b_waits_ && !r_waits_; }

std::uint64_t HbmMemoryAgent::latency() {
  return std::uniform_int_distribution<std::uint64_t>(manners.least_latency, manners.most_latency)(random_);
}

std::uint64_t HbmMemoryAgent::through(std::uint64_t word, const QData& delay, bool write) {
  for (unsigned lane = 0; lane < golden::hbm::kLanes; ++lane) {
    const unsigned tap = static_cast<unsigned>((delay >> (6 * lane)) & 0x3FU);
    const std::uint64_t good = write ? eyes[lane].wr : eyes[lane].rd;
    if (((good >> tap) & 1U) != 0) continue;
    const std::uint64_t flips = random_() & 0xFFU;
    if (!write) flipped[lane] += static_cast<unsigned>(std::bitset<8>(flips).count());
    word ^= flips << (8 * lane);
  }
  return word;
}

void HbmMemoryAgent::sample() {
  const golden::axi::Cycle seen = pins_.cycle();
  checker_.observe(seen);
  ++now_;
  if (seen.aw.moves()) writes_.push_back({seen.aw.payload, {}, 0, false, Response::okay});
  if (seen.w.moves()) {
    const auto open = std::find_if(writes_.begin(), writes_.end(), [](const Write& w) { return !w.complete; });
    if (open != writes_.end()) {
      golden::axi::WriteBeat beat = seen.w.payload;
      if (inside(hbm_region(), open->address.addr)) beat.data = through(beat.data, wr_delay_, true);
      open->beats.push_back(beat);
      if (beat.last) {
        apply(*open);
        open->complete = true;
        open->due = now_ + latency();
      }
    } else {
      ++strays;
    }
  }
  if (seen.ar.moves()) reads_.push_back({seen.ar.payload, 0, now_ + latency()});
  if (seen.b.moves()) b_waits_ = false;
  if (seen.r.moves()) r_waits_ = false;
}

void HbmMemoryAgent::apply(Write& write) {
  for (std::size_t i = 0; i < write.beats.size(); ++i) {
    const std::uint64_t address = write.address.addr + i * bytes_per_beat;
    const golden::axi::WriteBeat& beat = write.beats[i];
    if (inside(host_region(), address)) {
      host.write64(address, beat.data, beat.strb);
      continue;
    }
    if (!inside(hbm_region(), address)) ++strays;
    const std::uint64_t offset = address - hbm_region().base;
    if (bus_errors.count(offset) != 0) {
      write.response = Response::slverr;
      continue;
    }
    const auto word = static_cast<std::uint32_t>(offset / bytes_per_beat);
    std::uint64_t mask = 0;
    for (unsigned b = 0; b < bytes_per_beat; ++b)
      if (((beat.strb >> b) & 1U) != 0) mask |= std::uint64_t{0xFF} << (8 * b);
    if (mask != 0) dram.write(word, (beat.data & mask) | (mask == ~std::uint64_t{0} ? 0 : dram.read(word) & ~mask));
  }
}

/// The first of an ID that `ready` accepts: the oldest one, or any when answers may be reordered.
template <class Queue, class Ready>
std::optional<std::size_t> HbmMemoryAgent::pick(const Queue& queue, Ready ready) {
  std::array<bool, 16> seen{};
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint8_t id = queue[i].address.id;
    if (seen.at(id)) continue;
    seen.at(id) = true;
    if (ready(queue[i])) candidates.push_back(i);
    if (!manners.reorder) break;
  }
  if (candidates.empty()) return std::nullopt;
  return candidates[std::uniform_int_distribution<std::size_t>(0, candidates.size() - 1)(random_)];
}

void HbmMemoryAgent::drive_b() {
  if (b_waits_) return;
  pins_.b_valid = 0;
  if (manners.frozen || !chance(manners.answer)) return;
  const auto index = pick(writes_, [this](const Write& w) { return w.complete && w.due <= now_; });
  if (!index) return;
  const auto write = writes_.begin() + static_cast<std::ptrdiff_t>(*index);
  pins_.b_id = write->address.id;
  pins_.b_resp = static_cast<CData>(write->response);
  pins_.b_valid = 1;
  b_waits_ = true;
  writes_.erase(write);
}

void HbmMemoryAgent::drive_r() {
  if (r_waits_) return;
  pins_.r_valid = 0;
  if (manners.frozen || !chance(manners.answer)) return;
  const auto index = pick(reads_, [this](const Read& r) { return r.due <= now_; });
  if (!index) return;
  Read& read = reads_[*index];
  const std::uint64_t address = read.address.addr + read.beat * bytes_per_beat;
  pins_.r_id = read.address.id;
  pins_.r_resp = static_cast<CData>(Response::okay);
  if (inside(host_region(), address)) {
    pins_.r_data = host.read64(address);
  } else {
    if (!inside(hbm_region(), address)) ++strays;
    const std::uint64_t offset = address - hbm_region().base;
    pins_.r_data = through(dram.read(static_cast<std::uint32_t>(offset / bytes_per_beat)), rd_delay_, false);
    if (bus_errors.count(offset) != 0) pins_.r_resp = static_cast<CData>(Response::slverr);
  }
  pins_.r_last = read.beat == read.address.len;
  pins_.r_valid = 1;
  r_waits_ = true;
  if (read.beat++ == read.address.len) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(*index));
}

void HbmMemoryAgent::drive() {
  drive_b();
  drive_r();
  pins_.aw_ready = !manners.frozen && chance(manners.ready);
  pins_.w_ready = !manners.frozen && chance(manners.ready);
  pins_.ar_ready = !manners.frozen && chance(manners.ready);
}

}  // namespace tb::blocks::hbm
