#pragma once

#include <map>
#include <string>
#include <string_view>

namespace firstlight {

/// Something that can say who it is: an instrument, a board, a chip.
class Identity {
 public:
  static constexpr std::string_view kName = "identity";

  Identity() = default;
  Identity(const Identity&) = delete;
  Identity& operator=(const Identity&) = delete;
  virtual ~Identity() = default;

  virtual std::string part() const = 0;
  /// Fields as the part gives them. Common names: "manufacturer", "model", "part_number", "serial_number", "revision".
  virtual std::map<std::string, std::string> identity() = 0;
  /// What the bench file says it must be, as regular expressions by field; empty for what it does not say.
  virtual std::map<std::string, std::string> expected() const = 0;
};

}  // namespace firstlight
