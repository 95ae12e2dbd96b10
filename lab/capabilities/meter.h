#pragma once

#include <string>
#include <string_view>

#include "lab/core/quantity.h"

namespace firstlight {

/// A voltmeter with a scanner in front.
class Meter {
 public:
  static constexpr std::string_view kName = "meter";

  Meter() = default;
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;

  virtual std::string part() const = 0;
  virtual int channels() const = 0;
  /// @param channel from 1; another one throws FailureError (bench)
  virtual Voltage voltage(int channel) = 0;
};

}  // namespace firstlight
