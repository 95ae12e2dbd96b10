#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/register_map.h"
#include "lab/trace/transaction.h"

namespace firstlight::replay {

enum class Agreement {
  exact,
  near,     // readings of a physical quantity, within tolerance
  ignored,  // what counts time
  different,
};

/// One part of an answer that is not as recorded: a field of a register, a status, a byte.
struct Deviation {
  std::string part;
  std::string expected;
  std::string found;
};

struct Finding {
  Agreement agreement = Agreement::exact;
  std::vector<Deviation> deviations;  // of a different one
};

/// Knows what answers mean, and so which of their parts must be as recorded.
class Judge {
 public:
  /// @param bench names the parts behind the buses @param registers of the chip, or null; both outlive the judge
  Judge(const BenchPlan& bench, const RegisterMap* registers);

  /// A message to an instrument that asks for a measurement, which may be asked again.
  static bool asks_for_a_reading(const std::string& message);
  /// Hears every transaction when it is made, in order: what was asked decides what the next answer is.
  void follow(const trace::Transaction& transaction);
  /// @param found the same access with the answer of now
  Finding compare(const trace::Transaction& recorded, const trace::Access& found) const;
  /// "read of thermal.hottest (0x010084)", "READ_VOUT of vr_core page 1 (vdd_sram)".
  std::string describe(const trace::Transaction& transaction) const;

 private:
  struct Device {
    const DriverPlan* driver = nullptr;
    int page = 0;
  };
  struct Comparing;
  struct Describing;
  using Wire = std::pair<std::string, std::uint8_t>;  // I2C resource and address

  Finding registers(const trace::RegisterRead& recorded, const trace::RegisterRead& found) const;
  Finding i2c(const Wire& wire, const trace::I2cTransfer& recorded, const trace::I2cTransfer& found) const;
  Finding stream(const std::string& resource, const StreamResult& recorded, const StreamResult& found) const;
  bool is_pmbus(const Wire& wire) const;
  std::string register_name(std::uint64_t address) const;
  std::string device_name(const Wire& wire) const;

  const BenchPlan& bench_;
  const RegisterMap* map_;
  std::map<Wire, Device> devices_;
  std::map<std::string, std::string> questions_;  // the last message to each stream
};

}  // namespace firstlight::replay
