#pragma once

#include <verilated.h>
#include <verilated_cov.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

namespace tb::blocks {

/// The seed of this run: `--seed N` on the command line or FIRSTLIGHT_SEED, else 1. Printed once by main, so any
/// failure runs again from it.
std::uint64_t seed();

/// Something that lives on a port group of the device under test. Both calls happen once a cycle: `sample` sees all
/// ports as the rising edge sees them and must not write; `drive` writes the inputs of the next cycle, just after the
/// edge.
class Agent {
 public:
  Agent() = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  Agent(Agent&&) = delete;
  Agent& operator=(Agent&&) = delete;
  virtual ~Agent() = default;
  virtual void sample() = 0;
  virtual void drive() = 0;
};

/// One verilated block in SystemC: a clock thread that evaluates it, agents around it, and a test body that says how
/// many cycles pass. SystemC elaborates once a process, so one bench serves all tests of a program; each test begins
/// with `reset`. `Model` has `clk_i` and `rst_ni`, or the names that the two setters write.
template <class Model>
class BlockBench : public sc_core::sc_module {
 public:
  using Setter = std::function<void(Model&, bool)>;

  explicit BlockBench(
      sc_core::sc_module_name name, Setter clock = [](Model& m, bool v) { m.clk_i = v; },
      Setter reset_n = [](Model& m, bool v) { m.rst_ni = v; }, const sc_core::sc_time& period = {1, sc_core::SC_NS})
      : sc_module(name),
        context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Model>(context_.get(), "tern")),
        clock_(std::move(clock)),
        reset_n_(std::move(reset_n)),
        period_(period) {
    SC_HAS_PROCESS(BlockBench);
    SC_THREAD(run);
  }
  BlockBench(const BlockBench&) = delete;
  BlockBench& operator=(const BlockBench&) = delete;
  BlockBench(BlockBench&&) = delete;
  BlockBench& operator=(BlockBench&&) = delete;
  ~BlockBench() override {
    // Verilator unregisters scopes in the thread's context, which may be that of another bench, gone already.
    Verilated::threadContextp(context_.get());
    model_->final();
    write_coverage();
  }

  Model& dut() { return *model_; }
  std::uint64_t cycles() const { return cycles_; }

  /// Agents are not owned; they live as long as the bench is clocked, or until `remove`.
  void add(Agent& agent) { agents_.push_back(&agent); }
  void clear_agents() { agents_.clear(); }

  /// Lets `count` clock cycles pass.
  void cycle(std::uint64_t count = 1) { sc_core::sc_start(period_ * static_cast<double>(count)); }

  /// Cycles until `done` holds, `limit` cycles at the most. True when it held.
  bool cycle_until(const std::function<bool()>& done, std::uint64_t limit) {
    for (std::uint64_t i = 0; i < limit; ++i) {
      if (done()) return true;
      cycle();
    }
    return done();
  }

  void reset(std::uint64_t cycles = 4) {
    reset_n_(*model_, false);
    cycle(cycles);
    reset_n_(*model_, true);
    cycle();
  }

 private:
  /// What the tests reached, as <name of the bench>.dat in the folder that FIRSTLIGHT_COVERAGE_DIR names, when it is
  /// set. Each program needs a folder of its own.
  void write_coverage() {
    if (const char* dir = std::getenv("FIRSTLIGHT_COVERAGE_DIR"))
      context_->coveragep()->write((std::string(dir) + "/" + name() + ".dat").c_str());
  }
  void run() {
    for (;;) {
      tick();
      wait(period_);
    }
  }
  void tick() {
    clock_(*model_, false);
    model_->eval();
    for (Agent* agent : agents_) agent->sample();
    clock_(*model_, true);
    model_->eval();
    for (Agent* agent : agents_) agent->drive();
    model_->eval();
    context_->timeInc(1);
    ++cycles_;
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  Setter clock_;
  Setter reset_n_;
  sc_core::sc_time period_;
  std::vector<Agent*> agents_;
  std::uint64_t cycles_ = 0;
};

}  // namespace tb::blocks
