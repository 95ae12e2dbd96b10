#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {

/// One sensor of the simulated BMC, as its record says it.
struct SimulatedSensor {
  int number = 0;
  std::string name;
  int unit = 1;  // IPMI 2.0, table 43-15
  int m = 1;
  int b = 0;
  int k1 = 0;
  int k2 = 0;
  int format = 0;
  int linearisation = 0;
  std::uint8_t raw = 0;
  std::string scanning = "scanning";
};

/// OpenIPMI's ipmi_sim with a LAN channel on loopback, a user, sensors, and a chassis whose power is a file.
class Simulator {
 public:
  static constexpr const char* kUser = "bench";
  static constexpr const char* kPassword = "hunter2-secret";

  explicit Simulator(const std::vector<SimulatedSensor>& sensors) : port_(free_port()) {
    if (!on_path("ipmi_sim") || !on_path("ipmitool"))
      throw std::runtime_error("ipmi_sim or ipmitool is missing: run scripts/setup");
    std::filesystem::create_directories(folder_ / "state");
    write("power", "0\n");
    write("chassis", chassis_program());
    ::chmod((folder_ / "chassis").c_str(), 0700);
    write("lan.conf", lan_configuration());
    write("commands", commands(sensors));
    write("password", std::string(kPassword) + "\n");
    ::chmod(password_file().c_str(), 0600);
    start();
  }

  void start() {
    process_ = std::make_unique<PeerProcess>(std::vector<std::string>{
        "ipmi_sim", "-c", folder_ / "lan.conf", "-f", folder_ / "commands", "-s", folder_ / "state", "-n"});
    for (int i = 0; i < 100; ++i) {  // UDP: it is there when it answers
      if (ipmitool({"mc", "info"}).status == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("ipmi_sim does not answer:\n" + process_->output());
  }
  void stop() { process_.reset(); }
  PeerProcess& process() { return *process_; }

  int port() const { return port_; }
  std::string password_file() const { return folder_ / "password"; }
  std::string power() const {
    std::ifstream file(folder_ / "power");
    std::string text;
    std::getline(file, text);
    return text;
  }
  void break_chassis() { write("stuck", ""); }

  /// The same question by another program.
  Finished ipmitool(const std::vector<std::string>& what) const {
    std::vector<std::string> command = {"ipmitool",
                                        "-I",
                                        "lanplus",
                                        "-H",
                                        "127.0.0.1",
                                        "-p",
                                        std::to_string(port_),
                                        "-U",
                                        kUser,
                                        "-f",
                                        password_file(),
                                        "-L",
                                        "operator",
                                        "-C",
                                        "3",
                                        "-N",
                                        "1",
                                        "-R",
                                        "2"};
    command.insert(command.end(), what.begin(), what.end());
    return run_program(command, std::chrono::seconds(10));
  }

 private:
  void write(const std::string& name, const std::string& content) const { std::ofstream(folder_ / name) << content; }

  /// ipmi_sim asks it "get power" and tells it "set power 1".
  static std::string chassis_program() {
    return R"sh(#!/bin/sh
here=$(dirname "$0")
case "$2" in
  get) echo "power:$(cat "$here/power")" ;;
  set) [ -e "$here/stuck" ] || [ "$3" != power ] || echo "$4" >"$here/power" ;;
esac
)sh";
  }

  std::string lan_configuration() const {
    std::string text = fmt::format(
        "name \"bench\"\nset_working_mc 0x20\n  startlan 1\n    addr 127.0.0.1 {}\n"
        "    priv_limit admin\n",
        port_);
    for (const char* level : {"callback", "user", "operator", "admin"})
      text += fmt::format("    allowed_auths_{} md5\n", level);
    text += fmt::format(
        "    guid a123456789abcdefa123456789abcdef\n  endlan\n  chassis_control \"{} 0x20\"\n"
        "  user 2 true \"{}\" \"{}\" operator 10 md5\n",
        folder_ / "chassis", kUser, kPassword);
    return text;
  }

  static std::string commands(const std::vector<SimulatedSensor>& sensors) {
    std::string text = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\n";
    for (const SimulatedSensor& sensor : sensors) {
      text += fmt::format("sensor_add 0x20 0 {0} 1 1\nsensor_set_value 0x20 0 {0} 0x{1:02x} 0\n", sensor.number,
                          sensor.raw);
      text += fmt::format(
          "sensor_set_threshold 0x20 0 {} settable 111000 0xa0 0x90 0x70 0x00 0x00 0x00\n"
          "sensor_set_event_support 0x20 0 {} enable {} per-state 000111111000000 000111111000000 000111111000000 "
          "000111111000000\n",
          sensor.number, sensor.number, sensor.scanning);
      text += fmt::format("main_sdr_add 0x20 0x{:02x}\n", fmt::join(record(sensor), " 0x"));
    }
    return text + "mc_enable 0x20\n";
  }

  /// A full sensor record (IPMI 2.0, 43.1).
  static std::vector<std::uint8_t> record(const SimulatedSensor& sensor) {
    const auto byte = [](int value) { return static_cast<std::uint8_t>(value & 0xff); };
    std::vector<std::uint8_t> out(48, 0);
    out[2] = 0x51;
    out[3] = 1;
    out[5] = 0x20;
    out[7] = byte(sensor.number);
    out[8] = 7;
    out[9] = 1;
    out[10] = 0x7f;
    out[11] = 0x58;
    out[12] = 1;
    out[13] = 1;
    out[18] = out[19] = 0x38;
    out[20] = byte(sensor.format << 6);
    out[21] = byte(sensor.unit);
    out[23] = byte(sensor.linearisation);
    out[24] = byte(sensor.m);
    out[25] = byte(sensor.m >> 2 & 0xc0);
    out[26] = byte(sensor.b);
    out[27] = byte(sensor.b >> 2 & 0xc0);
    out[29] = byte((sensor.k2 & 0xf) << 4 | (sensor.k1 & 0xf));
    out[47] = byte(0xc0 | static_cast<int>(sensor.name.size()));
    out.insert(out.end(), sensor.name.begin(), sensor.name.end());
    out[4] = byte(static_cast<int>(out.size()) - 5);
    return out;
  }

  TemporaryFolder folder_;
  int port_;
  std::unique_ptr<PeerProcess> process_;
};

}  // namespace firstlight::peers
