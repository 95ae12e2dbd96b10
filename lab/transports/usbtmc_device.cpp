#include "lab/transports/usbtmc_device.h"

#include <fmt/format.h>
#include <linux/usb/tmc.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace firstlight {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = std::size_t{64} << 10U;
constexpr std::size_t kLargest = std::size_t{64} << 20U;
constexpr std::uint32_t kLeastTimeout = 100;  // of the driver, ms

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string four_digits(const std::string& hex) {
  const bool prefixed = hex.size() > 2 && hex[0] == '0' && (hex[1] == 'x' || hex[1] == 'X');
  const std::string digits = prefixed ? hex.substr(2) : hex;
  unsigned value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc() || stopped != end || value > 0xffff) return {};
  return fmt::format("{:04x}", value);
}

}  // namespace

std::string UsbInstrument::address() const { return fmt::format("usbtmc:{}:{}:{}", vendor, product, serial); }

std::vector<UsbInstrument> usb_instruments(const std::string& sysfs, const std::string& dev) {
  std::vector<UsbInstrument> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(sysfs) / "class" / "usbmisc", error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("usbtmc", 0) != 0) continue;
    // The node belongs to an interface; its device, which has the identity, is the folder above.
    const fs::path device = fs::canonical(entry.path() / "device", error).parent_path();
    if (error) continue;
    found.push_back({dev + "/" + name, first_line(device / "idVendor"), first_line(device / "idProduct"),
                     first_line(device / "serial")});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  return found;
}

std::optional<UsbInstrument> parse_usb_address(const std::string& text) {
  const auto first = text.find(':');
  const auto second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  UsbInstrument wanted;
  wanted.vendor = four_digits(text.substr(0, first));
  wanted.product = four_digits(text.substr(first + 1, second - first - 1));
  wanted.serial = text.substr(second + 1);
  if (wanted.vendor.empty() || wanted.product.empty()) return std::nullopt;
  return wanted;
}

void UsbtmcDevice::limit_to(Limit limit) {
  std::uint32_t milliseconds = std::max(kLeastTimeout, static_cast<std::uint32_t>(limit.count()));
  ::ioctl(node_.get(), USBTMC_IOCTL_SET_TIMEOUT, &milliseconds);
}

StreamResult UsbtmcDevice::failed(int error) {
  if (error == ETIMEDOUT || error == EAGAIN) {
    // The instrument still owes an answer: a device clear (USBTMC 1.0, 4.2.1.6) ends that on both sides.
    ::ioctl(node_.get(), USBTMC_IOCTL_CLEAR);
    return {StreamStatus::timeout, {}, "the instrument gave no answer; it was sent a device clear"};
  }
  const bool gone = error == ENODEV || error == ESHUTDOWN || error == EPIPE || error == EPROTO;
  return {gone ? StreamStatus::closed : StreamStatus::io_error, {}, std::strerror(error)};
}

StreamResult UsbtmcDevice::send(const std::string& message, Limit limit) {
  limit_to(limit);
  const ssize_t sent = ::write(node_.get(), message.data(), message.size());
  if (sent == static_cast<ssize_t>(message.size())) return {};
  return failed(sent < 0 ? errno : EIO);
}

StreamResult UsbtmcDevice::receive(Limit limit) {
  limit_to(limit);
  StreamResult message;
  // The driver asks for as much as there is place; less than that is the end of the message.
  for (ssize_t count = kChunk; count == static_cast<ssize_t>(kChunk);) {
    const std::size_t before = message.data.size();
    message.data.resize(before + kChunk);
    count = ::read(node_.get(), message.data.data() + before, kChunk);
    const int error = errno;
    message.data.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0) {
      StreamResult result = failed(error);
      result.data = std::move(message.data);
      return result;
    }
    if (message.data.size() > kLargest)
      return {StreamStatus::io_error, std::move(message.data), "the message does not end"};
  }
  return message;
}

void UsbtmcDevice::interrupt() { ::ioctl(node_.get(), USBTMC_IOCTL_CANCEL_IO); }

}  // namespace firstlight
