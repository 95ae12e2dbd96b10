#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/turns.h"
#include "lab/transports/i2c_bus.h"

namespace firstlight::i2c {

/// One mux on the way to a part, and the channel behind which the part is.
struct MuxHop {
  enum class Kind : std::uint8_t {
    switch_,  // PCA9546, PCA9548, TCA9548A: a bit a channel
    mux,      // PCA9540, PCA9542, PCA9544, PCA9547: bit 3 (bit 2 for four channels) enables the channel in the low bits
  } kind = Kind::switch_;
  std::uint8_t address = 0;
  int channel = 0;
  int channels = 8;

  std::uint8_t code() const;
};

/// A bus with muxes that we turn ourselves. Remembers what each is set to, and forgets it when something failed, when
/// the bus was recovered, or when it was quiet for so long that a part may have been reset. Before a channel is opened
/// every other mux that may be open is closed: parts behind two of them may have one address.
class MuxTree {
 public:
  MuxTree(std::shared_ptr<I2cBus> bus, BenchTime& time);

  /// @param way from the root on; empty for parts on the bus itself
  I2cResult transfer(const std::vector<MuxHop>& way, std::uint8_t address, const std::vector<I2cMessage>& messages,
                     Instant deadline);
  bool recover(Instant deadline);
  I2cBus& bus() { return *bus_; }

 private:
  std::optional<I2cResult> open(const std::vector<MuxHop>& way, Instant deadline);
  std::optional<I2cResult> close_others(const std::vector<MuxHop>& way, Instant deadline);
  std::optional<I2cResult> set(std::uint8_t mux, std::uint8_t code, Instant deadline);
  void forget();

  std::shared_ptr<I2cBus> bus_;
  BenchTime& time_;
  Turns turns_;
  /// Every mux that was ever turned: what it is set to, nothing when that is not known.
  std::map<std::uint8_t, std::optional<std::uint8_t>> codes_;
  Instant last_use_{};
};

/// What one resource sees of the tree.
class MuxedBus final : public I2cBus {
 public:
  MuxedBus(std::shared_ptr<MuxTree> tree, std::vector<MuxHop> way, std::string name)
      : tree_(std::move(tree)), way_(std::move(way)), name_(std::move(name)) {}

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
    return tree_->transfer(way_, address, messages, deadline);
  }
  bool recover(Instant deadline) override { return tree_->recover(deadline); }
  std::string last_recovery() const override { return tree_->bus().last_recovery(); }
  std::shared_ptr<void> hold(Instant deadline) override { return tree_->bus().hold(deadline); }
  std::string name() const override { return name_; }

 private:
  std::shared_ptr<MuxTree> tree_;
  std::vector<MuxHop> way_;
  std::string name_;
};

}  // namespace firstlight::i2c
