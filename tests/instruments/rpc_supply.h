#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "lab/transports/file_descriptor.h"
#include "tests/instruments/supply.h"

namespace firstlight::instruments {

/// The supply behind VXI-11 (VXIbus TCP/IP Instrument Protocol 1.0): a portmapper at port 111 and the core channel on
/// one more port, both over TCP on the loopback. Serves one link at a time.
class RpcSupply {
 public:
  RpcSupply();
  RpcSupply(const RpcSupply&) = delete;
  RpcSupply& operator=(const RpcSupply&) = delete;
  ~RpcSupply();

  /// From now on device_read waits for its time limit and says so.
  void fall_silent() { silent_ = true; }
  int links() const { return links_; }

 private:
  class Call;
  void serve(int listener, bool portmapper);
  std::string carry_out(Call& call);
  std::string read(Call& call);

  FileDescriptor portmapper_;
  FileDescriptor core_;
  FileDescriptor stop_;
  std::uint16_t core_port_ = 0;
  Supply supply_;
  std::string output_;
  std::atomic<bool> silent_{false};
  std::atomic<int> links_{0};
  std::thread portmapper_thread_;
  std::thread core_thread_;
};

/// Gives this process a network of its own, in which every port is free. @return what went wrong, or an empty text
std::string enter_own_network();

}  // namespace firstlight::instruments
