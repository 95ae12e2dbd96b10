#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "firmware/tern_regs.h"
#include "tb/chip/external_memory.h"
#include "tb/chip/models.h"
#include "tb/chip/tern_chip.h"

namespace tb {

inline constexpr double kScale = 1000;  // 1 us a core cycle, 10 us a reference cycle
inline const sc_core::sc_time kReferenceCycle(10, sc_core::SC_US);
inline constexpr std::uint32_t kHbmBytes = 1U << 20U;
inline constexpr std::uint32_t kHiddenBytes = 8U << 10U;
inline constexpr std::uint32_t kPowerCtrl = TERN_POWER_BASE + TERN_POWER_CTRL_OFFSET;
inline constexpr std::uint32_t kScratch = TERN_CHIP_BASE + TERN_CHIP_SCRATCH_OFFSET;
inline constexpr std::uint32_t kLinkNow = TERN_LINK_BASE + TERN_LINK_NOW_OFFSET;

/// A chip with two memories and pins that the test holds. SystemC elaborates once a process: one serves all tests.
class World {
 public:
  static World& instance() {
    static World world;
    return world;
  }
  TernChip& chip() { return chip_; }
  PinsToChip& pins() { return pins_; }
  const PinsFromChip& outputs() const { return outputs_; }
  ExternalMemory& hbm() { return hbm_; }
  ExternalMemory& host_memory() { return host_memory_; }

  void pass(unsigned reference_cycles) { sc_core::sc_start(kReferenceCycle * static_cast<double>(reference_cycles)); }

  void power_on() {
    pins_ = PinsToChip{};
    pins_.por_n = true;
    pins_.reference_hz = 1e8;
    for (auto& code : pins_.zone_code) code = 25 * 8;
    chip_.wake();
    pass(10);
  }
  void power_off() {
    pins_ = PinsToChip{};
    pass(100);
  }
  /// The PLL and the rails do as they are told, until the core is out of reset.
  void start_core() {
    pins_.power_good = 0x1F;
    pass(20);
    ASSERT_TRUE(write(kPowerCtrl, TERN_POWER_CTRL_START_MASK));
    for (int i = 0; i < 100 && !outputs_.core_reset_n; ++i) {
      pins_.pll_lock = outputs_.pll_enable;
      pins_.core_hz = outputs_.pll_enable ? 1e9 : 0;
      pass(100);
    }
    ASSERT_TRUE(outputs_.core_reset_n) << "the core did not start";
  }

  std::optional<HostPort::Access> access(bool write, std::uint32_t address, std::uint32_t data, unsigned patience) {
    std::optional<HostPort::Access> answer;
    const std::uint64_t id = chip_.host().request(write, address, data, [&](const HostPort::Access& a) { answer = a; });
    for (unsigned i = 0; i < patience && !answer; ++i) pass(1);
    if (!answer) chip_.host().cancel(id);
    return answer;
  }
  bool write(std::uint32_t address, std::uint32_t data) {
    const auto answer = access(true, address, data, 1000);
    return answer && answer->outcome == HostPort::Outcome::okay;
  }
  std::optional<std::uint32_t> read(std::uint32_t address) {
    const auto answer = access(false, address, 0, 1000);
    if (!answer || answer->outcome != HostPort::Outcome::okay) return std::nullopt;
    return answer->data;
  }

 private:
  World()
      : chip_("chip", kScale, 1),
        hbm_("hbm", kHbmBytes, {}, chip_.nominal_core_cycle(), kHiddenBytes),
        host_memory_("host", 1U << 20U, {}, chip_.nominal_core_cycle()) {
    chip_.axi().hbm_socket.bind(hbm_.socket);
    chip_.axi().host_socket.bind(host_memory_.socket);
    chip_.connect(pins_);
    chip_.on_outputs([this](const PinsFromChip& pins) { outputs_ = pins; });
  }

  PinsToChip pins_;
  PinsFromChip outputs_;
  TernChip chip_;
  ExternalMemory hbm_;
  ExternalMemory host_memory_;
};

}  // namespace tb
