#include "lab/transports/blocking_worker.h"
#include "lab/transports/schemes.h"

#if FIRSTLIGHT_HAS_MODBUS

#include <fmt/format.h>
#include <modbus/modbus.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight {

namespace {

/// A server that is there answers within this, however slow its controller is; it bounds a call that nobody waits for
/// any more on a line that cannot be interrupted.
constexpr std::chrono::milliseconds kLongestSilence{3000};
constexpr std::uint16_t kMostRegisters = 125;  // of one read (MODBUS Application Protocol 1.1b3, 6.3)
constexpr std::uint16_t kMostBits = 2000;

struct Target {
  bool rtu = false;
  std::string place;    // host, or path of the serial line
  std::string service;  // port
  int baud = 9600;
  char parity = 'N';
  int data_bits = 8;
  int stop_bits = 1;

  std::string text() const { return rtu ? "rtu:" + place : fmt::format("tcp://{}:{}", place, service); }
};

/// The library's connection; used by the worker's thread, but for `interrupt`.
class Connection {
 public:
  explicit Connection(Target target) : target_(std::move(target)) {}

  /// From any thread: a running call on a socket ends at once.
  void interrupt() {
    const std::lock_guard lock(mutex_);
    if (!target_.rtu && context_ != nullptr) ::shutdown(modbus_get_socket(context_.get()), SHUT_RDWR);
  }

  template <class Work>
  ModbusResult transact(std::uint8_t unit, const BlockingWorker::Call& call, Work work) {
    const bool fresh = context_ == nullptr;
    ModbusResult result = attempt(unit, call, work);
    // A server drops a connection that stood idle; what was sent then was never taken.
    const bool again = result.status == ModbusStatus::closed && !fresh && !call.stopped && call.left().count() > 0;
    return again ? attempt(unit, call, work) : result;
  }

 private:
  struct Closer {
    void operator()(modbus_t* context) const {
      modbus_close(context);
      modbus_free(context);
    }
  };
  using Context = std::unique_ptr<modbus_t, Closer>;

  template <class Work>
  ModbusResult attempt(std::uint8_t unit, const BlockingWorker::Call& call, Work work) {
    if (context_ == nullptr) {
      ModbusResult opened = open(call);
      if (opened.status != ModbusStatus::ok) return opened;
    }
    bound(*context_, call);
    ModbusResult result;
    errno = 0;
    if (modbus_set_slave(context_.get(), unit) == 0 && work(context_.get(), result) >= 0) return result;
    result = failure(errno);
    // An answer that comes late must not be taken for the next one's.
    if (result.status != ModbusStatus::exception) close();
    return result;
  }

  static void bound(modbus_t& context, const BlockingWorker::Call& call) {
    const auto most = std::clamp<std::chrono::milliseconds>(call.left(), std::chrono::milliseconds(1), kLongestSilence);
    modbus_set_response_timeout(&context, static_cast<std::uint32_t>(most.count() / 1000),
                                static_cast<std::uint32_t>(most.count() % 1000 * 1000));
  }

  Context make() const {
    return Context(target_.rtu ? modbus_new_rtu(target_.place.c_str(), target_.baud, target_.parity, target_.data_bits,
                                                target_.stop_bits)
                               : modbus_new_tcp_pi(target_.place.c_str(), target_.service.c_str()));
  }

  ModbusResult open(const BlockingWorker::Call& call) {
    Context context = make();
    if (!context) return {ModbusStatus::io_error, {}, 0, modbus_strerror(errno)};
    bound(*context, call);
    if (modbus_connect(context.get()) != 0) {
      const int error = errno;
      const std::string why = error == 0 || error == ECONNREFUSED ? "nobody listens there" : modbus_strerror(error);
      return {error == ETIMEDOUT ? ModbusStatus::timeout : ModbusStatus::closed,
              {},
              0,
              fmt::format("cannot connect to {}: {}", target_.text(), why)};
    }
    const std::lock_guard lock(mutex_);
    context_ = std::move(context);
    return {};
  }

  void close() {
    const std::lock_guard lock(mutex_);
    context_.reset();
  }

  ModbusResult failure(int error) const {
    const int exception = error - MODBUS_ENOBASE;
    if (exception > 0 && exception < MODBUS_EXCEPTION_MAX)
      return {ModbusStatus::exception, {}, exception, modbus_strerror(error)};
    ModbusStatus status = ModbusStatus::io_error;
    if (error == ETIMEDOUT) status = ModbusStatus::timeout;
    if (error == ECONNRESET || error == EPIPE || error == EBADF || error == ECONNREFUSED || error == ENOTCONN)
      status = ModbusStatus::closed;
    return {status, {}, 0, fmt::format("{}: {}", target_.text(), modbus_strerror(error))};
  }

  const Target target_;
  std::mutex mutex_;  // guards the pointer against `interrupt`
  Context context_;
};

int read_table(modbus_t* context, ModbusTable table, int address, int count, std::vector<std::uint16_t>& into) {
  into.assign(static_cast<std::size_t>(count), 0);
  if (table == ModbusTable::input_registers) return modbus_read_input_registers(context, address, count, into.data());
  if (table == ModbusTable::holding_registers) return modbus_read_registers(context, address, count, into.data());
  std::vector<std::uint8_t> bits(into.size());
  const int done = table == ModbusTable::coils ? modbus_read_bits(context, address, count, bits.data())
                                               : modbus_read_input_bits(context, address, count, bits.data());
  std::copy(bits.begin(), bits.end(), into.begin());
  return done;
}

/// A single one goes by the functions for one (5 and 6), which every device has.
int write_table(modbus_t* context, ModbusTable table, int address, const std::vector<std::uint16_t>& values) {
  const int count = static_cast<int>(values.size());
  if (table == ModbusTable::holding_registers)
    return count == 1 ? modbus_write_register(context, address, values[0])
                      : modbus_write_registers(context, address, count, values.data());
  std::vector<std::uint8_t> bits;
  for (const std::uint16_t value : values) bits.push_back(value == 0 ? 0 : 1);
  return count == 1 ? modbus_write_bit(context, address, bits[0])
                    : modbus_write_bits(context, address, count, bits.data());
}

class ModbusClient final : public ModbusBus {
 public:
  ModbusClient(std::string name, Target target, BenchTime& time)
      : name_(std::move(name)),
        connection_(std::make_shared<Connection>(std::move(target))),
        worker_(time, [connection = connection_] { connection->interrupt(); }) {}

  ModbusResult read(std::uint8_t unit, ModbusTable table, std::uint16_t address, std::uint16_t count,
                    Instant deadline) override {
    const bool bits = table == ModbusTable::coils || table == ModbusTable::discrete_inputs;
    const std::uint16_t most = bits ? kMostBits : kMostRegisters;
    if (count == 0 || count > most)
      return {ModbusStatus::io_error, {}, 0, fmt::format("one read takes 1 to {}, not {}", most, count)};
    return transact(unit, deadline, [table, address, count](modbus_t* context, ModbusResult& result) {
      return read_table(context, table, address, count, result.data);
    });
  }

  ModbusResult write(std::uint8_t unit, ModbusTable table, std::uint16_t address,
                     const std::vector<std::uint16_t>& values, Instant deadline) override {
    if (table == ModbusTable::discrete_inputs || table == ModbusTable::input_registers || values.empty())
      return {ModbusStatus::io_error, {}, 0, "only coils and holding registers can be written"};
    return transact(unit, deadline, [table, address, values](modbus_t* context, ModbusResult&) {
      return write_table(context, table, address, values);
    });
  }
  std::string name() const override { return name_; }

 private:
  template <class Work>
  ModbusResult transact(std::uint8_t unit, Instant deadline, Work work) {
    const auto result =
        worker_.run<ModbusResult>(deadline, [connection = connection_, unit, work](const BlockingWorker::Call& call) {
          return connection->transact(unit, call, work);
        });
    return result.value_or(ModbusResult{ModbusStatus::timeout, {}, 0, "no answer within the time"});
  }

  std::string name_;
  std::shared_ptr<Connection> connection_;
  BlockingWorker worker_;  // ends first
};

[[noreturn]] void bad_address(const ResourcePlan& resource) {
  throw FailureError({ErrorClass::bench, "bad_address",
                      fmt::format("{}:{}: resource \"{}\" is at \"{}\"; a Modbus server is at tcp://HOST:PORT or "
                                  "rtu:/dev/serial/by-id/...",
                                  resource.where.file, resource.where.line, resource.name, resource.address),
                      resource.name, "", "", "the address is not of the form"});
}

int integer(const ResourcePlan& resource, const std::string& param, int fallback) {
  const auto found = resource.params.find(param);
  return found == resource.params.end() || !found->second.is_set() ? fallback
                                                                   : static_cast<int>(found->second.integer());
}

std::unique_ptr<ModbusBus> open_tcp(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  Target target;
  const std::size_t colon = rest.rfind(':');
  target.place = rest.substr(0, colon);
  target.service = colon == std::string::npos ? "502" : rest.substr(colon + 1);
  if (target.place.size() > 2 && target.place.front() == '[' && target.place.back() == ']')  // an IPv6 address
    target.place = target.place.substr(1, target.place.size() - 2);
  if (target.place.empty() || target.place.find_first_of("@/ ") != std::string::npos || target.service.empty() ||
      target.service.find_first_not_of("0123456789") != std::string::npos)
    bad_address(resource);
  const std::string name = fmt::format("{} at {}", resource.name, target.text());
  return std::make_unique<ModbusClient>(name, std::move(target), context.time);
}

std::unique_ptr<ModbusBus> open_rtu(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  if (rest.empty() || rest.front() != '/') bad_address(resource);
  const auto parity = resource.params.find("parity");
  Target target;
  target.rtu = true;
  target.place = rest;
  target.baud = integer(resource, "baud", 9600);
  target.data_bits = integer(resource, "data_bits", 8);
  target.stop_bits = integer(resource, "stop_bits", 1);
  if (parity != resource.params.end() && parity->second.is_set()) {
    if (parity->second.text() == "even") target.parity = 'E';
    if (parity->second.text() == "odd") target.parity = 'O';
  }
  const std::string name = fmt::format("{} at {}", resource.name, target.text());
  return std::make_unique<ModbusClient>(name, std::move(target), context.time);
}

}  // namespace

void add_modbus_schemes(SchemeTable& table) {
  table.modbus.push_back({"modbus", "tcp", "tcp://HOST:PORT", "Modbus over TCP.", "", false, open_tcp});
  table.modbus.push_back(
      {"modbus", "rtu", "rtu:/dev/serial/by-id/...", "Modbus RTU on a serial line.", "", true, open_rtu});
}

}  // namespace firstlight

#else

namespace firstlight {

void add_modbus_schemes(SchemeTable& table) {
  const char* missing = "this build has no libmodbus (Debian: libmodbus-dev)";
  table.modbus.push_back({"modbus", "tcp", "tcp://HOST:PORT", "Modbus over TCP.", missing, false, nullptr});
  table.modbus.push_back(
      {"modbus", "rtu", "rtu:/dev/serial/by-id/...", "Modbus RTU on a serial line.", missing, true, nullptr});
}

}  // namespace firstlight

#endif
