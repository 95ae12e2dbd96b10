#include <utility>

#include "tb/bench/model_transports.h"

namespace tb {
namespace {

using firstlight::I2cMessage;
using firstlight::I2cResult;
using firstlight::I2cStatus;
using firstlight::Instant;

class ModelI2c : public firstlight::I2cBus {
 public:
  ModelI2c(std::string name, instruments::I2cBusModel& bus, firstlight::BenchTime& time)
      : name_(std::move(name)), bus_(bus), time_(time) {}

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
    const auto done = std::shared_ptr<firstlight::Event>(time_.make_event());
    const auto result = std::make_shared<I2cResult>();
    const std::uint64_t id = bus_.post({address, messages}, [done, result](const I2cResult& outcome) {
      *result = outcome;
      done->fire();
    });
    const Cancel cancel(bus_, id);
    if (time_.wait(*done, deadline)) return *result;
    I2cResult late;
    late.status = I2cStatus::timeout;
    late.detail = "the transfer did not end before its deadline";
    return late;
  }

  bool recover(Instant deadline) override {
    const auto done = std::shared_ptr<firstlight::Event>(time_.make_event());
    const auto freed = std::make_shared<bool>(false);
    bus_.recover([done, freed](bool high) {
      *freed = high;
      done->fire();
    });
    return time_.wait(*done, deadline) && *freed;
  }

  std::string name() const override { return name_; }

 private:
  /// Whatever ends the wait, the bus must not call back into a transfer that is gone.
  struct Cancel {
    instruments::I2cBusModel& bus;
    std::uint64_t id;
    Cancel(instruments::I2cBusModel& b, std::uint64_t i) : bus(b), id(i) {}
    Cancel(const Cancel&) = delete;
    Cancel& operator=(const Cancel&) = delete;
    ~Cancel() { bus.cancel(id); }
  };

  std::string name_;
  instruments::I2cBusModel& bus_;
  firstlight::BenchTime& time_;
};

}  // namespace

std::unique_ptr<firstlight::I2cBus> model_i2c(std::string name, instruments::I2cBusModel& bus,
                                              firstlight::BenchTime& time) {
  return std::make_unique<ModelI2c>(std::move(name), bus, time);
}

}  // namespace tb
