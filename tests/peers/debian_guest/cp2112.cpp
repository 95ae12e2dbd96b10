#include "tests/peers/debian_guest/cp2112.h"

#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace firstlight::peers {

namespace {

constexpr unsigned char kGpioConfig = 0x02;
constexpr unsigned char kGpioGet = 0x03;
constexpr unsigned char kGpioSet = 0x04;
constexpr unsigned char kVersion = 0x05;
constexpr unsigned char kSmbusConfig = 0x06;
constexpr std::size_t kSmbusConfigSize = 14;

/// One vendor-defined input report; the driver asks for the others by number.
constexpr std::array<unsigned char, 21> kDescriptor = {0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x13, 0x09, 0x02,
                                                       0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x3f, 0x81, 0x02};
constexpr unsigned char kEndOfCollection = 0xc0;

}  // namespace

Cp2112::Cp2112() : device_(::open("/dev/uhid", O_RDWR | O_CLOEXEC)) {
  uhid_event create{};
  create.type = UHID_CREATE2;
  std::strcpy(reinterpret_cast<char*>(create.u.create2.name), "CP2112");
  std::copy(kDescriptor.begin(), kDescriptor.end(), create.u.create2.rd_data);
  create.u.create2.rd_data[kDescriptor.size()] = kEndOfCollection;
  create.u.create2.rd_size = kDescriptor.size() + 1;
  create.u.create2.bus = BUS_USB;
  create.u.create2.vendor = 0x10c4;
  create.u.create2.product = 0xea90;
  if (::write(device_.get(), &create, sizeof create) != ssize_t{sizeof create})
    throw std::runtime_error("/dev/uhid takes no device");
  thread_ = std::thread([this] { serve(); });
}

Cp2112::~Cp2112() {
  over_ = true;
  thread_.join();
}

Cp2112::Line Cp2112::line(unsigned index) const {
  const std::lock_guard lock(mutex_);
  return lines_.at(index);
}

void Cp2112::drive(unsigned index, bool level) {
  const std::lock_guard lock(mutex_);
  lines_.at(index).level = level;
}

unsigned char Cp2112::bits(bool Line::*member) const {
  unsigned value = 0;
  for (unsigned i = 0; i < kLines; ++i)
    if (lines_[i].*member) value |= 1U << i;
  return static_cast<unsigned char>(value);
}

Cp2112::Report Cp2112::get(unsigned char number) const {
  const std::lock_guard lock(mutex_);
  switch (number) {
    case kGpioConfig:
      return {number, bits(&Line::output), 0xff, 0, 0};
    case kGpioGet:
      return {number, bits(&Line::level)};
    case kVersion:
      return {number, 0x0c, 0x02};
    case kSmbusConfig: {
      Report report(kSmbusConfigSize);
      report[0] = number;
      return report;
    }
    default:
      return {};
  }
}

void Cp2112::set(const Report& report) {
  const std::lock_guard lock(mutex_);
  if (report.size() < 3 || (report[0] != kGpioConfig && report[0] != kGpioSet)) return;
  ++changes_;
  for (unsigned i = 0; i < kLines; ++i) {
    const unsigned bit = 1U << i;
    if (report[0] == kGpioConfig) lines_[i].output = (report[1] & bit) != 0;
    // A level that is set for an input has no effect.
    if (report[0] == kGpioSet && (report[2] & bit) != 0 && lines_[i].output) lines_[i].level = (report[1] & bit) != 0;
  }
}

void Cp2112::serve() {
  while (!over_) {
    pollfd ready{device_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 20) != 1) continue;
    uhid_event event{};
    if (::read(device_.get(), &event, sizeof event) <= 0) continue;
    uhid_event reply{};
    if (event.type == UHID_GET_REPORT) {
      const Report report = get(event.u.get_report.rnum);
      reply.type = UHID_GET_REPORT_REPLY;
      reply.u.get_report_reply.id = event.u.get_report.id;
      reply.u.get_report_reply.err = report.empty() ? EIO : 0;
      reply.u.get_report_reply.size = static_cast<unsigned short>(report.size());
      std::copy(report.begin(), report.end(), reply.u.get_report_reply.data);
    } else if (event.type == UHID_SET_REPORT) {
      set(Report(event.u.set_report.data, event.u.set_report.data + event.u.set_report.size));
      reply.type = UHID_SET_REPORT_REPLY;
      reply.u.set_report_reply.id = event.u.set_report.id;
    } else {
      continue;
    }
    if (::write(device_.get(), &reply, sizeof reply) < 0) return;
  }
}

}  // namespace firstlight::peers
