#include "tb/blocks/link/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tb::blocks::link {

using golden::axi::Response;

Scoreboard::Scoreboard(AxiRequester& requester, std::uint64_t window, std::uint64_t seed)
    : requester_(requester), window_(window), dice_(seed) {}

std::set<std::uint8_t>& Scoreboard::may_hold(std::uint64_t offset) {
  auto& values = values_[offset];
  if (values.empty()) values.insert(0);
  return values;
}

void Scoreboard::step(unsigned most_open) {
  check_finished();
  for (unsigned tries = 0; tries < 4 && open_.size() < most_open; ++tries) submit();
}

void Scoreboard::submit() {
  const unsigned block = dice_.below(blocks);
  if (!busy_.insert(block).second) return;
  const unsigned beats = 1 + dice_.below(16);
  const std::uint64_t addr = window_ + 128ULL * block + 8ULL * dice_.below(17 - beats);
  const auto id = static_cast<std::uint8_t>(dice_.below(16));
  if (dice_.coin()) {
    open_.push_back({requester_.submit(AxiRequester::read(addr, beats, id)), block});
    return;
  }
  std::vector<std::uint64_t> data(beats);
  for (auto& d : data) d = dice_.bits();
  Access access = AxiRequester::write(addr, data, id);
  if (dice_.coin())
    for (auto& strb : access.strb) strb = static_cast<std::uint8_t>(dice_.bits());
  open_.push_back({requester_.submit(std::move(access)), block});
}

void Scoreboard::check_finished() {
  const auto ended = std::stable_partition(open_.begin(), open_.end(),
                                           [&](const Open& o) { return !requester_.access(o.handle).done; });
  for (auto it = ended; it != open_.end(); ++it) {
    check(requester_.access(it->handle));
    busy_.erase(it->block);
    ++finished_;
  }
  open_.erase(ended, open_.end());
}

void Scoreboard::check(const Access& access) {
  if (!access.okay()) ++failed_;
  if (!access.write) {
    EXPECT_EQ(access.resp.size(), access.beats) << "a read burst of the wrong length";
  }
  for (unsigned beat = 0; beat < access.beats; ++beat) {
    const std::uint64_t offset = access.addr - window_ + 8ULL * beat;
    for (unsigned b = 0; b < 8; ++b) {
      const auto value = static_cast<std::uint8_t>(access.data[beat] >> (8 * b));
      auto& values = may_hold(offset + b);
      if (!access.write) {
        if (access.resp[beat] != Response::okay) continue;
        EXPECT_TRUE(values.count(value)) << "a wrong byte at offset " << offset + b << " was read with OKAY";
      } else if ((access.strb[beat] >> b) & 1U) {
        if (access.okay()) values.clear();
        values.insert(value);
      }
    }
  }
}

void Scoreboard::compare(const golden::axi::SparseMemory& memory, std::uint64_t base) const {
  for (std::uint64_t offset = 0; offset < 128ULL * blocks; ++offset) {
    const auto it = values_.find(offset);
    const std::uint8_t value = memory.read(base + offset);
    if (it == values_.end()) {
      EXPECT_EQ(value, 0) << "offset " << offset << " was never written";
    } else {
      EXPECT_TRUE(it->second.count(value)) << "a wrong byte in memory at offset " << offset;
    }
  }
}

}  // namespace tb::blocks::link
