#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/capabilities/measurable.h"
#include "lab/capabilities/safeguard.h"
#include "lab/core/bench_time.h"
#include "lab/core/failure.h"

namespace firstlight {

/// The bench at run time: what it offers, by name. Drivers put capabilities in; steps, monitors and interlocks take
/// them out.
class Bench {
 public:
  Bench(BenchPlan plan, BenchTime& time);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench();

  const BenchPlan& plan() const { return plan_; }
  BenchTime& time() { return time_; }

  void add(Measurable measurable);
  /// By name or alias. An unknown name throws FailureError (bench): plans are checked before, so a driver did not offer
  /// what its table promises.
  const Measurable& measurable(const std::string& name) const;
  bool has_measurable(const std::string& name) const;
  std::vector<std::string> measurable_names() const;

  /// What `rail` hands out is guarded by the bench's envelope.
  void add(std::unique_ptr<Rail> rail);
  Rail& rail(const std::string& name);
  /// In the order of the bench file.
  std::vector<Rail*> rails();

  /// A capability by its interface type; `driver` picks one when several drivers offer it, and may be empty when there
  /// is one. Throws FailureError (bench) that names what is missing.
  template <class Capability>
  Capability& get(const std::string& driver = {}) {
    return *static_cast<Capability*>(find(typeid(Capability), driver, Capability::kName));
  }
  template <class Capability>
  bool has(const std::string& driver = {}) const {
    return try_find(typeid(Capability), driver) != nullptr;
  }
  /// Every driver that offers the capability, in the order of the bench file.
  template <class Capability>
  std::vector<std::string> offering() const {
    return drivers_offering(typeid(Capability));
  }
  /// `object` stays alive through `keep`. What `get` hands out of those that energise is guarded by the envelope.
  template <class Capability>
  void offer(const std::string& driver, Capability& object) {
    put(typeid(Capability), driver, static_cast<void*>(&guard(driver, object)));
  }
  void keep(std::shared_ptr<void> object) { kept_.push_back(std::move(object)); }
  /// The driver could not be built: whoever asks for what it would have offered is told why.
  void leave_out(const std::string& driver, const Failure& why) { left_out_.emplace(driver, why); }

  Safeguard& safeguard() { return safeguard_; }

 private:
  template <class Capability>
  Capability& guard(const std::string&, Capability& object) {
    return object;
  }
  Supply& guard(const std::string& driver, Supply& supply);
  ClockSource& guard(const std::string& driver, ClockSource& clock);
  CoolantUnit& guard(const std::string& driver, CoolantUnit& unit);
  Load& guard(const std::string& driver, Load& load);
  Setpoints& guard(const std::string& driver, Setpoints& setpoints);
  Switch& guard(const std::string& driver, Switch& outlets);
  void put(std::type_index type, const std::string& driver, void* object);
  void* try_find(std::type_index type, const std::string& driver) const;
  void* find(std::type_index type, const std::string& driver, std::string_view capability) const;
  std::vector<std::string> drivers_offering(std::type_index type) const;
  void throw_if_left_out(const std::string& driver) const;

  struct Offer {
    std::string driver;
    void* object = nullptr;
  };

  BenchPlan plan_;
  BenchTime& time_;
  Safeguard safeguard_;
  std::vector<std::shared_ptr<void>> kept_;  // destroyed last, in reverse
  std::map<std::type_index, std::vector<Offer>> offers_;
  std::map<std::string, Measurable> measurables_;
  std::vector<std::unique_ptr<Rail>> rails_;  // guarded
  std::map<std::string, Failure> left_out_;   // by driver
};

}  // namespace firstlight
