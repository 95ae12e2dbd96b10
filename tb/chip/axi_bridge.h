#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "tb/chip/memory_lanes.h"

class Vtern;

namespace tb {

/// The subordinate on Tern's AXI4 port: turns each burst into one TLM-2.0 transaction and paces the answers by the
/// delay that comes back. Two windows of the address map have a target each; what lies in none answers DECERR. The
/// wires of the first, the external memory, have lanes with eyes.
class AxiBridge : public sc_core::sc_module {
 public:
  static constexpr std::size_t kWindows = 2;
  struct Window {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
  };
  tlm_utils::simple_initiator_socket_tagged<AxiBridge> hbm_socket;
  tlm_utils::simple_initiator_socket_tagged<AxiBridge> host_socket;

  /// @param seed of the lanes
  AxiBridge(const sc_core::sc_module_name& name, Vtern& dut, std::array<Window, kWindows> windows, std::uint64_t seed);

  MemoryLanes& lanes() { return lanes_; }

  /// Before the rising edge of the core clock: sees what the edge sees.
  /// @param ahead how far the chip's own time is ahead of SystemC time; @param cycle one core cycle
  void sample(const sc_core::sc_time& ahead, const sc_core::sc_time& cycle);
  /// After the edge: drives the inputs of the next cycle.
  void drive();
  /// The chip lost power or was reset: nothing that was asked will be answered.
  void reset();

  std::uint64_t beats_read() const { return beats_read_; }
  std::uint64_t beats_written() const { return beats_written_; }

 private:
  struct Burst {
    std::uint64_t address = 0;
    unsigned id = 0;
    unsigned beats = 0;
  };
  struct WriteData {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint8_t> enable;
    std::vector<std::uint64_t> flips;  // a beat: what the external memory's wires do to it
  };
  struct ReadBurst {
    unsigned id = 0;
    unsigned response = 0;
    bool by_lanes = false;    // over the external memory's wires
    std::uint64_t ready = 0;  // cycle of the first beat
    std::vector<std::uint64_t> data;
    std::size_t next = 0;
  };
  struct WriteResponse {
    unsigned id = 0;
    unsigned response = 0;
    std::uint64_t ready = 0;
  };

  void sample_read();
  void sample_write();
  void finish_write();
  void drive_read();
  bool over_lanes(std::uint64_t address) const;
  unsigned transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t count,
                     const std::uint8_t* enable, std::uint64_t& ready);

  Vtern& dut_;
  std::array<Window, kWindows> windows_;
  MemoryLanes lanes_;
  std::uint64_t now_ = 0;
  sc_core::sc_time ahead_;
  sc_core::sc_time cycle_;
  std::deque<ReadBurst> reads_;
  std::deque<Burst> write_addresses_;
  WriteData write_data_;
  std::deque<WriteData> finished_data_;
  std::deque<WriteResponse> responses_;
  std::uint64_t beats_read_ = 0;
  std::uint64_t beats_written_ = 0;
};

}  // namespace tb
