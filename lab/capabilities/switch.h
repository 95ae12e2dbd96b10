#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstlight {

/// Outlets that are on or off and nothing between: a power strip, a chassis that a BMC powers, a relay.
class Switch {
 public:
  static constexpr std::string_view kName = "switch";

  Switch() = default;
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;
  virtual ~Switch() = default;

  virtual std::string part(const std::string& outlet) const = 0;
  /// What `outlet` may be below; another one throws FailureError (bench).
  virtual std::vector<std::string> outlets() = 0;
  /// Each returns when the outlet reads back as it should; FailureError (bench) when it does not in the driver's time.
  virtual void turn_on(const std::string& outlet) = 0;
  virtual void turn_off(const std::string& outlet) = 0;
  /// Off, and on again.
  virtual void cycle(const std::string& outlet) = 0;
  virtual bool on(const std::string& outlet) = 0;
};

}  // namespace firstlight
