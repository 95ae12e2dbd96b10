#include "tb/bench/virtual_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/chip_faults.h"
#include "tb/bench/model_transports.h"
#include "tb/bench/paced_time.h"
#include "tb/bench/systemc_time.h"
#include "tb/bench/witness.h"
#include "tb/board/board.h"
#include "tb/board/seeds.h"

namespace tb {
namespace {

using firstlight::BenchPlan;
using firstlight::ErrorClass;
using firstlight::Failure;
using firstlight::FailureError;
using firstlight::Instant;
using firstlight::ResourcePlan;

constexpr std::uint64_t kMemoryBytes = 16U << 20U;
constexpr std::uint64_t kSpareBytes = 8U << 10U;  // behind the external memory: spare rows and the training page
constexpr MemoryTiming kHbmTiming{40, 1};
constexpr MemoryTiming kHostTiming{120, 1};      // behind the PCIe root
constexpr double kHostWriteBufferCycles = 2000;  // 2 us: how long a write may wait for others to combine with
constexpr std::uint64_t kHostWriteStream = 100;  // of the seed
constexpr std::string_view kPrefix = "model";

PinsToChip to_chip(const board::BoardPins& pins) {
  PinsToChip out;
  for (std::size_t i = 0; i < kRails; ++i)
    if (pins.power_good[i]) out.power_good = static_cast<std::uint8_t>(out.power_good | (1U << i));
  out.por_n = pins.por_n;
  out.pll_lock = pins.pll_lock;
  out.reference_hz = pins.reference_clock.base();
  out.core_hz = pins.core_clock.base();
  out.zone_code = pins.zone_temperature;
  out.vr_hot_n = pins.vr_hot_n;
  out.power_brake_n = pins.power_brake_n;
  return out;
}

board::ChipPins to_board(const PinsFromChip& pins) {
  board::ChipPins out;
  out.pll_enable = pins.pll_enable;
  out.pll_multiplier = pins.pll_multiplier;
  out.thermtrip_n = pins.thermtrip_n;
  out.alert_n = pins.alert_n;
  out.throttle = pins.throttle;
  out.fault_n = pins.fault_n;
  out.irq = pins.irq;
  out.heater = pins.heater;
  out.activity = pins.activity;
  return out;
}

[[noreturn]] void refuse(const std::string& symptom, const std::string& message, const std::string& cause = {}) {
  Failure failure;
  failure.error_class = ErrorClass::bench;
  failure.symptom = symptom;
  failure.message = message;
  failure.part = "model";
  failure.likely_cause = cause;
  throw FailureError(failure);
}

class VirtualBench : public firstlight::TransportProvider {
 public:
  VirtualBench(const BenchPlan& plan, std::uint64_t seed)
      : board_("board", {seed, plan.time_scale}),
        chip_("tern", plan.time_scale, seed),
        hbm_("hbm", kMemoryBytes, kHbmTiming, chip_.nominal_core_cycle(), kSpareBytes),
        host_("host_memory", kMemoryBytes, kHostTiming, chip_.nominal_core_cycle()) {
    read_settings(plan);
    host_.buffer_writes(chip_.nominal_core_cycle() * kHostWriteBufferCycles,
                        board::derive_seed(seed, kHostWriteStream));
    chip_.axi().hbm_socket.bind(hbm_.socket);
    chip_.axi().host_socket.bind(host_.socket);
    put_faults(plan);
    const bool wrong = std::any_of(plan.faults.begin(), plan.faults.end(), [](const firstlight::FaultPlan& fault) {
      return fault.name == "psu_wrong_identity";
    });
    if (!psu_identity_.empty() && !wrong) board_.psu().set_identity(psu_identity_);
    pins_ = to_chip(board_.pins());
    chip_.connect(pins_);
    board_.on_pins([this](const board::BoardPins& pins) {
      pins_ = to_chip(pins);
      chip_.wake();
    });
    chip_.on_activity([this](const std::vector<ActivityChange>& changes) {
      steps_.clear();
      for (const ActivityChange& change : changes) steps_.push_back({change.after, change.activity});
      board_.follow(steps_);
    });
    chip_.on_outputs([this](const PinsFromChip& pins) { board_.drive(to_board(pins)); });
  }

  board::Board& board() { return board_; }
  void record_waves(const firstlight::Station::WaveRequest& request) {
    const auto time = [](firstlight::Instant at) {
      return sc_core::sc_time(static_cast<double>(at.time_since_epoch().count()), sc_core::SC_PS);
    };
    chip_.record_waves(request.file, time(request.from), time(request.until));
  }
  /// Before anything is opened.
  void set_time(firstlight::BenchTime& time) { time_ = &time; }

  std::unique_ptr<firstlight::I2cBus> open_i2c(const ResourcePlan& resource) override {
    expect_device(resource, {"i2c0"});
    return model_i2c(resource.name, board_.i2c(), *time_);
  }
  std::unique_ptr<firstlight::ByteStream> open_stream(const ResourcePlan& resource) override {
    const std::string device = expect_device(resource, {"psu0", "dmm0", "clk0", "cdu0"});
    return model_stream(resource.name, instrument(device), *time_);
  }
  std::unique_ptr<firstlight::RegisterBus> open_registers(const ResourcePlan& resource) override {
    const std::string device = expect_device(resource, {"regs0", "partner0"});
    if (device == "partner0") return model_partner_port(resource.name, chip_.partner(), *time_);
    return model_host_port(resource.name, chip_, *time_, host_word_);
  }
  std::unique_ptr<firstlight::DmaMemory> open_dma_memory(const ResourcePlan& resource) override {
    expect_device(resource, {"hostmem0"});
    return model_dma_memory(resource.name, host_, firstlight::tern_registers().region("host").base);
  }
  std::unique_ptr<firstlight::Gpio> open_gpio(const ResourcePlan& resource) override {
    expect_device(resource, {"gpio0"});
    return model_gpio(resource.name, board_);
  }

 private:
  /// "model" is the device that has the resource's name, "model:NAME" another one.
  static std::string expect_device(const ResourcePlan& resource, const std::vector<std::string>& known) {
    const std::string& address = resource.address;
    std::string device = address == kPrefix                    ? resource.name
                         : address.size() > kPrefix.size() + 1 ? address.substr(kPrefix.size() + 1)
                                                               : "";
    if (std::find(known.begin(), known.end(), device) != known.end()) return device;
    const std::string near = firstlight::nearest_name(device, known);
    refuse("no_such_device",
           fmt::format("{}:{}: resource {} of type {} is at \"{}\", but the model has no {} \"{}\"; it has {}{}",
                       resource.where.file, resource.where.line, resource.name, resource.type, address, resource.type,
                       device, fmt::join(known, ", "), near.empty() ? "" : "; did you mean model:" + near + "?"),
           "a resource at `model` is the model's device of the same name; write model:NAME for another one");
  }

  instruments::ScpiInstrument& instrument(const std::string& device) {
    if (device == "psu0") return board_.psu();
    if (device == "dmm0") return board_.dmm();
    if (device == "clk0") return board_.clock_generator();
    return board_.coolant_unit();
  }

  void read_settings(const BenchPlan& plan) {
    for (const auto& [name, value] : plan.model) {
      const auto* text = std::get_if<std::string>(&value.data);
      if (name == "listen") continue;  // whoever listens reads it
      if (name == "psu0_identity" && text != nullptr)
        psu_identity_ = *text;
      else
        refuse("bad_model_setting",
               fmt::format("{}: `model` sets \"{}\", and the model has no such setting", plan.file, name),
               "it has `listen` and `psu0_identity`; faults and time_scale stand beside `model`");
    }
  }

  void put_faults(const BenchPlan& plan) {
    board::BoardFaults faults;
    const std::vector<firstlight::FaultSpec>& board_specs = board::board_fault_specs();
    for (const firstlight::FaultPlan& fault : plan.faults) {
      const bool of_board = std::any_of(board_specs.begin(), board_specs.end(),
                                        [&](const firstlight::FaultSpec& spec) { return spec.name == fault.name; });
      try {
        if (of_board)
          faults.set(fault.name, fault.value);
        else
          set_chip_fault({chip_, hbm_, host_, host_word_}, fault.name, fault.value);
      } catch (const std::invalid_argument& error) {
        refuse("bad_fault", error.what(), "`firstlight faults` lists every fault with its value");
      }
    }
    board_.set_faults(faults);
  }

  board::Board board_;
  TernChip chip_;
  ExternalMemory hbm_;
  ExternalMemory host_;
  PinsToChip pins_;
  std::vector<board::ActivityStep> steps_;
  WordFault host_word_;
  std::string psu_identity_;
  firstlight::BenchTime* time_ = nullptr;
};

/// The model in the process of who uses it: time passes as fast as it can.
class VirtualStation final : public firstlight::Station {
 public:
  VirtualStation(const BenchPlan& plan, std::uint64_t seed) : bench_(plan, seed) {}

  firstlight::TimeSource& time_source() override { return time_source_; }
  firstlight::TransportProvider& connect(firstlight::BenchTime& time) override {
    bench_.set_time(time);
    return bench_;
  }
  bool simulated() const override { return true; }
  bool record_waves(const WaveRequest& request) override {
    bench_.record_waves(request);
    return true;
  }

 private:
  SystemcTime time_source_;
  VirtualBench bench_;
};

/// As fast as it can, with a witness.
class WitnessedStation final : public firstlight::ListeningStation {
 public:
  WitnessedStation(const BenchPlan& plan, std::uint64_t seed) : bench_(plan, seed), witness_(bench_.board(), plan) {}

  firstlight::TimeSource& time_source() override { return time_source_; }
  firstlight::TransportProvider& connect(firstlight::BenchTime& time) override {
    bench_.set_time(time);
    return bench_;
  }
  bool simulated() const override { return true; }
  std::string witness() override { return witness_.report({}); }
  void when_time_passes(std::function<void(Instant, Instant)>) override {}  // it follows no clock
  void forget() override { witness_.forget(); }

 private:
  SystemcTime time_source_;
  VirtualBench bench_;
  Witness witness_;
};

class PacedStation final : public firstlight::ListeningStation {
 public:
  PacedStation(const BenchPlan& plan, std::uint64_t seed) : bench_(plan, seed), witness_(bench_.board(), plan) {}

  firstlight::TimeSource& time_source() override { return time_source_; }
  firstlight::TransportProvider& connect(firstlight::BenchTime& time) override {
    bench_.set_time(time);
    return bench_;
  }
  bool simulated() const override { return false; }
  std::string witness() override { return witness_.report(time_source_.slipped()); }
  void when_time_passes(std::function<void(Instant, Instant)> publish) override {
    time_source_.when_time_passes(std::move(publish));
  }
  void forget() override { witness_.forget(); }

 private:
  PacedTime time_source_;
  VirtualBench bench_;
  Witness witness_;
};

}  // namespace

std::unique_ptr<firstlight::Station> make_virtual_station(const BenchPlan& plan, std::uint64_t seed) {
  return std::make_unique<VirtualStation>(plan, seed);
}

std::unique_ptr<firstlight::ListeningStation> make_witnessed_station(const BenchPlan& plan, std::uint64_t seed) {
  return std::make_unique<WitnessedStation>(plan, seed);
}

std::unique_ptr<firstlight::ListeningStation> make_listening_station(const BenchPlan& plan, std::uint64_t seed) {
  return std::make_unique<PacedStation>(plan, seed);
}

std::vector<firstlight::FaultSpec> model_fault_specs() {
  std::vector<firstlight::FaultSpec> specs = board::board_fault_specs();
  const std::vector<firstlight::FaultSpec>& chip = chip_fault_specs();
  specs.insert(specs.end(), chip.begin(), chip.end());
  return specs;
}

}  // namespace tb
