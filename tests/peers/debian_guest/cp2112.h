#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/transports/file_descriptor.h"

namespace firstlight::peers {

/// The GPIO part of a Silicon Labs CP2112 USB adapter (AN495), for the kernel's own driver of it: a HID device made
/// with /dev/uhid.
class Cp2112 {
 public:
  static constexpr unsigned kLines = 8;
  struct Line {
    bool output = false;
    bool level = false;
  };

  Cp2112();
  Cp2112(const Cp2112&) = delete;
  Cp2112& operator=(const Cp2112&) = delete;
  ~Cp2112();

  Line line(unsigned index) const;
  /// What the outside drives onto an input.
  void drive(unsigned index, bool level);
  /// Commands that set levels or directions.
  int changes() const { return changes_; }

 private:
  using Report = std::vector<unsigned char>;  // with its number in front

  void serve();
  Report get(unsigned char number) const;
  void set(const Report& report);
  unsigned char bits(bool Line::*member) const;

  FileDescriptor device_;
  mutable std::mutex mutex_;
  std::array<Line, kLines> lines_{};
  std::atomic<int> changes_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace firstlight::peers
