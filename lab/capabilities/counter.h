#pragma once

#include <string>
#include <string_view>

#include "lab/core/quantity.h"

namespace firstlight {

/// A frequency counter.
class FrequencyCounter {
 public:
  static constexpr std::string_view kName = "counter";

  FrequencyCounter() = default;
  FrequencyCounter(const FrequencyCounter&) = delete;
  FrequencyCounter& operator=(const FrequencyCounter&) = delete;
  virtual ~FrequencyCounter() = default;

  virtual std::string part() const = 0;
  virtual int inputs() const = 0;
  /// @param input from 1; another one throws FailureError (bench). 0 Hz when there are no edges.
  virtual Frequency frequency(int input) = 0;
};

}  // namespace firstlight
