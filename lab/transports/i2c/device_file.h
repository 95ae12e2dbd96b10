#pragma once

#include <memory>
#include <string>

namespace firstlight::i2c {

/// The calls into Linux that an I2C adapter needs (Documentation/i2c/dev-interface). Tests put their own kernel here.
class DeviceFile {
 public:
  DeviceFile() = default;
  DeviceFile(const DeviceFile&) = delete;
  DeviceFile& operator=(const DeviceFile&) = delete;
  virtual ~DeviceFile() = default;

  /// ioctl with a pointer or a number for its argument. @return what the kernel returns, or -errno
  virtual int control(unsigned long request, void* argument) = 0;
  virtual int control(unsigned long request, unsigned long argument) = 0;
  /// An advisory lock against other programs (flock). False when another one has it; never waits.
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
};

/// Opens /dev/i2c-N. Throws FailureError (infrastructure) with what to do about it.
/// @param resource the bench's name of it, for messages
std::unique_ptr<DeviceFile> open_device_file(const std::string& path, const std::string& resource);

}  // namespace firstlight::i2c
