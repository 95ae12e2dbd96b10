#include "lab/steps/dma_traffic.h"

#include <algorithm>

namespace firstlight::steps {

namespace {

constexpr std::uint64_t kAreaBytes = 32768;
constexpr std::uint64_t kSmallestSlot = 512;
constexpr std::uint64_t kLargestSlot = 4096;
constexpr std::uint32_t kMaxRows = 8;
constexpr unsigned kMaxChain = 3;
constexpr unsigned kSemaphores = 16;
constexpr std::size_t kPairSlots = 3;

std::uint64_t slot_bytes_for(std::uint64_t longest) {
  std::uint64_t bytes = kSmallestSlot;
  while (bytes < 2 * longest && bytes < kLargestSlot) bytes *= 2;
  return bytes;
}

}  // namespace

std::uint64_t DmaTransfer::bytes() const {
  std::uint64_t sum = 0;
  for (const DmaCopy& copy : copies) sum += copy.bytes();
  return sum;
}

DmaTraffic::DmaTraffic(const DmaTrafficPlan& plan, std::uint64_t seed)
    : plan_(plan), random_(seed), slot_bytes_(slot_bytes_for(plan.longest)) {}

std::uint64_t DmaTraffic::draw(std::uint64_t below) {
  return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
}

void DmaTraffic::add(const DmaWindow& window) {
  DmaArea area{window, {}, {}};
  area.bytes.resize(std::min<std::uint64_t>(window.size, kAreaBytes + DmaArea::kGuard));
  for (std::uint8_t& byte : area.bytes) byte = static_cast<std::uint8_t>(random_());
  area.before = area.bytes;
  areas_.push_back(std::move(area));
}

void DmaTraffic::shuffle_slots() {
  free_.clear();
  for (std::size_t a = 0; a < areas_.size(); ++a) {
    const std::uint64_t end = std::min<std::uint64_t>(areas_[a].bytes.size(), kAreaBytes);
    for (std::uint64_t offset = 0; offset + slot_bytes_ <= end; offset += slot_bytes_) free_.push_back({a, offset});
  }
  std::shuffle(free_.begin(), free_.end(), random_);
}

DmaTraffic::Slot DmaTraffic::take() {
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

/// A random copy between two slots, with its effect on the model.
DmaCopy DmaTraffic::copy(const Slot& from, const Slot& to, DmaTransfer& transfer) {
  DmaCopy out;
  const bool rows = plan_.longest >= 2 && chance(3);
  if (rows) out.rows = static_cast<std::uint32_t>(2 + draw(std::min(kMaxRows, plan_.longest) - 1));
  out.length = static_cast<std::uint32_t>(1 + draw(std::max(1U, plan_.longest / out.rows)));
  std::uint64_t from_extent = out.length;
  std::uint64_t to_extent = out.length;
  if (rows) {
    const std::uint64_t widest = (slot_bytes_ - out.length) / (out.rows - 1);
    // Rows of the source may lie over each other; those of the destination must not.
    out.source_stride = static_cast<std::uint32_t>(draw(widest + 1));
    out.destination_stride = static_cast<std::uint32_t>(out.length + draw(widest - out.length + 1));
    from_extent += std::uint64_t{out.source_stride} * (out.rows - 1);
    to_extent += std::uint64_t{out.destination_stride} * (out.rows - 1);
  }
  out.source = areas_[from.area].window.base + from.offset + draw(slot_bytes_ - from_extent + 1);
  out.destination = areas_[to.area].window.base + to.offset + draw(slot_bytes_ - to_extent + 1);
  apply(out, from, to, transfer);
  return out;
}

void DmaTraffic::apply(const DmaCopy& copy, const Slot& from, const Slot& to, DmaTransfer& transfer) {
  const DmaArea& source = areas_[from.area];
  DmaArea& target = areas_[to.area];
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    const auto read =
        source.bytes.begin() + static_cast<std::ptrdiff_t>(copy.source - source.window.base + row * copy.source_stride);
    DmaRow out;
    out.area = to.area;
    out.offset = copy.destination - target.window.base + row * copy.destination_stride;
    const auto write = target.bytes.begin() + static_cast<std::ptrdiff_t>(out.offset);
    out.before.assign(write, write + copy.length);
    out.after.assign(read, read + copy.length);
    std::copy(out.before.begin(), out.before.end(), target.before.begin() + static_cast<std::ptrdiff_t>(out.offset));
    std::copy(out.after.begin(), out.after.end(), write);
    transfer.rows.push_back(std::move(out));
  }
}

void DmaTraffic::add_transfer(DmaBatch& batch, std::size_t queue) {
  DmaTransfer transfer;
  transfer.queue = queue;
  transfer.doomed = queue == batch.victim;
  const std::uint64_t most = std::min<std::uint64_t>({kMaxChain, room(queue), free_.size() / 2});
  const std::uint64_t copies = chance(4) ? 1 + draw(most) : 1;
  for (std::uint64_t i = 0; i < copies; ++i) {
    const Slot from = take();
    const Slot to = take();
    DmaCopy one = copy(from, to, transfer);
    one.chain = i + 1 < copies;
    transfer.copies.push_back(one);
  }
  used_[queue] += static_cast<std::uint32_t>(copies);
  batch.transfers.push_back(std::move(transfer));
}

/// The second copy reads the whole slot that the first one wrote to, so it must come after it.
void DmaTraffic::add_pair(DmaBatch& batch, std::size_t queue) {
  const Slot from = take();
  const Slot between = take();
  const Slot to = take();
  DmaTransfer first;
  first.queue = queue;
  first.copies.push_back(copy(from, between, first));
  DmaTransfer second;
  second.queue = queue;
  second.copies.push_back(copy(between, to, second));
  std::size_t other = draw(plan_.queues);
  const bool by_semaphore =
      plan_.semaphores && semaphore_ < kSemaphores && other != queue && other != batch.victim && room(other) > 0;
  if (by_semaphore) {
    second.queue = other;
    first.copies.front().signal = semaphore_;
    second.copies.front().wait = DmaWait{semaphore_, 1};
    ++semaphore_;
  } else {
    second.copies.front().barrier = true;
  }
  ++used_[first.queue];
  ++used_[second.queue];
  batch.transfers.push_back(std::move(first));
  batch.transfers.push_back(std::move(second));
}

/// Mostly the one with the least to do, so that all rings wrap.
std::size_t DmaTraffic::pick_queue(const DmaBatch& batch) {
  if (batch.victim != DmaBatch::kNone && chance(3) && room(batch.victim) > 0) return batch.victim;
  if (chance(2)) return draw(plan_.queues);
  return static_cast<std::size_t>(std::min_element(used_.begin(), used_.end()) - used_.begin());
}

DmaBatch DmaTraffic::next(std::uint64_t most) {
  shuffle_slots();
  used_.assign(plan_.queues, 0);
  semaphore_ = 0;
  DmaBatch batch;
  if (plan_.aborts && plan_.queues > 1 && chance(4)) batch.victim = draw(plan_.queues);
  // Now and then all goes into one ring, which fills it.
  const bool one_queue = batch.victim == DmaBatch::kNone && chance(6);
  const std::size_t only = draw(plan_.queues);
  const std::uint64_t wanted = std::min(most, one_queue ? plan_.entries : 1 + draw(most));
  while (batch.transfers.size() < wanted && free_.size() >= kPairSlots) {
    const std::size_t queue = one_queue ? only : pick_queue(batch);
    if (room(queue) == 0) {
      if (one_queue) break;
      if (std::all_of(used_.begin(), used_.end(), [&](std::uint32_t used) { return used == plan_.entries; })) break;
      continue;
    }
    const bool pair = queue != batch.victim && room(queue) >= 2 && wanted - batch.transfers.size() >= 2 && chance(4);
    if (pair)
      add_pair(batch, queue);
    else
      add_transfer(batch, queue);
  }
  return batch;
}

void DmaTraffic::found(const DmaRow& row, const std::vector<std::uint8_t>& bytes) {
  std::copy(bytes.begin(), bytes.end(), areas_[row.area].bytes.begin() + static_cast<std::ptrdiff_t>(row.offset));
}

}  // namespace firstlight::steps
