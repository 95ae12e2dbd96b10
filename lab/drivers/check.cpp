#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "lab/drivers/registry.h"
#include "lab/transports/address_check.h"

namespace firstlight {

namespace {

/// Building a driver takes no time.
class NoTime final : public BenchTime {
 public:
  Instant now() const override { return {}; }
  void sleep_until(Instant) override { refuse(); }
  std::unique_ptr<Event> make_event() override { refuse(); }
  bool wait(Event&, Instant) override { refuse(); }
  void offload(const std::function<void()>&) override { refuse(); }
  void post(std::function<void()>) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("a driver waits while it is built"); }
};

/// Drivers that know the place more exactly write it before their message: "desk.yaml:12:9: ...".
Diagnostic diagnostic_of(const DriverPlan& driver, const Failure& failure) {
  Diagnostic told{driver.where, failure.message, {}, {}};
  const std::string& text = failure.message;
  std::size_t at = driver.where.file.size();
  if (text.compare(0, at, driver.where.file) != 0 || text.compare(at, 1, ":") != 0) return told;
  SourceLocation where{driver.where.file, 0, 0};
  for (int* part : {&where.line, &where.column}) {
    if (text.compare(at, 1, ":") != 0) break;
    const auto end = std::from_chars(text.data() + at + 1, text.data() + text.size(), *part).ptr;
    if (end == text.data() + at + 1) break;
    at = static_cast<std::size_t>(end - text.data());
  }
  if (where.line == 0 || text.compare(at, 2, ": ") != 0) return told;
  return {where, text.substr(at + 2), {}, {}};
}

}  // namespace

void check_drivers(const BenchPlan& plan, Diagnostics& diagnostics) {
  NoTime time;
  Bench bench(plan, time);
  AddressCheck addresses(bench.plan());
  DriverEnvironment environment(bench, addresses);
  for (const DriverPlan& driver : bench.plan().drivers) {
    try {
      for (const DriverType& type : all_driver_types())
        if (type.spec.driver == driver.driver) type.build(driver, environment);
    } catch (const FailureError& error) {
      Failure failure = error.failure();
      if (failure.symptom != AddressCheck::kNotOpened) diagnostics.add(diagnostic_of(driver, failure));
      // What is built on this driver cannot be checked either, and is not to blame.
      failure.symptom = AddressCheck::kNotOpened;
      bench.leave_out(driver.name, failure);
    }
  }
}

}  // namespace firstlight
