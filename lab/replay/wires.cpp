#include "lab/replay/wires.h"

#include <algorithm>

namespace firstlight::replay {

bool Wires::open(const std::string& resource, trace::Kind kind) {
  const auto plan = std::find_if(bench_.resources.begin(), bench_.resources.end(),
                                 [&](const ResourcePlan& one) { return one.name == resource; });
  if (plan == bench_.resources.end()) return false;
  switch (kind) {
    case trace::Kind::i2c:
      i2c_[resource] = provider_.open_i2c(*plan);
      break;
    case trace::Kind::stream:
      streams_[resource] = provider_.open_stream(*plan);
      break;
    case trace::Kind::registers:
      registers_[resource] = provider_.open_registers(*plan);
      break;
    case trace::Kind::dma_memory:
      memories_[resource] = provider_.open_dma_memory(*plan);
      break;
    case trace::Kind::gpio:
      gpios_[resource] = provider_.open_gpio(*plan);
      break;
    case trace::Kind::hwmon:
      hwmons_[resource] = provider_.open_hwmon(*plan);
      break;
    case trace::Kind::ipmi:
      ipmi_[resource] = provider_.open_ipmi(*plan);
      break;
    case trace::Kind::http:
      http_[resource] = provider_.open_http(*plan);
      break;
    case trace::Kind::modbus:
      modbus_[resource] = provider_.open_modbus(*plan);
      break;
  }
  return true;
}

bool Wires::has(const std::string& resource) const {
  return i2c_.count(resource) + streams_.count(resource) + registers_.count(resource) + memories_.count(resource) +
             gpios_.count(resource) + hwmons_.count(resource) + ipmi_.count(resource) + http_.count(resource) +
             modbus_.count(resource) >
         0;
}

struct Wires::Maker {
  Wires& wires;
  const std::string& resource;
  Instant deadline;

  void operator()(trace::Open&) const {}
  void operator()(trace::I2cTransfer& access) const {
    access.result = wires.i2c_.at(resource)->transfer(access.address, access.messages, deadline);
  }
  void operator()(trace::I2cRecovery& access) const { access.freed = wires.i2c_.at(resource)->recover(deadline); }
  void operator()(trace::RegisterRead& access) const {
    access.result = wires.registers_.at(resource)->read(access.address, deadline);
  }
  void operator()(trace::RegisterWrite& access) const {
    access.result = wires.registers_.at(resource)->write(access.address, access.value, deadline);
  }
  void operator()(trace::MemoryRead& access) const {
    wires.memories_.at(resource)->read(access.offset, access.bytes.data(), access.bytes.size());
  }
  void operator()(trace::MemoryWrite& access) const {
    wires.memories_.at(resource)->write(access.offset, access.bytes.data(), access.bytes.size());
  }
  void operator()(trace::MemoryBarrier&) const { wires.memories_.at(resource)->barrier(); }
  void operator()(trace::StreamWrite& access) const {
    access.result = wires.streams_.at(resource)->write(access.bytes, deadline);
  }
  void operator()(trace::StreamRead& access) const {
    ByteStream& stream = *wires.streams_.at(resource);
    access.result = access.terminator ? stream.read_until(*access.terminator, deadline)
                                      : stream.read_exactly(access.count, deadline);
  }
  void operator()(trace::StreamDrain& access) const { access.bytes = wires.streams_.at(resource)->drain(); }
  void operator()(trace::StreamReopen& access) const { access.result = wires.streams_.at(resource)->reopen(deadline); }
  void operator()(trace::LineGet& access) const {
    access.detail.clear();
    access.level = wires.gpios_.at(resource)->get(access.line, &access.detail);
  }
  void operator()(trace::LineSet& access) const {
    access.detail.clear();
    access.done = wires.gpios_.at(resource)->set(access.line, access.level, &access.detail);
  }
  void operator()(trace::HwmonRead& access) const {
    access.result = wires.hwmons_.at(resource)->read(access.attribute, deadline);
  }
  void operator()(trace::IpmiCommand& access) const {
    access.result = wires.ipmi_.at(resource)->command(access.net_fn, access.command, access.data, deadline);
  }
  void operator()(trace::HttpRequest& access) const {
    access.result = wires.http_.at(resource)->request(access.method, access.path, access.body, deadline);
  }
  void operator()(trace::ModbusRead& access) const {
    access.result = wires.modbus_.at(resource)->read(access.unit, access.table, access.address, access.count, deadline);
  }
  void operator()(trace::ModbusWrite& access) const {
    access.result =
        wires.modbus_.at(resource)->write(access.unit, access.table, access.address, access.values, deadline);
  }
};

trace::Access Wires::make(const std::string& resource, const trace::Access& access, Instant deadline) {
  trace::Access again = access;
  std::visit(Maker{*this, resource, deadline}, again);
  return again;
}

}  // namespace firstlight::replay
