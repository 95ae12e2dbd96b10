#include <fmt/format.h>

#include <algorithm>

#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/scpi/answer.h"
#include "lab/replay/hex.h"
#include "lab/replay/judge.h"
#include "lab/trace/names.h"

namespace firstlight::replay {

namespace {

using trace::text_of;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kShownBytes = 24;

}  // namespace

std::string hex(const Bytes& bytes, std::size_t from) {
  if (from >= bytes.size()) return "nothing";
  const std::size_t until = std::min(bytes.size(), from + kShownBytes);
  std::string text;
  for (std::size_t i = from; i < until; ++i) text += fmt::format("{}{:02x}", i == from ? "" : " ", bytes[i]);
  return until < bytes.size() ? text + " ..." : text;
}

bool Judge::is_pmbus(const Wire& wire) const {
  const auto known = devices_.find(wire);
  return known != devices_.end() && known->second.driver->driver.rfind("pmbus", 0) == 0;
}

std::string Judge::register_name(std::uint64_t address) const {
  const auto low = static_cast<std::uint32_t>(address);
  if (map_ == nullptr || low != address) return fmt::format("0x{:x}", address);
  const std::string name = map_->name_of(low);
  return name.rfind("0x", 0) == 0 ? name : fmt::format("{} (0x{:06x})", name, low);
}

std::string Judge::device_name(const Wire& wire) const {
  const auto known = devices_.find(wire);
  if (known == devices_.end()) return fmt::format("I2C address 0x{:02x}", wire.second);
  const Device& device = known->second;
  if (!is_pmbus(wire)) return device.driver->name;
  for (const RailPlan& rail : bench_.rails)
    if (rail.driver == device.driver->name && rail.page == device.page)
      return fmt::format("{} page {} ({})", device.driver->name, device.page, rail.name);
  return fmt::format("{} page {}", device.driver->name, device.page);
}

struct Judge::Describing {
  const Judge& judge;
  const std::string& resource;

  std::string operator()(const trace::Open& access) const { return fmt::format("opening of {}", text_of(access.kind)); }
  std::string operator()(const trace::I2cTransfer& access) const {
    const Wire wire{resource, access.address};
    const Bytes sent = access.messages.empty() ? Bytes{} : access.messages.front().write;
    const bool reads = !access.messages.empty() && (access.messages.back().read != 0 || access.messages.back().block);
    if (!sent.empty() && judge.is_pmbus(wire)) {
      const std::string name = name_of(static_cast<pmbus::Command>(sent.front()));
      if (reads) return fmt::format("read of {} of {}", name, judge.device_name(wire));
      return fmt::format("write of {} to {}: {}", name, judge.device_name(wire), hex(sent, 1));
    }
    return fmt::format("{} {}: {}", reads ? "read of" : "write to", judge.device_name(wire), hex(sent));
  }
  std::string operator()(const trace::I2cRecovery&) const { return "recovery of the bus"; }
  std::string operator()(const trace::RegisterRead& access) const {
    return "read of " + judge.register_name(access.address);
  }
  std::string operator()(const trace::RegisterWrite& access) const {
    return fmt::format("write of 0x{:08x} to {}", access.value, judge.register_name(access.address));
  }
  std::string operator()(const trace::MemoryRead& access) const {
    return fmt::format("read of {} bytes at offset 0x{:x}", access.bytes.size(), access.offset);
  }
  std::string operator()(const trace::MemoryWrite& access) const {
    return fmt::format("write of {} bytes at offset 0x{:x}", access.bytes.size(), access.offset);
  }
  std::string operator()(const trace::MemoryBarrier&) const { return "barrier"; }
  std::string operator()(const trace::StreamWrite& access) const {
    return "sending of " + scpi::printable(scpi::trim(access.bytes));
  }
  std::string operator()(const trace::StreamRead&) const {
    const auto asked = judge.questions_.find(resource);
    return asked == judge.questions_.end() ? "reading" : "answer to " + scpi::printable(asked->second);
  }
  std::string operator()(const trace::StreamDrain&) const { return "dropping of what had come"; }
  std::string operator()(const trace::StreamReopen&) const { return "connecting again"; }
  std::string operator()(const trace::LineGet& access) const { return "level of " + access.line; }
  std::string operator()(const trace::LineSet& access) const {
    return fmt::format("setting of {} to {}", access.line, access.level ? "high" : "low");
  }
  std::string operator()(const trace::HwmonRead& access) const { return "read of " + access.attribute; }
  std::string operator()(const trace::IpmiCommand& access) const {
    return fmt::format("IPMI command 0x{:02x}/0x{:02x}", access.net_fn, access.command);
  }
  std::string operator()(const trace::HttpRequest& access) const { return access.method + " " + access.path; }
  std::string operator()(const trace::ModbusRead& access) const {
    return fmt::format("Modbus read of {} {} of unit {}", text_of(access.table), access.address, access.unit);
  }
  std::string operator()(const trace::ModbusWrite& access) const {
    return fmt::format("Modbus write of {} {} of unit {}", text_of(access.table), access.address, access.unit);
  }
};

std::string Judge::describe(const trace::Transaction& transaction) const {
  return std::visit(Describing{*this, transaction.resource}, transaction.access);
}

}  // namespace firstlight::replay
