#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lab/core/failure.h"
#include "lab/transports/schemes.h"
#include "lab/transports/usbtmc_device.h"

namespace firstlight {

namespace {

[[noreturn]] void refuse(const ResourcePlan& resource, ErrorClass error_class, const std::string& said,
                         std::string cause) {
  throw FailureError({error_class, error_class == ErrorClass::bench ? "bad_address" : "connect_failed",
                      fmt::format("\"{}\" at {} cannot be opened: {}", resource.name, resource.address, said),
                      resource.name, "open " + resource.address, said, std::move(cause)});
}

std::string present() {
  std::vector<std::string> addresses;
  for (const UsbInstrument& one : usb_instruments()) addresses.push_back(one.address());
  return addresses.empty() ? "no USB instrument is at this machine now"
                           : fmt::format("there are now: {}", fmt::join(addresses, ", "));
}

std::unique_ptr<ByteStream> open_usbtmc(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  const auto wanted = parse_usb_address(rest);
  if (!wanted)
    refuse(resource, ErrorClass::bench, "it must be usbtmc:VENDOR:PRODUCT:SERIAL, the first two in hex", present());
  const auto there = usb_instruments();
  const auto found = std::find_if(there.begin(), there.end(), [&](const UsbInstrument& one) {
    return one.vendor == wanted->vendor && one.product == wanted->product &&
           (wanted->serial.empty() || one.serial == wanted->serial);
  });
  if (found == there.end())
    refuse(resource, ErrorClass::infrastructure, "it is not at this machine",
           present() + "; is the kernel's driver there (modprobe usbtmc)?");
  FileDescriptor node(::open(found->node.c_str(), O_RDWR | O_CLOEXEC));
  if (!node)
    refuse(resource, ErrorClass::infrastructure, fmt::format("{}: {}", found->node, std::strerror(errno)),
           "another program has it, or this user may not: a udev rule must give the node to a group");
  return std::make_unique<MessageStream>(resource.address, std::make_shared<UsbtmcDevice>(std::move(node)),
                                         context.time);
}

}  // namespace

void add_usbtmc_schemes(SchemeTable& table) {
  table.streams.push_back({"scpi", "usbtmc", "usbtmc:VENDOR:PRODUCT:SERIAL",
                           "A USB instrument, by the kernel's usbtmc driver.", "", false, open_usbtmc});
}

}  // namespace firstlight
