#pragma once

#include <cstdint>
#include <memory>

#include "tb/channel/serdes_channel.h"

class Vtern;
class Vtern_peer;
class VerilatedContext;

namespace tb {

/// What sits at the other end of the link: a second Tern's link and SRAM, and a SerDes channel each way.
class LinkPartner {
 public:
  LinkPartner(VerilatedContext& context, std::uint64_t seed);
  LinkPartner(const LinkPartner&) = delete;
  LinkPartner& operator=(const LinkPartner&) = delete;
  ~LinkPartner();

  SerdesChannel& to_chip() { return to_chip_; }
  SerdesChannel& from_chip() { return from_chip_; }
  /// Nobody there: all lanes stay electrically idle.
  void set_absent(bool absent) { absent_ = absent; }
  /// The far transmitter sends a constant while the near end runs PRBS.
  void set_constant_in_prbs(bool constant) { constant_in_prbs_ = constant; }

  void reset();
  /// One core cycle of both; reads the chip's transmit pins before the edge and drives its receive pins after it.
  void sample(const Vtern& chip);
  void edge();
  void drive(Vtern& chip);

 private:
  void configure();

  std::unique_ptr<Vtern_peer> peer_;
  SerdesChannel to_chip_;
  SerdesChannel from_chip_;
  bool absent_ = false;
  bool constant_in_prbs_ = false;
};

}  // namespace tb
