#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/trace/transaction.h"
#include "lab/transports/provider.h"

namespace firstlight::test {

/// A bench with a regulator, a port of registers and a few lines, whose answers a test decides.
struct ToyBench final : TransportProvider {
  BenchPlan plan;
  BenchTime* time = nullptr;
  Duration register_takes{};
  std::function<BusResult(std::uint64_t address)> read = [](std::uint64_t) { return BusResult{}; };
  std::function<std::optional<bool>(const std::string& line)> level = [](const std::string&) { return true; };
  std::vector<std::pair<Instant, std::uint64_t>> reads;
  std::vector<std::pair<Instant, std::uint64_t>> writes;

  ToyBench() {
    for (const auto& [name, type] :
         std::vector<std::pair<std::string, std::string>>{{"i2c0", "i2c"}, {"regs0", "registers"}, {"gpio0", "gpio"}}) {
      ResourcePlan resource;
      resource.name = name;
      resource.type = type;
      plan.resources.push_back(std::move(resource));
    }
    DriverPlan regulator;
    regulator.name = "vr_core";
    regulator.driver = "pmbus";
    regulator.uses = {"i2c0"};
    regulator.params["address"] = Value{std::int64_t{0x40}, {}};
    plan.drivers.push_back(std::move(regulator));
    RailPlan rail;
    rail.name = "vdd_sram";
    rail.driver = "vr_core";
    rail.page = 1;
    plan.rails.push_back(std::move(rail));
  }

  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan&) override {
    struct Bus final : RegisterBus {
      explicit Bus(ToyBench& b) : bench(b) {}
      BusResult read(std::uint64_t address, Instant) override {
        bench.reads.emplace_back(bench.time->now(), address);
        if (bench.register_takes > Duration::zero()) bench.time->sleep(bench.register_takes);
        return bench.read(address);
      }
      BusResult write(std::uint64_t address, std::uint32_t, Instant) override {
        bench.writes.emplace_back(bench.time->now(), address);
        if (bench.register_takes > Duration::zero()) bench.time->sleep(bench.register_takes);
        return {};
      }
      std::string name() const override { return "toy"; }
      ToyBench& bench;
    };
    return std::make_unique<Bus>(*this);
  }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan&) override {
    struct Lines final : Gpio {
      explicit Lines(ToyBench& b) : bench(b) {}
      std::vector<std::string> lines() const override { return {"leak_n"}; }
      std::optional<bool> get(const std::string& line, std::string*) override { return bench.level(line); }
      bool set(const std::string&, bool, std::string*) override { return false; }
      std::string name() const override { return "toy"; }
      ToyBench& bench;
    };
    return std::make_unique<Lines>(*this);
  }
};

}  // namespace firstlight::test
