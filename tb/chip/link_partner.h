#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "tb/channel/serdes_channel.h"

class Vtern;
class Vtern_peer;
class VerilatedContext;

namespace tb {

/// What sits at the other end of the link: a second Tern's link and SRAM with their register ports, and a SerDes
/// channel each way. It runs on the same clock as the chip's core (plesiochronous clocks are the channel's business).
class LinkPartner {
 public:
  struct Answer {
    bool error = false;
    std::uint32_t data = 0;
  };
  using Done = std::function<void(Answer)>;

  LinkPartner(VerilatedContext& context, std::uint64_t seed);
  LinkPartner(const LinkPartner&) = delete;
  LinkPartner& operator=(const LinkPartner&) = delete;
  ~LinkPartner();

  SerdesChannel& to_chip() { return to_chip_; }
  SerdesChannel& from_chip() { return from_chip_; }
  /// Nobody there: all lanes stay electrically idle, and its register ports do not answer.
  void set_absent(bool absent) { absent_ = absent; }
  /// Its transmitters send a constant whenever they should send a pseudo-random sequence.
  void set_constant_in_prbs(bool constant) { constant_in_prbs_ = constant; }

  /// An access to its register ports, by the addresses that a Tern's host port has. One that hits nothing answers with
  /// an error.
  /// @return an id for `cancel`
  std::uint64_t request(bool write, std::uint32_t address, std::uint32_t data, Done done);
  void cancel(std::uint64_t id);

  /// Power went: everything starts anew.
  void reset();
  /// One core cycle: `sample` reads the chip's transmit pins before the edge, `edge` clocks, `drive` sets the chip's
  /// receive pins after it.
  void sample(const Vtern& chip);
  void edge();
  void drive(Vtern& chip);

 private:
  struct Access {
    std::uint64_t id = 0;
    bool write = false;
    std::uint32_t address = 0;
    std::uint32_t data = 0;
    Done done;
  };
  enum class Port : std::uint8_t { link, sram, window, none };

  static Port port_of(std::uint32_t address);
  void drive_port(Port port, bool valid);
  void finish_access();
  bool sends_prbs() const;

  std::unique_ptr<Vtern_peer> peer_;
  SerdesChannel to_chip_;
  SerdesChannel from_chip_;
  std::deque<Access> accesses_;
  std::uint64_t next_id_ = 1;
  std::uint64_t chip_data_ = 0;
  std::uint8_t chip_idle_ = 0xF;
  std::uint32_t prbs_ctrl_ = 0;  // what was last written to it, to know when the transmitters should send a sequence
  unsigned reset_cycles_ = 0;
  bool on_pins_ = false;
  bool absent_ = false;
  bool constant_in_prbs_ = false;
};

}  // namespace tb
