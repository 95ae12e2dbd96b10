#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "lab/core/failure.h"
#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

constexpr Duration kIoTimeout{50'000'000'000};
constexpr Duration kBackoff{1'000'000'000};
constexpr int kAttempts = 3;

/// How a family of sensors is read: registers are big-endian words but for LM75's configuration.
struct Kind {
  const char* name;
  const char* doc;
  std::uint8_t temperature;    // register
  unsigned mask;               // bits of it that are the temperature
  unsigned sign;               // the sign bit among them
  double step;                 // K
  std::uint8_t configuration;  // register
  std::size_t width;           // bytes of it
  unsigned shutdown_mask;
  unsigned shutdown_value;  // the sensor sleeps and its reading is old
};
constexpr std::array kKinds = {
    Kind{"lm75", "LM75 and what is like it at any resolution: TMP75, TMP105, TMP275, DS75, PCT2075, ADT75.", 0x00,
         0xffff, 0x8000, 1.0 / 256, 0x01, 1, 0x01, 0x01},
    Kind{"tmp117", "TMP117 and TMP116.", 0x00, 0xffff, 0x8000, 1.0 / 128, 0x01, 2, 0x0c00, 0x0400},
    Kind{"mcp9808", "MCP9808 and other JEDEC JC-42.4 sensors.", 0x05, 0x1fff, 0x1000, 1.0 / 16, 0x01, 2, 0x0100,
         0x0100},
};

const Kind& kind_of(const std::string& name) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return name == kind.name; });
}

class TemperatureSensor {
 public:
  struct Options {
    std::uint8_t address = 0;
    const Kind* kind = nullptr;
    double coldest = 0;  // degC
    double hottest = 0;
    std::vector<double> sentinels;
  };

  TemperatureSensor(std::string name, std::shared_ptr<I2cBus> bus, Options options, BenchTime& time)
      : name_(std::move(name)), bus_(std::move(bus)), options_(std::move(options)), time_(time) {}

  std::string part() const { return fmt::format("{} ({} at 0x{:02x})", name_, options_.kind->name, options_.address); }

  Temperature read() {
    const Kind& kind = *options_.kind;
    const unsigned configuration = read_register(kind.configuration, kind.width);
    if ((configuration & kind.shutdown_mask) == kind.shutdown_value)
      refuse("sensor_asleep", "is shut down, so that its reading is old",
             fmt::format("configuration 0x{:0{}x}", configuration, kind.width * 2),
             "another program has put it to sleep, or its default is so");
    const unsigned raw = read_register(kind.temperature, 2);
    const std::string text = fmt::format("0x{:04x}", raw);
    if (raw == 0xffff)
      refuse("sensor_sentinel", "answers all ones", text,
             "SDA hangs high: the sensor lost its power while it was read");
    const auto code = static_cast<int>((raw & kind.mask) ^ kind.sign) - static_cast<int>(kind.sign);
    return judge(code * kind.step, text);
  }

 private:
  Temperature judge(double celsius, const std::string& raw) const {
    const auto found = std::find(options_.sentinels.begin(), options_.sentinels.end(), celsius);
    if (found != options_.sentinels.end())
      refuse("sensor_sentinel", fmt::format("says exactly {} degC, which the bench declares to be no reading", celsius),
             raw, "the sensor was reset and has not converted yet, or is broken");
    if (celsius < options_.coldest || celsius > options_.hottest)
      refuse("implausible_temperature",
             fmt::format("says {:.2f} degC, outside of {} to {} degC", celsius, options_.coldest, options_.hottest),
             raw, "the sensor is broken or of another kind than declared");
    return Temperature(celsius);
  }

  [[noreturn]] void refuse(const char* symptom, const std::string& what, const std::string& received,
                           const char* cause) const {
    throw FailureError({ErrorClass::infrastructure, symptom, fmt::format("{} {}", part(), what), part(),
                        "read temperature", received, cause});
  }

  unsigned read_register(std::uint8_t number, std::size_t width) {
    I2cResult result;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt > 0) time_.sleep(kBackoff);
      result = bus_->transfer(options_.address, {I2cMessage::writing({number}), I2cMessage::reading(width)},
                              time_.now() + kIoTimeout);
      if (result.status != I2cStatus::ok || result.data.size() != width) continue;
      return width == 1 ? result.data[0] : (static_cast<unsigned>(result.data[0]) << 8U) | result.data[1];
    }
    const bool nack = result.status == I2cStatus::address_nack;
    throw FailureError({ErrorClass::infrastructure, nack ? "sensor_no_answer" : "sensor_read",
                        fmt::format("{} {} on {} ({} attempts)", part(),
                                    nack ? "does not acknowledge" : "cannot be read", bus_->name(), kAttempts),
                        part(), fmt::format("W 0x{:02x}: {:02x}; R {}", options_.address, number, width),
                        fmt::format("{} bytes {}", result.data.size(), result.detail),
                        nack ? "the sensor has no power, or sits at another address" : "the I2C bus is disturbed"});
  }

  std::string name_;
  std::shared_ptr<I2cBus> bus_;
  Options options_;
  BenchTime& time_;
};

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  TemperatureSensor::Options options;
  options.address = static_cast<std::uint8_t>(integer_param(plan.params, "address").value_or(0));
  options.kind = &kind_of(text_param(plan.params, "kind").value_or("lm75"));
  options.coldest = quantity_param(plan.params, "coldest").value_or(Quantity{-55, Dimension::temperature}).value;
  options.hottest = quantity_param(plan.params, "hottest").value_or(Quantity{125, Dimension::temperature}).value;
  if (options.coldest >= options.hottest) throw_bad_param(plan.where, "coldest must be below hottest");
  if (const Value* sentinels = find_param(plan.params, "sentinels"))
    for (const Value& one : sentinels->list()) options.sentinels.push_back(one.quantity().value);
  const auto sensor = std::make_shared<TemperatureSensor>(plan.name, environment.i2c(plan.uses.at(0)),
                                                          std::move(options), environment.time());
  environment.bench().keep(sensor);
  environment.bench().add({plan.name + ".temperature", Dimension::temperature, "Where the sensor sits", sensor->part(),
                           [sensor] { return sensor->read().quantity(); }});
}

ParamSpec celsius(std::string name, std::string fallback, std::string doc) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = ParamType::quantity;
  spec.dimension = Dimension::temperature;
  spec.doc = std::move(doc);
  spec.fallback = std::move(fallback);
  return spec;
}

}  // namespace

std::vector<DriverType> lm75_drivers() {
  DriverTypeSpec spec;
  spec.driver = "lm75";
  spec.doc =
      "A temperature sensor on I2C. What cannot be a temperature (all ones, out of its range, a declared sentinel, the "
      "old "
      "value of a sensor that sleeps) is a failure and never a reading.";
  spec.uses = {"i2c"};
  ParamSpec address;
  address.name = "address";
  address.type = ParamType::integer;
  address.doc = "7-bit I2C address.";
  address.required = true;
  address.min = 0x08;
  address.max = 0x77;
  ParamSpec kind;
  kind.name = "kind";
  kind.type = ParamType::enumeration;
  kind.fallback = "lm75";
  for (const Kind& one : kKinds) {
    kind.choices.emplace_back(one.name);
    kind.doc += fmt::format("{}{}: {}", kind.doc.empty() ? "" : " ", one.name, one.doc);
  }
  ParamSpec sentinels =
      celsius("sentinels", "", "Exact values that the sensor gives for \"no reading\", such as 85 degC.");
  sentinels.type = ParamType::list;
  sentinels.element = ParamType::quantity;
  spec.params = {address, kind, celsius("coldest", "-55 degC", "Below it, a reading is not believed."),
                 celsius("hottest", "125 degC", "Above it, a reading is not believed."), sentinels};
  spec.measures = {{"temperature", Dimension::temperature, "Where the sensor sits."}};
  return {{spec, build}};
}

}  // namespace firstlight
