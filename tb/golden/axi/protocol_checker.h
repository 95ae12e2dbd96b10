#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/golden/axi/axi_types.h"

namespace tb::golden::axi {

/// Watches one AXI4 port, a rising edge at a time, and says in words what breaks the protocol: payloads that change
/// while they wait (A3.2.1), bursts across 4 KiB (A3.4.1), unaligned addresses (a rule of Tern's), write data without
/// address or with `last` in the wrong place, responses that nothing asked for or that come before the data they
/// answer, read bursts of the wrong length. Beats of different IDs may interleave.
class ProtocolChecker {
 public:
  explicit ProtocolChecker(std::string name) : name_(std::move(name)) {}

  void observe(const Cycle& cycle);
  /// After a reset of the port: what was open is forgotten, violations stay.
  void reset();

  /// Broken rules so far, each with port and cycle; at most 100 are kept.
  const std::vector<std::string>& violations() const { return violations_; }
  /// Nothing is open.
  bool idle() const;

  std::uint64_t read_beats() const { return read_beats_; }
  std::uint64_t write_beats() const { return write_beats_; }
  std::size_t most_open_reads() const { return most_open_reads_; }
  std::size_t most_open_writes() const { return most_open_writes_; }

 private:
  static constexpr std::size_t ids = 16;
  struct OpenRead {
    unsigned beats;
    unsigned seen = 0;
  };
  struct OpenWrite {
    std::uint8_t id;
    unsigned beats;
  };

  void address(const Channel<Address>& now, const Channel<Address>& before, const char* channel);
  void write_data(const Channel<WriteBeat>& now);
  void write_response(const Channel<WriteResponse>& now);
  void read_data(const Channel<ReadBeat>& now);
  void violation(const std::string& text);
  template <class Payload>
  void stable(const Channel<Payload>& now, const Channel<Payload>& before, const char* channel);

  std::string name_;
  std::uint64_t cycle_ = 0;
  Cycle before_;
  std::deque<OpenWrite> data_due_;  ///< addresses whose data is not complete, in order
  unsigned data_seen_ = 0;
  std::array<unsigned, ids> responses_due_{};
  std::array<std::deque<OpenRead>, ids> reads_;
  std::uint64_t read_beats_ = 0;
  std::uint64_t write_beats_ = 0;
  std::size_t open_reads_ = 0;
  std::size_t open_writes_ = 0;
  std::size_t most_open_reads_ = 0;
  std::size_t most_open_writes_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace tb::golden::axi
