#include "lab/transports/i2c/device_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "lab/core/failure.h"

namespace firstlight::i2c {

namespace {

class LinuxDeviceFile final : public DeviceFile {
 public:
  explicit LinuxDeviceFile(int file) : file_(file) {}
  LinuxDeviceFile(const LinuxDeviceFile&) = delete;
  LinuxDeviceFile& operator=(const LinuxDeviceFile&) = delete;
  ~LinuxDeviceFile() override { ::close(file_); }

  int control(unsigned long request, void* argument) override { return result(::ioctl(file_, request, argument)); }
  int control(unsigned long request, unsigned long argument) override {
    return result(::ioctl(file_, request, argument));
  }
  bool try_lock() override { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }
  void unlock() override { ::flock(file_, LOCK_UN); }

 private:
  static int result(int returned) { return returned < 0 ? -errno : returned; }

  int file_;
};

std::string advice_for(int error) {
  switch (error) {
    case ENOENT:
      return "no such adapter: `modprobe i2c-dev`, and see `ls /sys/class/i2c-adapter`; numbers change from boot to "
             "boot, so name the adapter instead: i2c:ADAPTER NAME";
    case EACCES:
    case EPERM:
      return "this user may not use the adapter: add them to the group i2c, or a udev rule";
    case ENXIO:
    case ENODEV:
      return "the adapter is gone: its driver was unbound, or its USB cable is out";
    default:
      return "the kernel refuses to open the adapter";
  }
}

}  // namespace

std::unique_ptr<DeviceFile> open_device_file(const std::string& path, const std::string& resource) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0) return std::make_unique<LinuxDeviceFile>(file);
  const int error = errno;
  throw FailureError(
      {ErrorClass::infrastructure, "i2c_open",
       fmt::format("resource \"{}\": {} cannot be opened: {}", resource, path, std::generic_category().message(error)),
       resource, "open " + path, std::generic_category().message(error), advice_for(error)});
}

}  // namespace firstlight::i2c
