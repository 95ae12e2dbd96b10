#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/transports/byte_stream.h"
#include "lab/transports/http_client.h"
#include "lab/transports/hwmon.h"
#include "lab/transports/i2c_bus.h"
#include "lab/transports/ipmi_link.h"
#include "lab/transports/modbus_bus.h"
#include "lab/transports/register_bus.h"

namespace firstlight::trace {

/// The kinds of resources that a trace speaks of, by the transport that reaches them.
enum class Kind : std::uint8_t { i2c, stream, registers, dma_memory, gpio, hwmon, ipmi, http, modbus };
/// "i2c", "stream", ...
std::string_view name_of(Kind kind);

// One struct for each call of a transport: what was asked, then what came back.

/// A resource was opened: the first thing that a trace says of it.
struct Open {
  Kind kind = Kind::i2c;
  std::uint64_t base = 0;  // of DMA memory
  std::uint64_t size = 0;
};
struct I2cTransfer {
  std::uint8_t address = 0;
  std::vector<I2cMessage> messages;
  I2cResult result;
};
struct I2cRecovery {
  bool freed = false;
};
struct RegisterRead {
  std::uint64_t address = 0;
  BusResult result;
};
struct RegisterWrite {
  std::uint64_t address = 0;
  std::uint32_t value = 0;
  BusResult result;
};
struct MemoryRead {
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> bytes;
};
struct MemoryWrite {
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> bytes;
};
struct MemoryBarrier {};
struct StreamWrite {
  std::string bytes;
  StreamResult result;
};
/// To the terminator, or `count` bytes when there is none.
struct StreamRead {
  std::optional<char> terminator;
  std::size_t count = 0;
  StreamResult result;
};
struct StreamDrain {
  std::string bytes;
};
struct StreamReopen {
  StreamResult result;
};
struct LineGet {
  std::string line;
  std::optional<bool> level;
  std::string detail;
};
struct LineSet {
  std::string line;
  bool level = false;
  bool done = false;
  std::string detail;
};
struct HwmonRead {
  std::string attribute;
  HwmonResult result;
};
struct IpmiCommand {
  std::uint8_t net_fn = 0;
  std::uint8_t command = 0;
  std::vector<std::uint8_t> data;
  IpmiResult result;
};
struct HttpRequest {
  std::string method;
  std::string path;
  std::string body;
  HttpResult result;
};
struct ModbusRead {
  std::uint8_t unit = 0;
  ModbusTable table = ModbusTable::coils;
  std::uint16_t address = 0;
  std::uint16_t count = 0;
  ModbusResult result;
};
struct ModbusWrite {
  std::uint8_t unit = 0;
  ModbusTable table = ModbusTable::coils;
  std::uint16_t address = 0;
  std::vector<std::uint16_t> values;
  ModbusResult result;
};

using Access = std::variant<Open, I2cTransfer, I2cRecovery, RegisterRead, RegisterWrite, MemoryRead, MemoryWrite,
                            MemoryBarrier, StreamWrite, StreamRead, StreamDrain, StreamReopen, LineGet, LineSet,
                            HwmonRead, IpmiCommand, HttpRequest, ModbusRead, ModbusWrite>;

/// One access to a resource, as the driver that made it saw it.
struct Transaction {
  std::uint64_t number = 0;  // in the order of the starts, from 0
  Instant start{};
  Duration took{};
  std::optional<Duration> allowed;  // from the start to the deadline; nothing where the call has none
  std::string by;                   // the fiber: a step's id, "interlock overtemp", "undo of rail vdd_core"
  std::string resource;
  bool cut_off = false;  // the fiber was told to stop meanwhile: there is no answer
  Access access;

  Instant end() const { return start + took; }
};

}  // namespace firstlight::trace
