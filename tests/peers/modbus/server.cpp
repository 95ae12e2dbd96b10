// A coolant unit as a Modbus server, by libmodbus: `server tcp PORT` or `server rtu` (which prints the path of its
// serial line). It holds the registers of the device map generic-cdu. What it does otherwise depends on the unit that
// is asked:
//   1 works; 2 answers with exception 4; 3 says nothing; 4 closes the connection; 5 works, but its set points stay as
//   they are
#include <fcntl.h>
#include <modbus/modbus.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>

namespace {

struct Free {
  void operator()(modbus_t* context) const { modbus_free(context); }
  void operator()(modbus_mapping_t* mapping) const { modbus_mapping_free(mapping); }
};
using Context = std::unique_ptr<modbus_t, Free>;
using Mapping = std::unique_ptr<modbus_mapping_t, Free>;

constexpr int kCoils = 8;
constexpr int kRegisters = 16;

/// High word first. (The library's own setter of this version puts the bytes in the host's order.)
void set_float(std::uint16_t* at, float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  at[0] = static_cast<std::uint16_t>(bits >> 16U);
  at[1] = static_cast<std::uint16_t>(bits & 0xffffU);
}

Mapping make_unit() {
  Mapping unit(modbus_mapping_new(kCoils, kCoils, kRegisters, kRegisters));
  unit->tab_registers[0] = 250;  // 25.0 degC
  set_float(unit->tab_registers + 1, 1.0F);
  unit->tab_input_registers[4] = 2;  // 150000 Pa, high word first
  unit->tab_input_registers[5] = 150000 - 2 * 65536;
  return unit;
}

/// The plant: with the pump on, the coolant flows and comes as it is set; its outlet is 1.5 K warmer.
void run_plant(modbus_mapping_t& unit) {
  const bool pump = unit.tab_bits[0] != 0;
  unit.tab_input_registers[0] = unit.tab_registers[0];
  unit.tab_input_registers[1] = static_cast<std::uint16_t>(unit.tab_registers[0] + 15);
  set_float(unit.tab_input_registers + 2, pump ? modbus_get_float_abcd(unit.tab_registers + 1) : 0.0F);
  unit.tab_input_bits[0] = unit.tab_bits[7];                        // coil 7 wets the drip tray
  if (unit.tab_bits[6] != 0) unit.tab_input_registers[1] = 0x7fff;  // coil 6 breaks the outlet's sensor
  if (unit.tab_bits[5] != 0) unit.tab_input_registers[0] = 9000;    // coil 5 makes the inlet 900 degC
}

/// False when the connection is to be closed.
bool serve(modbus_t* context, modbus_mapping_t& unit, const std::uint8_t* request, int length) {
  const int header = modbus_get_header_length(context);
  const int asked = request[header - 1];
  if (asked == 3) return true;
  if (asked == 4) return false;
  if (asked == 2) return modbus_reply_exception(context, request, MODBUS_EXCEPTION_SLAVE_OR_SERVER_FAILURE) >= 0;
  const Mapping before(modbus_mapping_new(kCoils, kCoils, kRegisters, kRegisters));
  std::memcpy(before->tab_registers, unit.tab_registers, kRegisters * sizeof(std::uint16_t));
  const bool good = modbus_reply(context, request, length, &unit) >= 0;
  if (asked == 5) std::memcpy(unit.tab_registers, before->tab_registers, kRegisters * sizeof(std::uint16_t));
  run_plant(unit);
  return good;
}

int serve_tcp(int port) {
  const Context context(modbus_new_tcp("127.0.0.1", port));
  const Mapping unit = make_unit();
  run_plant(*unit);
  int listener = modbus_tcp_listen(context.get(), 4);
  if (listener < 0) return EXIT_FAILURE;
  std::set<int> sockets = {listener};
  while (true) {
    fd_set ready;
    FD_ZERO(&ready);
    for (const int socket : sockets) FD_SET(socket, &ready);
    if (select(*sockets.rbegin() + 1, &ready, nullptr, nullptr, nullptr) < 0) return EXIT_FAILURE;
    for (const int socket : std::set<int>(sockets)) {
      if (FD_ISSET(socket, &ready) == 0) continue;
      if (socket == listener) {
        const int fresh = modbus_tcp_accept(context.get(), &listener);
        if (fresh >= 0) sockets.insert(fresh);
        continue;
      }
      std::array<std::uint8_t, MODBUS_TCP_MAX_ADU_LENGTH> request{};
      modbus_set_socket(context.get(), socket);
      const int length = modbus_receive(context.get(), request.data());
      if (length >= 0 && (length == 0 || serve(context.get(), *unit, request.data(), length))) continue;
      ::close(socket);
      sockets.erase(socket);
    }
  }
}

int serve_rtu() {
  const int line = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (line < 0 || ::grantpt(line) != 0 || ::unlockpt(line) != 0) return EXIT_FAILURE;
  termios raw{};
  ::tcgetattr(line, &raw);
  ::cfmakeraw(&raw);
  ::tcsetattr(line, TCSANOW, &raw);
  const std::string path = ::ptsname(line);
  const int other_end = ::open(path.c_str(), O_RDWR | O_NOCTTY);  // keeps the line up while nobody else has it open
  std::printf("line %s\n", path.c_str());
  std::fflush(stdout);
  const Context context(modbus_new_rtu(path.c_str(), 115200, 'N', 8, 1));
  modbus_set_slave(context.get(), 1);
  modbus_set_socket(context.get(), line);
  const Mapping unit = make_unit();
  run_plant(*unit);
  while (other_end >= 0) {
    std::array<std::uint8_t, MODBUS_RTU_MAX_ADU_LENGTH> request{};
    const int length = modbus_receive(context.get(), request.data());
    if (length > 0) serve(context.get(), *unit, request.data(), length);
  }
  return EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "tcp") == 0) return serve_tcp(std::atoi(arguments[2]));
  if (count == 2 && std::strcmp(arguments[1], "rtu") == 0) return serve_rtu();
  std::fprintf(stderr, "usage: server tcp PORT | server rtu\n");
  return EXIT_FAILURE;
}
