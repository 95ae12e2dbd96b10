#include <fmt/format.h>

#include <map>
#include <set>

#include "lab/cli/lab_station.h"
#include "lab/core/failure.h"
#include "lab/transports/lab_provider.h"

namespace firstlight::cli {

namespace {

template <class Transport>
using Held = std::map<std::string, std::unique_ptr<Transport>>;

/// Gives each transport that it holds once; opens what it does not hold.
class HoldingProvider final : public TransportProvider {
 public:
  HoldingProvider(BenchTime& time, const BenchPlan& plan) : lab_(time, plan) {}

  /// @return false for a type that is not worth holding: memory of this host, or what others are reached through
  bool hold(const ResourcePlan& resource) {
    const std::string& type = resource.type;
    if (type == "i2c") return keep(i2c_, resource, lab_.open_i2c(resource));
    if (type == "scpi" || type == "exec") return keep(streams_, resource, lab_.open_stream(resource));
    if (type == "registers") return keep(registers_, resource, lab_.open_registers(resource));
    if (type == "gpio") return keep(gpios_, resource, lab_.open_gpio(resource));
    if (type == "ipmi") return keep(ipmi_, resource, lab_.open_ipmi(resource));
    if (type == "redfish") return keep(http_, resource, lab_.open_http(resource));
    if (type == "modbus") return keep(modbus_, resource, lab_.open_modbus(resource));
    return false;
  }

  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& r) override {
    return given(i2c_, r, [&] { return lab_.open_i2c(r); });
  }
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan& r) override {
    return given(streams_, r, [&] { return lab_.open_stream(r); });
  }
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& r) override {
    return given(registers_, r, [&] { return lab_.open_registers(r); });
  }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan& r) override {
    return given(gpios_, r, [&] { return lab_.open_gpio(r); });
  }
  std::unique_ptr<IpmiLink> open_ipmi(const ResourcePlan& r) override {
    return given(ipmi_, r, [&] { return lab_.open_ipmi(r); });
  }
  std::unique_ptr<HttpClient> open_http(const ResourcePlan& r) override {
    return given(http_, r, [&] { return lab_.open_http(r); });
  }
  std::unique_ptr<ModbusBus> open_modbus(const ResourcePlan& r) override {
    return given(modbus_, r, [&] { return lab_.open_modbus(r); });
  }
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan& r) override { return lab_.open_dma_memory(r); }
  std::unique_ptr<Hwmon> open_hwmon(const ResourcePlan& r) override { return lab_.open_hwmon(r); }

 private:
  template <class Transport>
  static bool keep(Held<Transport>& held, const ResourcePlan& resource, std::unique_ptr<Transport> transport) {
    held[resource.name] = std::move(transport);
    return true;
  }
  template <class Transport, class Open>
  static std::unique_ptr<Transport> given(Held<Transport>& held, const ResourcePlan& resource, const Open& open) {
    const auto found = held.find(resource.name);
    if (found == held.end()) return open();
    auto transport = std::move(found->second);
    held.erase(found);
    return transport;
  }

  LabProvider lab_;
  Held<I2cBus> i2c_;
  Held<ByteStream> streams_;
  Held<RegisterBus> registers_;
  Held<Gpio> gpios_;
  Held<IpmiLink> ipmi_;
  Held<HttpClient> http_;
  Held<ModbusBus> modbus_;
};

class SecondLabStation final : public SecondStation {
 public:
  SecondLabStation(const BenchPlan& plan, std::chrono::nanoseconds epoch)
      : plan_(plan), time_(make_time_source(plan, std::chrono::steady_clock::time_point(epoch))) {}

  TimeSource& time_source() override { return *time_; }

  std::string connect_early(BenchTime& time) override {
    bench_time_ = &time;
    held_ = std::make_unique<HoldingProvider>(time, plan_);
    std::set<std::string> used;
    for (const DriverPlan& driver : plan_.drivers) used.insert(driver.uses.begin(), driver.uses.end());
    std::string trouble;
    for (const ResourcePlan& resource : plan_.resources) {
      if (used.count(resource.name) == 0 || is_exclusive(resource)) continue;
      try {
        held_->hold(resource);
      } catch (const FailureError& error) {
        // An instrument that takes one connection at a time is connected when the run is gone.
        trouble += fmt::format("{}{}: {}", trouble.empty() ? "" : "; ", resource.name, error.failure().message);
      }
    }
    return trouble;
  }

  TransportProvider& held() override { return *held_; }
  TransportProvider& anew() override {
    // The old ones stay: drivers may still be using them.
    anew_.push_back(std::make_unique<LabProvider>(*bench_time_, plan_));
    return *anew_.back();
  }

 private:
  const BenchPlan plan_;
  const std::unique_ptr<TimeSource> time_;
  BenchTime* bench_time_ = nullptr;
  std::unique_ptr<HoldingProvider> held_;
  std::vector<std::unique_ptr<LabProvider>> anew_;
};

}  // namespace

std::unique_ptr<SecondStation> make_second_station(const BenchPlan& plan, std::chrono::nanoseconds epoch) {
  return std::make_unique<SecondLabStation>(plan, epoch);
}

}  // namespace firstlight::cli
