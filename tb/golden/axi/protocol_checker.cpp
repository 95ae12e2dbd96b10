#include "tb/golden/axi/protocol_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace tb::golden::axi {

void ProtocolChecker::violation(const std::string& text) {
  constexpr std::size_t most = 100;
  if (violations_.size() < most) violations_.push_back(fmt::format("{} cycle {}: {}", name_, cycle_, text));
}

void ProtocolChecker::reset() {
  before_ = {};
  data_due_.clear();
  data_seen_ = 0;
  responses_due_.fill(0);
  for (auto& reads : reads_) reads.clear();
  open_reads_ = 0;
  open_writes_ = 0;
}

bool ProtocolChecker::idle() const { return open_reads_ == 0 && open_writes_ == 0; }

template <class Payload>
void ProtocolChecker::stable(const Channel<Payload>& now, const Channel<Payload>& before, const char* channel) {
  if (!before.valid || before.ready) return;
  if (!now.valid) {
    violation(fmt::format("{}VALID was withdrawn before READY", channel));
  } else if (!(now.payload == before.payload)) {
    violation(fmt::format("{} payload changed while it waited for READY", channel));
  }
}

void ProtocolChecker::address(const Channel<Address>& now, const Channel<Address>& before, const char* channel) {
  stable(now, before, channel);
  if (!now.moves()) return;
  const Address& a = now.payload;
  const std::uint64_t last = a.addr + (a.len + 1U) * bytes_per_beat - 1;
  if (a.addr % bytes_per_beat != 0) violation(fmt::format("{} address {:#x} is not aligned", channel, a.addr));
  if (a.addr >> 12 != last >> 12) {
    violation(fmt::format("{} burst {:#x}..{:#x} crosses a 4 KiB boundary", channel, a.addr, last));
  }
}

void ProtocolChecker::write_data(const Channel<WriteBeat>& now) {
  stable(now, before_.w, "W");
  if (!now.moves()) return;
  ++write_beats_;
  if (data_due_.empty()) {
    violation("W beat without an address before it");
    return;
  }
  ++data_seen_;
  const OpenWrite burst = data_due_.front();
  if (now.payload.last != (data_seen_ == burst.beats)) {
    violation(fmt::format("WLAST is {} at beat {} of {}", now.payload.last, data_seen_, burst.beats));
  }
  if (data_seen_ == burst.beats) {
    ++responses_due_.at(burst.id % ids);
    data_due_.pop_front();
    data_seen_ = 0;
  }
}

void ProtocolChecker::write_response(const Channel<WriteResponse>& now) {
  stable(now, before_.b, "B");
  if (now.valid && responses_due_.at(now.payload.id % ids) == 0) {
    violation(fmt::format("B for ID {} which has no complete write open", now.payload.id));
    return;
  }
  if (!now.moves()) return;
  --responses_due_.at(now.payload.id % ids);
  --open_writes_;
}

void ProtocolChecker::read_data(const Channel<ReadBeat>& now) {
  stable(now, before_.r, "R");
  if (!now.valid) return;
  auto& reads = reads_.at(now.payload.id % ids);
  if (reads.empty()) {
    violation(fmt::format("R beat for ID {} which has no read open", now.payload.id));
    return;
  }
  if (!now.ready) return;
  ++read_beats_;
  OpenRead& burst = reads.front();
  ++burst.seen;
  if (now.payload.last != (burst.seen == burst.beats)) {
    violation(
        fmt::format("RLAST is {} at beat {} of {}, ID {}", now.payload.last, burst.seen, burst.beats, now.payload.id));
  }
  if (burst.seen == burst.beats) {
    reads.pop_front();
    --open_reads_;
  }
}

void ProtocolChecker::observe(const Cycle& cycle) {
  ++cycle_;
  // Answers first: none may answer what begins at the same edge.
  write_response(cycle.b);
  read_data(cycle.r);
  write_data(cycle.w);
  address(cycle.aw, before_.aw, "AW");
  address(cycle.ar, before_.ar, "AR");
  if (cycle.aw.moves()) {
    data_due_.push_back({cycle.aw.payload.id, cycle.aw.payload.len + 1U});
    most_open_writes_ = std::max(most_open_writes_, ++open_writes_);
  }
  if (cycle.ar.moves()) {
    reads_.at(cycle.ar.payload.id % ids).push_back({cycle.ar.payload.len + 1U});
    most_open_reads_ = std::max(most_open_reads_, ++open_reads_);
  }
  before_ = cycle;
}

}  // namespace tb::golden::axi
