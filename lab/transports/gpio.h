#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Named digital lines of the board: power-goods, trip and fault pins, leak detector, resets. Levels are electrical,
/// not logical.
class Gpio {
 public:
  Gpio() = default;
  Gpio(const Gpio&) = delete;
  Gpio& operator=(const Gpio&) = delete;
  virtual ~Gpio() = default;

  virtual std::vector<std::string> lines() const = 0;
  /// The level now; nothing when the line cannot be read, with `detail` saying why.
  virtual std::optional<bool> get(const std::string& line, std::string* detail = nullptr) = 0;
  /// False when the line cannot be driven.
  virtual bool set(const std::string& line, bool level, std::string* detail = nullptr) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
