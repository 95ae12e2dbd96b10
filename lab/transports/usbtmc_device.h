#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/transports/file_descriptor.h"
#include "lab/transports/message_stream.h"

namespace firstlight {

/// What a USB instrument says of itself in sysfs.
struct UsbInstrument {
  std::string node;    // "/dev/usbtmc0"
  std::string vendor;  // "1ab1", four hex digits, as product
  std::string product;
  std::string serial;
  /// "usbtmc:1ab1:0e11:DP8A1234"
  std::string address() const;
};

/// Those that the kernel's driver has now, in the order of their nodes.
std::vector<UsbInstrument> usb_instruments(const std::string& sysfs = "/sys", const std::string& dev = "/dev");

/// "0x1ab1:0x0e11:DP8A1234" or "1ab1:0e11:DP8A1234" (an empty serial number: any); nothing for another form.
std::optional<UsbInstrument> parse_usb_address(const std::string& text);

/// The kernel's usbtmc driver (Documentation: include/uapi/linux/usb/tmc.h).
class UsbtmcDevice final : public MessageDevice {
 public:
  explicit UsbtmcDevice(FileDescriptor node) : node_(std::move(node)) {}
  StreamResult send(const std::string& message, Limit limit) override;
  StreamResult receive(Limit limit) override;
  void interrupt() override;

 private:
  void limit_to(Limit limit);
  StreamResult failed(int error);

  FileDescriptor node_;
};

}  // namespace firstlight
