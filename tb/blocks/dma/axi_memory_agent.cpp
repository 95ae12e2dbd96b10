#include "tb/blocks/dma/axi_memory_agent.h"

#include <algorithm>

namespace tb::blocks {

using golden::axi::bytes_per_beat;
using golden::axi::Response;

AxiMemoryAgent::AxiMemoryAgent(std::string name, AxiPins pins, golden::axi::SparseMemory& memory, std::uint64_t seed)
    : pins_(pins), memory_(memory), checker_(std::move(name)), random_(seed) {
  reset();
}

void AxiMemoryAgent::reset() {
  writes_.clear();
  reads_.clear();
  seen_ = {};
  b_waits_ = r_waits_ = false;
  pins_.aw_ready = pins_.w_ready = pins_.ar_ready = 0;
  pins_.b_valid = pins_.r_valid = 0;
  checker_.reset();
}

bool AxiMemoryAgent::idle() const { return writes_.empty() && reads_.empty() && !b_waits_ && !r_waits_; }

std::uint64_t AxiMemoryAgent::latency() {
  return std::uniform_int_distribution<std::uint64_t>(manners.least_latency, manners.most_latency)(random_);
}

void AxiMemoryAgent::sample() {
  seen_ = pins_.cycle();
  checker_.observe(seen_);
  ++now_;
  if (seen_.aw.moves()) {
    writes.push_back(seen_.aw.payload);
    writes_.push_back({seen_.aw.payload, {}, 0, false});
  }
  if (seen_.w.moves()) {
    const auto open = std::find_if(writes_.begin(), writes_.end(), [](const Write& w) { return !w.complete; });
    if (open != writes_.end()) {
      open->beats.push_back(seen_.w.payload);
      if (seen_.w.payload.last) {
        open->complete = true;
        open->due = now_ + latency();
      }
    }
  }
  if (seen_.ar.moves()) {
    reads.push_back(seen_.ar.payload);
    reads_.push_back({seen_.ar.payload, 0, now_ + latency()});
  }
  if (seen_.b.moves()) b_waits_ = false;
  if (seen_.r.moves()) r_waits_ = false;
}

/// The first of an ID that `ready` accepts: the oldest one, or any when answers may be reordered.
template <class Queue, class Ready>
std::optional<std::size_t> AxiMemoryAgent::pick(const Queue& queue, Ready ready) {
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

Response AxiMemoryAgent::apply(const Write& write) {
  Response response = Response::okay;
  for (std::size_t i = 0; i < write.beats.size(); ++i) {
    const std::uint64_t addr = write.address.addr + i * bytes_per_beat;
    if (write_faults.count(addr) != 0) {
      response = error;
    } else {
      memory_.write64(addr, write.beats[i].data, write.beats[i].strb);
    }
  }
  return response;
}

void AxiMemoryAgent::drive_b() {
  if (b_waits_) return;
  pins_.b_valid = 0;
  if (manners.frozen || !chance(manners.answer)) return;
  const auto index = pick(writes_, [this](const Write& w) { return w.complete && w.due <= now_; });
  if (!index) return;
  const auto write = writes_.begin() + static_cast<std::ptrdiff_t>(*index);
  pins_.b_id = write->address.id;
  pins_.b_resp = static_cast<CData>(apply(*write));
  pins_.b_valid = 1;
  b_waits_ = true;
  writes_.erase(write);
}

void AxiMemoryAgent::drive_r() {
  if (r_waits_) return;
  pins_.r_valid = 0;
  if (manners.frozen || !chance(manners.answer)) return;
  const auto index = pick(reads_, [this](const Read& r) { return r.due <= now_; });
  if (!index) return;
  Read& read = reads_[*index];
  const std::uint64_t addr = read.address.addr + read.beat * bytes_per_beat;
  const bool fault = read_faults.count(addr) != 0;
  pins_.r_id = read.address.id;
  pins_.r_data = fault ? random_() : memory_.read64(addr);
  pins_.r_resp = static_cast<CData>(fault ? error : Response::okay);
  pins_.r_last = read.beat == read.address.len;
  pins_.r_valid = 1;
  r_waits_ = true;
  if (read.beat++ == read.address.len) reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(*index));
}

void AxiMemoryAgent::drive() {
  drive_b();
  drive_r();
  pins_.aw_ready = !manners.frozen && chance(manners.ready);
  pins_.w_ready = !manners.frozen && chance(manners.ready);
  pins_.ar_ready = !manners.frozen && chance(manners.ready);
}

}  // namespace tb::blocks
