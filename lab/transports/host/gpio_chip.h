#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace firstlight::host {

/// A GPIO controller, by libgpiod 1 or 2, whichever the build found. A line that is read keeps the direction that it
/// has; only `set` makes it an output. One thread at a time.
class GpioChip {
 public:
  GpioChip() = default;
  GpioChip(const GpioChip&) = delete;
  GpioChip& operator=(const GpioChip&) = delete;
  virtual ~GpioChip() = default;

  /// Null, with `why` filled, when it cannot be opened.
  static std::unique_ptr<GpioChip> open(const std::filesystem::path& device, std::string& why);

  virtual std::string label() const = 0;
  /// Names by offset, empty for lines that the kernel has none for.
  virtual std::vector<std::string> line_names() const = 0;
  virtual std::optional<bool> get(unsigned offset, std::string& why) = 0;
  virtual bool set(unsigned offset, bool level, std::string& why) = 0;
};

}  // namespace firstlight::host
