#pragma once

#include <fstream>
#include <string>
#include <thread>

#include "lab/bench/plan.h"
#include "lab/core/failure.h"
#include "lab/transports/host/pci_bus.h"
#include "lab/transports/host/sysfs.h"
#include "tests/peers/qemu_edu/edu.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::peers {

/// The two cards of the guest.
inline constexpr const char* kFirstCard = "0000:00:04.0";
inline constexpr const char* kSecondCard = "0000:00:05.0";

inline std::string card_file(const std::string& card, const std::string& file) {
  return "/sys/bus/pci/devices/" + card + "/" + file;
}

/// Throws when the kernel refuses.
inline void tell_kernel(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  if (!(out << text << std::flush)) throw std::runtime_error(file + " does not take \"" + text + "\"");
}

/// A kernel driver for a card, for a while.
class Bound {
 public:
  Bound(std::string card, std::string driver) : card_(std::move(card)), driver_(std::move(driver)) {
    tell_kernel(card_file(card_, "driver_override"), driver_);
    tell_kernel("/sys/bus/pci/drivers/" + driver_ + "/bind", card_);
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;
  ~Bound() {
    std::ofstream("/sys/bus/pci/drivers/" + driver_ + "/unbind") << card_;
    std::ofstream(card_file(card_, "driver_override")) << "\n";
  }

 private:
  std::string card_;
  std::string driver_;
};

inline std::unique_ptr<RegisterBus> open_registers(const std::string& address, BenchTime& time) {
  ResourcePlan plan;
  plan.name = "regs0";
  return host::open_pci_registers(plan, address, time, host::Root{}.sys);
}

inline void command(const std::string& card, std::uint32_t bits, BenchTime& time) {
  open_registers(card + "/config", time)->write(host::kPciCommand, bits, kNever);
}

inline Edu edu_on(RegisterBus& bus) {
  return {bus, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }};
}

template <class Open>
Failure refusal_of(Open open) {
  try {
    open();
  } catch (const FailureError& error) {
    return error.failure();
  }
  return {};
}

}  // namespace firstlight::peers
