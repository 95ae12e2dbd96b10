#pragma once

#include <cstdint>
#include <deque>
#include <functional>

class Vtern;

namespace tb {

/// The manager on Tern's AXI4-Lite host port: one access at a time, in the order of the requests.
class HostPort {
 public:
  enum class Outcome : std::uint8_t { okay, slave_error, decode_error };
  struct Access {
    std::uint64_t id = 0;
    bool write = false;
    std::uint32_t address = 0;  // 24 bits
    std::uint32_t data = 0;     // written, or read
    Outcome outcome = Outcome::okay;
  };
  using Done = std::function<void(const Access&)>;

  explicit HostPort(Vtern& dut) : dut_(dut) {}

  /// @return an id for `cancel`; `done` is called between a `sample` and the next `drive`
  std::uint64_t request(bool write, std::uint32_t address, std::uint32_t data, Done done);
  /// The requester gave up; an access that is on the pins already runs on, and its answer is dropped.
  void cancel(std::uint64_t id);
  bool busy() const { return !queue_.empty(); }

  void sample();  // before the rising edge of the reference clock
  void drive();   // after it
  void reset();   // the chip lost power: what is on the pins will never be answered

 private:
  struct Pending {
    Access access;
    Done done;
  };
  void finish(unsigned response, std::uint32_t data);

  Vtern& dut_;
  std::deque<Pending> queue_;
  std::uint64_t next_id_ = 1;
  bool started_ = false;  // the front of the queue is on the pins
  bool address_taken_ = false;
  bool data_taken_ = false;
};

}  // namespace tb
