#include "lab/steps/dma_stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "lab/steps/support.h"

namespace firstlight::steps {

namespace {

constexpr std::uint64_t kSlotBytes = 4096;
constexpr std::size_t kSlots = 8;  // a window

/// A part of one memory that copies go to and come from, with what it should hold.
struct Area {
  DmaWindow window;
  std::vector<std::uint8_t> bytes;
};

class Stress {
 public:
  Stress(StepContext& step, Dma& dma, const DmaStressPlan& plan)
      : step_(step), dma_(dma), plan_(plan), random_(plan.seed) {}

  DmaStressResult run() {
    for (const DmaWindow& window : plan_.windows) fill(window);
    while (result_.transfers < plan_.transfers) {
      batch();
      step_.progress(static_cast<double>(result_.transfers) / plan_.transfers,
                     fmt::format("{} of {} copies", result_.transfers, plan_.transfers));
    }
    for (const Area& area : areas_) compare(area);
    return result_;
  }

 private:
  std::uint64_t draw(std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
  }

  void fill(const DmaWindow& window) {
    Area area{window, std::vector<std::uint8_t>(std::min<std::uint64_t>(window.size, kSlots * kSlotBytes))};
    for (std::uint8_t& byte : area.bytes) byte = static_cast<std::uint8_t>(random_());
    dma_.poke(window.base, area.bytes);
    areas_.push_back(std::move(area));
  }

  struct Slot {
    std::size_t area = 0;
    std::uint64_t offset = 0;
  };

  std::vector<Slot> shuffled_slots() {
    std::vector<Slot> slots;
    for (std::size_t a = 0; a < areas_.size(); ++a)
      for (std::uint64_t offset = 0; offset + kSlotBytes <= areas_[a].bytes.size(); offset += kSlotBytes)
        slots.push_back({a, offset});
    std::shuffle(slots.begin(), slots.end(), random_);
    return slots;
  }

  void batch() {
    const std::vector<Slot> slots = shuffled_slots();
    const std::uint64_t most =
        std::min<std::uint64_t>({slots.size() / 2, plan_.entries - 1, plan_.transfers - result_.transfers});
    const std::uint64_t count = 1 + draw(most);
    std::vector<DmaCopy> copies;
    for (std::uint64_t i = 0; i < count; ++i) copies.push_back(copy(slots[2 * i], slots[2 * i + 1]));
    const std::vector<std::uint16_t> ids = dma_.submit(copies);
    for (const DmaCompletion& completion : dma_.wait_all(step_.deadline() - steps::kDiagnosis))
      check(completion, ids, copies);
    result_.transfers += static_cast<std::uint32_t>(count);
  }

  /// A random copy between two slots, with its effect on the model.
  DmaCopy copy(const Slot& from, const Slot& to) {
    const std::uint64_t length = 1 + draw(plan_.longest);
    const std::uint64_t source = from.offset + draw(kSlotBytes - length + 1);
    const std::uint64_t target = to.offset + draw(kSlotBytes - length + 1);
    const auto& bytes = areas_[from.area].bytes;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(source), length,
                areas_[to.area].bytes.begin() + static_cast<std::ptrdiff_t>(target));
    result_.bytes += length;
    return {areas_[from.area].window.base + source, areas_[to.area].window.base + target,
            static_cast<std::uint32_t>(length)};
  }

  void check(const DmaCompletion& completion, const std::vector<std::uint16_t>& ids,
             const std::vector<DmaCopy>& copies) {
    if (completion.ok) return;
    const auto index = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), completion.id) - ids.begin());
    const DmaCopy& copy = copies.at(index);
    const bool reading = completion.status == "read_error";
    const std::string memory = memory_at(reading ? copy.source : copy.destination);
    const bool bus = reading || completion.status == "write_error";
    step_.fail({ErrorClass::dut,
                bus ? "dma_bus_error" : "dma_" + completion.status,
                fmt::format("copy of {} bytes from {:#012x} to {:#012x} ended with {} at {:#012x}", copy.length,
                            copy.source, copy.destination, completion.status, completion.error_address),
                bus ? fmt::format("{} ({})", memory, dma_.part()) : dma_.part(),
                {},
                dma_.error(),
                bus ? memory + " answered with a bus error" : ""});
  }

  std::string memory_at(std::uint64_t address) const {
    for (const Area& area : areas_)
      if (address >= area.window.base && address - area.window.base < area.window.size) return area.window.name;
    return "memory";
  }

  void compare(const Area& area) {
    const std::vector<std::uint8_t> found = dma_.peek(area.window.base, area.bytes.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == area.bytes[i]) continue;
      if (result_.wrong_bytes++ > 0) continue;
      result_.suspect = fmt::format("{} ({})", area.window.name, dma_.part());
      step_.note_failure({ErrorClass::dut,
                          "dma_data_wrong",
                          fmt::format("{} holds {:#04x} for {:#04x} at {:#012x}", area.window.name, found[i],
                                      area.bytes[i], area.window.base + i),
                          result_.suspect,
                          {},
                          {},
                          fmt::format("seed {} makes the same copies again", plan_.seed)});
    }
    if (result_.suspect.empty()) result_.suspect = dma_.part();
  }

  StepContext& step_;
  Dma& dma_;
  const DmaStressPlan& plan_;
  std::mt19937_64 random_;
  std::vector<Area> areas_;
  DmaStressResult result_;
};

}  // namespace

DmaStressResult run_dma_stress(StepContext& step, Dma& dma, const DmaStressPlan& plan) {
  return Stress(step, dma, plan).run();
}

}  // namespace firstlight::steps
