#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/peers/support/peer_process.h"

namespace firstlight::peers {

/// A QEMU machine whose processor stands still: the test does the accesses to its buses, through QEMU's qtest socket
/// (docs/devel/qtest.rst). Its clock moves only by `step`.
class QtestMachine {
 public:
  /// @param command QEMU with machine and devices. Throws std::runtime_error when it does not come up, as does every
  ///   call that QEMU refuses or does not answer within 5 s.
  explicit QtestMachine(std::vector<std::string> command);
  QtestMachine(const QtestMachine&) = delete;
  QtestMachine& operator=(const QtestMachine&) = delete;
  ~QtestMachine();

  /// One command. @return what follows "OK" in its answer
  std::string ask(const std::string& command);
  std::uint32_t read32(std::uint64_t address);
  void write32(std::uint64_t address, std::uint32_t value);
  /// Ports of an x86 machine.
  std::uint32_t in32(std::uint16_t port);
  void out32(std::uint16_t port, std::uint32_t value);
  std::vector<std::uint8_t> read(std::uint64_t address, std::size_t count);
  void write(std::uint64_t address, const std::uint8_t* data, std::size_t count);
  void step(std::chrono::nanoseconds time);

 private:
  std::string read_line();

  TemporaryFolder folder_;
  std::unique_ptr<PeerProcess> qemu_;
  int socket_ = -1;
  std::string received_;
};

}  // namespace firstlight::peers
