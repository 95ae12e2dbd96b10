#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstlight {

/// Named digital lines. Levels are electrical: true is high.
class Lines {
 public:
  static constexpr std::string_view kName = "lines";

  Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  virtual ~Lines() = default;

  virtual std::string part(const std::string& line) const = 0;
  virtual std::vector<std::string> names() const = 0;
  /// Throws FailureError (bench for an unknown name, infrastructure when it cannot be read or driven).
  virtual bool level(const std::string& line) = 0;
  virtual void drive(const std::string& line, bool level) = 0;
};

}  // namespace firstlight
