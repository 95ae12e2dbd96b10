#include "tb/chip/tern_chip.h"

#include <algorithm>
#include <cmath>

#include "rtl/regs/tern_registers.h"
#include "tb/chip/models.h"

namespace tb {
namespace {

constexpr double kNominalCoreHz = 1e9;
constexpr int kResetClocks = 4;
constexpr int kAllLevels = 99;

AxiBridge::Window window_of(std::string_view region) {
  const firstlight::RegionInfo& info = firstlight::tern_registers().region(region);
  return {info.base, info.size};
}

sc_core::sc_time period_of(double hz, double time_scale) {
  return {std::round(time_scale / hz * 1e12), sc_core::SC_PS};
}

}  // namespace

TernChip::TernChip(const sc_core::sc_module_name& name, double time_scale, std::uint64_t seed)
    : sc_module(name),
      context_(std::make_unique<VerilatedContext>()),
      time_scale_(time_scale),
      nominal_core_cycle_(period_of(kNominalCoreHz, time_scale)) {
  context_->randReset(2);
  context_->randSeed(static_cast<int>(seed % 0x7FFFFFFF + 1));
  // Registers start random, and an asynchronous reset acts on its edge. A gated clock may seem to rise before it, in
  // the chip and in what is at the other end of its link.
  context_->assertOn(false);
  dut_ = std::make_unique<Vtern>(context_.get(), "tern");
  host_ = std::make_unique<HostPort>(*dut_);
  axi_ = std::make_unique<AxiBridge>("axi", *dut_,
                                     std::array<AxiBridge::Window, 2>{window_of("hbm"), window_of("host")}, seed);
  partner_ = std::make_unique<LinkPartner>(*context_, seed);
  tensor_faults_ = std::make_unique<TensorFaults>(*context_, seed);
  dut_->rst_por_ni = 1;
  dut_->eval();
  hold_in_reset();
  SC_HAS_PROCESS(TernChip);
  SC_THREAD(run);
}

TernChip::~TernChip() {
  if (waves_ && waves_->dump) waves_->dump->close();
  dut_->final();
}

void TernChip::record_waves(const std::string& file, const sc_core::sc_time& from, const sc_core::sc_time& until) {
  context_->traceEverOn(true);
  waves_ = Waves{file, from, until, nullptr};
}

/// @param at time of the chip, which is ahead of SystemC's within a quantum
void TernChip::dump_waves(const sc_core::sc_time& at) {
  if (at < waves_->from) return;
  if (!waves_->dump) {
    waves_->dump = std::make_unique<VerilatedFstC>();
    waves_->dump->set_time_unit("1ps");
    waves_->dump->set_time_resolution("1ps");
    dut_->trace(waves_->dump.get(), kAllLevels);
    waves_->dump->open(waves_->file.c_str());
  }
  waves_->dump->dump(static_cast<std::uint64_t>(at / sc_core::sc_time(1, sc_core::SC_PS)));
  if (at <= waves_->until) return;
  waves_->dump->close();
  waves_.reset();
}

bool TernChip::powered() const { return in_ != nullptr && in_->por_n && in_->reference_hz > 0; }

void TernChip::run() {
  for (;;) {
    if (!powered()) {
      if (was_powered_) power_off();
      was_powered_ = false;
      wait(wake_);
      continue;
    }
    was_powered_ = true;
    wait(run_quantum());
  }
}

void TernChip::hold_in_reset() {
  // A reset that is low from the start has no edge, so what hangs on it stays random until a clock has passed. Nothing
  // random is worth asserting.
  context_->assertOn(false);
  dut_->clk_ref_i = 0;
  dut_->clk_core_i = 0;
  dut_->rst_por_ni = 0;
  dut_->rail_pgood_i = 0;
  dut_->pll_lock_i = 0;
  dut_->zone_temp_i = 0;
  dut_->link_rx_data_i = 0;
  dut_->link_rx_idle_i = 0xF;
  host_->reset();
  axi_->reset();
  dut_->eval();
  // What a property remembers of the cycle before is random too, until a clock has passed in reset.
  for (int i = 0; i < kResetClocks; ++i) {
    dut_->clk_ref_i = dut_->clk_core_i = 1;
    dut_->eval();
    dut_->clk_ref_i = dut_->clk_core_i = 0;
    dut_->eval();
  }
  context_->assertOn(true);
}

void TernChip::power_off() {
  hold_in_reset();
  partner_->reset();
  core_phase_ = ref_phase_ = sc_core::SC_ZERO_TIME;
  out_ = PinsFromChip{};
  course_.stop();
  publish_course();
  if (on_outputs_) on_outputs_(out_);
}

sc_core::sc_time TernChip::run_quantum() {
  const sc_core::sc_time limit = nominal_core_cycle_ * static_cast<double>(kQuantumCycles);
  const bool core_runs = in_->core_hz > 0;
  const sc_core::sc_time core_period = core_runs ? period_of(in_->core_hz, time_scale_) : sc_core::SC_ZERO_TIME;
  const sc_core::sc_time ref_period = period_of(in_->reference_hz, time_scale_);
  // A slower clock than before must not wait out the faster one's phase, and the other way round.
  core_phase_ = std::min(core_phase_, core_period);
  ref_phase_ = std::min(ref_phase_, ref_period);
  apply_inputs();
  host_finished_ = false;
  ahead_ = sc_core::SC_ZERO_TIME;
  while (ahead_ < limit) {
    const sc_core::sc_time step = core_runs ? std::min(core_phase_, ref_phase_) : ref_phase_;
    ahead_ += step;
    ref_phase_ -= step;
    if (core_runs) core_phase_ -= step;
    const bool core = core_runs && core_phase_ == sc_core::SC_ZERO_TIME;
    const bool ref = ref_phase_ == sc_core::SC_ZERO_TIME;
    step_edge(core, ref);
    if (core) core_phase_ = core_period;
    if (ref) ref_phase_ = ref_period;
    // Both clocks have fallen; half way to the next edge is where that is seen best.
    if (waves_)
      dump_waves(sc_core::sc_time_stamp() + ahead_ +
                 (core_runs ? std::min(core_phase_, ref_phase_) : ref_phase_) * 0.5);
    if (outputs_moved() || host_finished_) break;
  }
  publish();
  return std::max(ahead_, nominal_core_cycle_);
}

void TernChip::step_edge(bool core, bool ref) {
  if (ref) {
    const bool busy = host_->busy();
    host_->sample();
    host_finished_ = host_finished_ || (busy && !host_->busy());
    ++ref_cycles_;
  }
  if (core) {
    axi_->sample(ahead_, nominal_core_cycle_);
    partner_->sample(*dut_);
    ++core_cycles_;
    if (tensor_faults_->any()) tensor_faults_->before_edge(dut_->activity_o & 0xFFU);
  }
  dut_->clk_ref_i = ref;
  dut_->clk_core_i = core;
  dut_->eval();
  if (waves_) dump_waves(sc_core::sc_time_stamp() + ahead_);
  if (ref) host_->drive();
  if (core) {
    partner_->edge();
    axi_->drive();
    partner_->drive(*dut_);
    const unsigned activity = dut_->activity_o;
    std::uint64_t course = 0;
    for (std::size_t zone = 0; zone < kZones; ++zone) {
      const std::uint64_t level = (activity >> (8 * zone)) & 0xFFU;
      activity_[zone] += level;
      course |= level << (16 * zone);
    }
    ++activity_cycles_;
    course_.add(ahead_, course);
    if (stuck_.active || double_error_) apply_cell_faults();
    if (tensor_faults_->any()) tensor_faults_->after_edge();
  }
  dut_->clk_ref_i = 0;
  dut_->clk_core_i = 0;
  dut_->eval();
}

void TernChip::apply_inputs() {
  dut_->rst_por_ni = in_->por_n;
  dut_->rail_pgood_i = in_->power_good & 0x1FU;
  dut_->pll_lock_i = in_->pll_lock;
  dut_->straps_i = in_->straps;
  std::uint64_t zones = 0;
  for (std::size_t zone = 0; zone < kZones; ++zone)
    zones |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(in_->zone_code[zone]) & 0xFFFU) << (12 * zone);
  dut_->zone_temp_i = zones;
  dut_->vr_hot_ni = in_->vr_hot_n;
  dut_->power_brake_ni = in_->power_brake_n;
}

bool TernChip::outputs_moved() {
  return out_.pll_enable != static_cast<bool>(dut_->pll_en_o) || out_.pll_multiplier != dut_->pll_mult_o ||
         out_.thermtrip_n != static_cast<bool>(dut_->thermtrip_no) ||
         out_.alert_n != static_cast<bool>(dut_->alert_no) || out_.fault_n != static_cast<bool>(dut_->fault_no) ||
         out_.throttle != static_cast<bool>(dut_->throttle_o) || out_.irq != static_cast<bool>(dut_->irq_o) ||
         out_.core_reset_n != static_cast<bool>(dut_->core_rst_no);
}

void TernChip::publish() {
  out_.pll_enable = dut_->pll_en_o;
  out_.pll_multiplier = dut_->pll_mult_o;
  out_.thermtrip_n = dut_->thermtrip_no;
  out_.alert_n = dut_->alert_no;
  out_.fault_n = dut_->fault_no;
  out_.throttle = dut_->throttle_o;
  out_.irq = dut_->irq_o;
  out_.core_reset_n = dut_->core_rst_no;
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    out_.heater[zone] = static_cast<std::uint8_t>((dut_->heater_o >> (4 * zone)) & 0xFU);
    out_.activity[zone] = activity_cycles_ > 0
                              ? static_cast<double>(activity_[zone]) / (15.0 * static_cast<double>(activity_cycles_))
                              : 0.0;
    activity_[zone] = 0;
  }
  if (activity_cycles_ == 0) course_.stop();
  activity_cycles_ = 0;
  publish_course();
  if (on_outputs_) on_outputs_(out_);
}

void TernChip::publish_course() {
  const std::vector<ActivityChange>& changes = course_.take();
  if (on_activity_ && !changes.empty()) on_activity_(changes);
}

void TernChip::set_stuck_cell(unsigned word, unsigned bit, bool value) { stuck_ = {word, bit, value, true}; }

void TernChip::set_double_error(unsigned word) {
  double_word_ = word;
  double_error_ = true;
}

void TernChip::apply_cell_faults() {
  auto& memory = dut_->rootp->tern__DOT__i_sram__DOT__i_access__DOT__i_array__DOT__mem;
  if (stuck_.active) {
    auto& part = memory[stuck_.word][stuck_.bit / 32];
    const std::uint32_t mask = 1U << (stuck_.bit % 32);
    part = stuck_.value ? part | mask : part & ~mask;
  }
  if (double_error_) {
    // A word of all zeros is a good code word, so holding two of its bits at one breaks whatever was written, unless
    // both were one.
    memory[double_word_][0] |= 3U;
  }
}

}  // namespace tb
