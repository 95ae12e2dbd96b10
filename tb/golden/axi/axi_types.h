#pragma once

#include <cstdint>

/// AXI4 as Tern uses it (AMBA AXI and ACE, ARM IHI 0022): 64-bit data, INCR bursts of full width, aligned addresses.
namespace tb::golden::axi {

enum class Response : std::uint8_t { okay = 0, exokay = 1, slverr = 2, decerr = 3 };

constexpr std::uint64_t bytes_per_beat = 8;

struct Address {
  std::uint8_t id = 0;
  std::uint64_t addr = 0;  ///< byte address of the first beat
  std::uint8_t len = 0;    ///< beats - 1
  bool operator==(const Address& o) const { return id == o.id && addr == o.addr && len == o.len; }
};

struct WriteBeat {
  std::uint64_t data = 0;
  std::uint8_t strb = 0;
  bool last = false;
  bool operator==(const WriteBeat& o) const { return data == o.data && strb == o.strb && last == o.last; }
};

struct WriteResponse {
  std::uint8_t id = 0;
  Response resp = Response::okay;
  bool operator==(const WriteResponse& o) const { return id == o.id && resp == o.resp; }
};

struct ReadBeat {
  std::uint8_t id = 0;
  std::uint64_t data = 0;
  Response resp = Response::okay;
  bool last = false;
  bool operator==(const ReadBeat& o) const { return id == o.id && data == o.data && resp == o.resp && last == o.last; }
};

/// What one rising edge sees of a channel.
template <class Payload>
struct Channel {
  bool valid = false;
  bool ready = false;
  Payload payload;
  bool moves() const { return valid && ready; }
};

/// What one rising edge sees of a port.
struct Cycle {
  Channel<Address> aw;
  Channel<WriteBeat> w;
  Channel<WriteResponse> b;
  Channel<Address> ar;
  Channel<ReadBeat> r;
};

}  // namespace tb::golden::axi
