#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <vector>

#include "lab/transports/i2c_bus.h"
#include "tb/instruments/agenda.h"
#include "tb/instruments/i2c_target.h"

namespace tb::instruments {

/// An I2C bus with its one controller. Every byte takes nine clocks, START and STOP one each; a byte reaches its target
/// at the SystemC time at which its last clock ends. Transfers that are posted while one runs wait their turn.
class I2cBusModel {
 public:
  using Completion = std::function<void(const firstlight::I2cResult&)>;
  struct Transfer {
    std::uint8_t address = 0;  // 7 bits
    std::vector<firstlight::I2cMessage> messages;
  };

  I2cBusModel(Agenda& agenda, firstlight::Frequency clock);

  /// Targets are not owned and must outlive the bus. Throws std::invalid_argument for an address that is taken or is
  /// not 7 bits wide.
  void attach(std::uint8_t address, I2cTarget& target);

  /// Queues a transfer. `done` is called once, at the SystemC time at which the STOP is over, or, for a transfer that
  /// finds the bus stuck, after `kStuckTimeout`. An empty list of messages is a quick write (address, then STOP).
  /// @return a number for `cancel`
  std::uint64_t post(Transfer transfer, Completion done);
  /// Forgets the completion: `done` is not called any more. A transfer that has begun still ends on the wires.
  void cancel(std::uint64_t transfer);
  bool busy() const { return running_ || !queue_.empty(); }

  /// Holds SDA low, as a target does that lost a clock in the middle of a read. With `clocks` > 0 it lets go after so
  /// many recovery clocks; with 0 never.
  void hold_sda(int clocks);
  bool stuck() const { return stuck_; }
  /// Up to nine clocks and a STOP (NXP UM10204, 3.1.16). `done(true)` when SDA is high afterwards.
  void recover(std::function<void(bool)> done);

  static sc_core::sc_time kStuckTimeout() { return {25, sc_core::SC_MS}; }  // SMBus 3.2, T_timeout,min

 private:
  struct Job {
    std::uint64_t id = 0;
    Transfer transfer;
    Completion done;
  };
  struct Progress {
    std::size_t message = 0;
    std::size_t byte = 0;  // bytes of the message that have passed
    std::size_t want = 0;  // bytes to read in this message
  };

  void next();
  void begin_message();
  void address_passed();
  void byte_passed();
  void end_message();
  void finish(firstlight::I2cStatus status, std::string detail);
  void later(int clocks, void (I2cBusModel::*step)());
  const firstlight::I2cMessage& message() const { return job_.transfer.messages[progress_.message]; }
  bool reading() const;

  Agenda& agenda_;
  sc_core::sc_time bit_;
  std::map<std::uint8_t, I2cTarget*> targets_;
  std::deque<Job> queue_;
  Job job_;
  Progress progress_;
  I2cTarget* target_ = nullptr;
  firstlight::I2cResult result_;
  std::uint64_t last_id_ = 0;
  bool running_ = false;
  bool stuck_ = false;
  int release_after_ = 0;
};

}  // namespace tb::instruments
