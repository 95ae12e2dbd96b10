#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>

#include "tb/chip/activity_course.h"
#include "tb/chip/axi_bridge.h"
#include "tb/chip/chip_pins.h"
#include "tb/chip/host_port.h"
#include "tb/chip/link_partner.h"
#include "tb/chip/tensor_faults.h"

class Vtern;
class VerilatedContext;
class VerilatedFstC;

namespace tb {

/// Verilated Tern as one SystemC module. The chip is loosely timed: it runs a quantum of clock cycles ahead, then lets
/// SystemC time catch up, so SystemC costs nothing per cycle. A quantum ends early when a pin towards the board moves
/// or an access of the host ends. Without power the chip is not evaluated; without a core clock only the reference
/// domain is.
class TernChip : public sc_core::sc_module {
 public:
  /// @param time_scale how many times slower than nominal both clocks run against SystemC time
  TernChip(const sc_core::sc_module_name& name, double time_scale, std::uint64_t seed);
  TernChip(const TernChip&) = delete;
  TernChip& operator=(const TernChip&) = delete;
  ~TernChip() override;

  /// What the board drives; sampled at the start of each quantum. The caller keeps it alive.
  void connect(const PinsToChip& pins) { in_ = &pins; }
  /// Called when a pin towards the board has moved, and at the end of each quantum for the activity.
  void on_outputs(std::function<void(const PinsFromChip&)> callback) { on_outputs_ = std::move(callback); }
  /// Called at the end of each quantum in which the activity has changed, before `on_outputs`, with its course since
  /// the beginning of the quantum, which is now.
  void on_activity(std::function<void(const std::vector<ActivityChange>&)> callback) {
    on_activity_ = std::move(callback);
  }
  /// The board calls it when something that stopped the chip (power, reference clock) may have come back.
  void wake() { wake_.notify(sc_core::SC_ZERO_TIME); }

  HostPort& host() { return *host_; }
  AxiBridge& axi() { return *axi_; }
  LinkPartner& partner() { return *partner_; }
  TensorFaults& tensor_faults() { return *tensor_faults_; }

  /// Duration of one core cycle at the nominal 1 GHz.
  sc_core::sc_time nominal_core_cycle() const { return nominal_core_cycle_; }
  std::uint64_t core_cycles() const { return core_cycles_; }
  std::uint64_t ref_cycles() const { return ref_cycles_; }

  /// Writes every signal of the chip to an FST file over a window of SystemC time. Before time starts to pass, once.
  void record_waves(const std::string& file, const sc_core::sc_time& from, const sc_core::sc_time& until);

  /// A memory cell of the SRAM that is stuck. @param word 0..8191 @param bit 0..71 of the code word
  void set_stuck_cell(unsigned word, unsigned bit, bool value);
  /// Two bits of a word are inverted each time it was written.
  void set_double_error(unsigned word);

 private:
  static constexpr std::uint64_t kQuantumCycles = 64;  // core cycles

  void run();
  bool powered() const;
  sc_core::sc_time run_quantum();
  void step_edge(bool core, bool ref);
  void apply_inputs();
  bool outputs_moved();
  void publish();
  void publish_course();
  void hold_in_reset();
  void power_off();
  void apply_cell_faults();
  void dump_waves(const sc_core::sc_time& at);

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtern> dut_;
  std::unique_ptr<HostPort> host_;
  std::unique_ptr<AxiBridge> axi_;
  std::unique_ptr<LinkPartner> partner_;
  std::unique_ptr<TensorFaults> tensor_faults_;
  const PinsToChip* in_ = nullptr;
  PinsFromChip out_;
  std::function<void(const PinsFromChip&)> on_outputs_;
  std::function<void(const std::vector<ActivityChange>&)> on_activity_;
  ActivityCourse course_;
  sc_core::sc_event wake_;

  double time_scale_;
  sc_core::sc_time nominal_core_cycle_;
  sc_core::sc_time ahead_;       // of the chip's own time, within a quantum
  sc_core::sc_time core_phase_;  // until the next rising edge
  sc_core::sc_time ref_phase_;
  bool was_powered_ = false;
  bool host_finished_ = false;
  std::uint64_t core_cycles_ = 0;
  std::uint64_t ref_cycles_ = 0;
  std::array<std::uint64_t, 4> activity_{};
  std::uint64_t activity_cycles_ = 0;

  struct StuckCell {
    unsigned word = 0;
    unsigned bit = 0;
    bool value = false;
    bool active = false;
  };
  StuckCell stuck_;
  struct Waves {
    std::string file;
    sc_core::sc_time from;
    sc_core::sc_time until;
    std::unique_ptr<VerilatedFstC> dump;  // while the window lasts
  };
  std::optional<Waves> waves_;  // until the window is over

  unsigned double_word_ = 0;
  bool double_error_ = false;
};

}  // namespace tb
