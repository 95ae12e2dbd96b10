// What a wire costs: the same operation on the same model, in this process and behind sockets, serial lines and an
// agent.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "lab/bench/parse.h"
#include "lab/drivers/registry.h"
#include "lab/runner/scheduler.h"
#include "lab/runner/wall_time_source.h"
#include "lab/transports/lab_provider.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/virtual_bench.h"
#include "tests/bench/programs.h"
#include "tests/peers/support/peer_process.h"

namespace bench {
namespace {

using namespace firstlight;  // NOLINT(google-build-using-namespace): this file is about nothing else
using Wall = std::chrono::steady_clock;

constexpr double kMicro = 1e6;
constexpr std::uint8_t kRegulator = 0x44;  // vr_io, whose page 0 is vdd_aon
constexpr std::uint8_t kReadVout = 0x8b;

BenchPlan plan_of(const std::string& file, const BenchVariables& variables) {
  Vocabulary vocabulary;
  vocabulary.resources = resource_type_specs();
  vocabulary.drivers = driver_type_specs();
  vocabulary.rail_measures = rail_measure_specs();
  vocabulary.faults = tb::model_fault_specs();
  vocabulary.register_names = tern_registers().names();
  Diagnostics diagnostics;
  auto plan = parse_bench(file, vocabulary, diagnostics, variables);
  if (plan) return *std::move(plan);
  std::string text = file + " is not right:";
  for (const auto& one : diagnostics.list()) text += "\n" + to_text(one, {});
  throw std::runtime_error(text);
}

const ResourcePlan& resource(const BenchPlan& plan, const std::string& name) {
  for (const ResourcePlan& one : plan.resources)
    if (one.name == name) return one;
  throw std::runtime_error(plan.file + " has no resource " + name);
}

void expect(bool fine, const std::string& what, const std::string& detail) {
  if (!fine) throw std::runtime_error(what + " did not work: " + detail);
}

/// The board's wires, however they are reached.
class Wires {
 public:
  Wires(TransportProvider& provider, const BenchPlan& plan, BenchTime& time)
      : time_(time),
        psu_(provider.open_stream(resource(plan, "psu0"))),
        clock_(provider.open_stream(resource(plan, "clk0"))),
        i2c_(provider.open_i2c(resource(plan, "i2c0"))),
        registers_(provider.open_registers(resource(plan, "regs0"))) {}

  /// As far as the chip's registers answer: 12 V, vdd_aon, reference clock.
  void power_up() {
    query(*psu_, "VOLT 12;CURR 10;OUTP ON;*OPC?");
    time_.sleep(std::chrono::milliseconds(50));
    transfer({I2cMessage::writing({0x00, 0x00})});
    transfer({I2cMessage::writing({0x01, 0x80})});
    query(*clock_, "FREQ 100MHZ;OUTP ON;*OPC?");
    time_.sleep(std::chrono::milliseconds(100));
  }
  void read_register() {
    const BusResult got = registers_->read(0, soon());
    expect(got.status == BusStatus::ok, "a register read", got.detail);
  }
  void read_i2c_word() { transfer({I2cMessage::writing({kReadVout}), I2cMessage::reading(2)}); }
  void query_tcp() { query(*psu_, "VOLT?"); }
  void query_serial() { query(*clock_, "FREQ?"); }

 private:
  Instant soon() const { return time_.now() + std::chrono::seconds(2); }
  void query(ByteStream& stream, const std::string& text) {
    const StreamResult sent = stream.write(text + "\n", soon());
    expect(sent.status == StreamStatus::ok, text, sent.detail);
    const StreamResult got = stream.read_until('\n', soon());
    expect(got.status == StreamStatus::ok, text, got.detail);
  }
  void transfer(const std::vector<I2cMessage>& messages) {
    const I2cResult got = i2c_->transfer(kRegulator, messages, soon());
    expect(got.status == I2cStatus::ok, "an I2C transfer", got.detail);
  }

  BenchTime& time_;
  std::unique_ptr<ByteStream> psu_;
  std::unique_ptr<ByteStream> clock_;
  std::unique_ptr<I2cBus> i2c_;
  std::unique_ptr<RegisterBus> registers_;
};

/// Medians, in seconds.
struct Cost {
  double wall = 0;
  double bench_time = 0;
};
struct Costs {
  Cost registers;
  Cost i2c;
  Cost tcp;
  Cost serial;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Cost cost_of(BenchTime& time, unsigned count, const std::function<void()>& operation) {
  std::vector<double> wall;
  std::vector<double> bench_time;
  for (unsigned i = 0; i < count; ++i) {
    const auto start = Wall::now();
    const Instant from = time.now();
    operation();
    bench_time.push_back(seconds(time.now() - from));
    wall.push_back(std::chrono::duration<double>(Wall::now() - start).count());
  }
  return {median(std::move(wall)), median(std::move(bench_time))};
}

Costs measure(Scheduler& scheduler, TransportProvider& provider, const BenchPlan& plan, unsigned count) {
  Costs costs;
  scheduler.run([&] {
    Wires wires(provider, plan, scheduler);
    wires.power_up();
    costs.registers = cost_of(scheduler, count, [&] { wires.read_register(); });
    costs.i2c = cost_of(scheduler, count, [&] { wires.read_i2c_word(); });
    costs.tcp = cost_of(scheduler, count, [&] { wires.query_tcp(); });
    costs.serial = cost_of(scheduler, count, [&] { wires.query_serial(); });
  });
  return costs;
}

Costs measure_in_process(unsigned count) {
  const BenchPlan plan = plan_of("lab/benches/model.yaml", {});
  const auto station = tb::make_virtual_station(plan, 1);
  Scheduler scheduler(station->time_source());
  return measure(scheduler, station->connect(scheduler), plan, count);
}

/// `firstlight model` in a process of its own, on free ports; it stands beside this program.
class Listening {
 public:
  Listening() : process_(command()) {
    const std::string endpoints = folder_ / "endpoints.json";
    for (int i = 0; i < 3000 && !std::filesystem::exists(endpoints) && process_.running(); ++i)
      process_.wait(std::chrono::milliseconds(10));
    std::ifstream in(endpoints);
    const auto told = nlohmann::json::parse(in, nullptr, false);
    expect(told.is_object(), "firstlight model", process_.output());
    for (const auto& [name, value] : told.at("variables").items())
      variables_.emplace_back(name, value.get<std::string>());
  }
  const BenchVariables& variables() const { return variables_; }

 private:
  std::vector<std::string> command() {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "firstlight";
    return {program.string(), "model",       "--listen",    folder_.path().string(), "--seed",      "1",
            "--bench-var",    "psu0_port=0", "--bench-var", "dmm0_port=0",           "--bench-var", "agent_port=0"};
  }
  peers::TemporaryFolder folder_;
  peers::PeerProcess process_;
  BenchVariables variables_;
};

Costs measure_on_desk(unsigned count) {
  const Listening model;
  const BenchPlan plan = plan_of("lab/benches/desk.yaml", model.variables());
  WallTimeSource source;
  Scheduler::Options options;
  options.wall_clock = true;
  Scheduler scheduler(source, options);
  LabProvider provider(scheduler, plan);
  return measure(scheduler, provider, plan, count);
}

void add(const Results& results, const std::string& name, const Cost& there, const Cost& here) {
  results.add({name, there.wall * kMicro, "us", here.bench_time * kMicro});
  results.add({name + "_in_process", here.wall * kMicro, "us", here.bench_time * kMicro});
}

}  // namespace

void measure_transports(const Results& results, bool quick) {
  const unsigned count = quick ? 5 : 1000;
  const Costs here = measure_in_process(count);
  const Costs there = measure_on_desk(count);
  add(results, "agent_register_read", there.registers, here.registers);
  add(results, "agent_i2c_word_read", there.i2c, here.i2c);
  add(results, "tcp_scpi_query", there.tcp, here.tcp);
  add(results, "serial_scpi_query", there.serial, here.serial);
}

}  // namespace bench
