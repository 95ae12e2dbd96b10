#include "lab/drivers/modbus/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/core/failure.h"

namespace firstlight::modbus {

namespace {

const Point& find(const std::vector<Point>& points, const std::string& name, const std::string& part) {
  const auto found = std::find_if(points.begin(), points.end(), [&](const Point& one) { return one.name == name; });
  if (found != points.end()) return *found;
  throw FailureError(
      {ErrorClass::bench, "no_such_point", fmt::format("{} has no point \"{}\"", part, name), part, {}, {}, {}});
}

const char* table_text(ModbusTable table) {
  switch (table) {
    case ModbusTable::coils:
      return "coil";
    case ModbusTable::discrete_inputs:
      return "discrete input";
    case ModbusTable::input_registers:
      return "input register";
    default:
      return "holding register";
  }
}

/// MODBUS Application Protocol 1.1b3, 7.
const char* cause_of_exception(int exception) {
  switch (exception) {
    case 1:
      return "the device does not have that function: its map names the wrong table";
    case 2:
      return "the device has nothing at that address: the map is of another model, or counts from 1";
    case 3:
      return "the device does not take that value";
    case 4:
      return "the device failed while it did it: look at its panel";
    case 6:
      return "the device is busy with something long";
    case 10:
    case 11:
      return "a gateway does not reach the device behind it: wrong unit address, or the device is off";
    default:
      return "see the device's manual";
  }
}

}  // namespace

Device::Device(std::string name, std::shared_ptr<ModbusBus> bus, DeviceMap map, std::uint8_t unit, BenchTime& time)
    : name_(std::move(name)), bus_(std::move(bus)), map_(std::move(map)), unit_(unit), time_(time), turns_(time) {}

std::vector<PointReading> Device::readings() {
  std::vector<PointReading> all;
  for (const Point& point : map_.readings) all.push_back({point.name, point.unit.dimension});
  return all;
}

std::vector<PointSetting> Device::settings() {
  std::vector<PointSetting> all;
  for (const Point& point : map_.settings)
    all.push_back({point.name, point.unit.dimension, point.min, point.max, point.resolution()});
  return all;
}

std::vector<std::string> Device::outputs() {
  std::vector<std::string> all;
  for (const Point& point : map_.outputs) all.push_back(point.name);
  return all;
}

std::string Device::request_text(const char* verb, const Point& point) const {
  return fmt::format("unit {}: {} {} {}", unit_, verb, table_text(point.table), point.address);
}

void Device::refuse(const ModbusResult& result, const std::string& doing, const std::string& sent) const {
  if (result.status == ModbusStatus::exception)
    throw FailureError({ErrorClass::infrastructure, "modbus_exception",
                        fmt::format("{} refuses {}: exception {} ({})", name_, doing, result.exception, result.detail),
                        name_, sent, fmt::format("exception {}", result.exception),
                        cause_of_exception(result.exception)});
  const bool timeout = result.status == ModbusStatus::timeout;
  throw FailureError({ErrorClass::infrastructure, timeout ? "modbus_timeout" : "modbus_io",
                      fmt::format("{} does not answer when asked for {}: {}", name_, doing, result.detail), name_, sent,
                      timeout ? fmt::format("nothing within {}", to_text(to_quantity(map_.timeout))) : result.detail,
                      timeout ? "the device is off, has another unit address, or the line's speed or parity differ"
                              : "the device or its gateway closed the connection, or nobody listens there"});
}

void Device::pace() {
  if (time_.now() < next_) time_.sleep_until(next_);
}

double Device::read_raw(const Point& point) {
  const Turns::Hold hold(turns_);
  pace();
  const ModbusResult result =
      bus_->read(unit_, point.table, point.address, point.registers(), time_.now() + map_.timeout);
  next_ = time_.now() + map_.pacing;
  if (result.status != ModbusStatus::ok || result.data.size() != point.registers())
    refuse(result, point.name, request_text("read", point));
  return decode(point, result.data);
}

void Device::write_raw(const Point& point, double raw) {
  const auto words = encode(point, raw);
  if (!words)
    throw FailureError(
        {ErrorClass::bench, "modbus_out_of_format",
         fmt::format("{} of {} cannot be written: {} does not fit its registers", point.name, name_, raw), name_,
         request_text("write", point), "", "the device map has a wrong scale, type or maximum"});
  const Turns::Hold hold(turns_);
  pace();
  const ModbusResult result = bus_->write(unit_, point.table, point.address, *words, time_.now() + map_.timeout);
  next_ = time_.now() + map_.pacing;
  if (result.status != ModbusStatus::ok)
    refuse(result, "a write of " + point.name,
           fmt::format("{} = {:04x}", request_text("write", point), fmt::join(*words, " ")));
}

void Device::identify() {
  if (identified_ || !map_.identity) return;
  const double found = read_raw(*map_.identity);
  if (found != static_cast<double>(map_.identity_value))
    throw FailureError({ErrorClass::bench, "wrong_instrument",
                        fmt::format("{} is no {}: its identity reads {} where {} is expected; nothing was written",
                                    name_, map_.name, found, map_.identity_value),
                        name_, request_text("read", *map_.identity), fmt::format("{}", found),
                        "another device has this address, or the bench names the wrong device map"});
  identified_ = true;
}

Quantity Device::read(const std::string& reading) {
  const Point& point = find(map_.readings, reading, name_);
  const double raw = read_raw(point);
  const bool sentinel = std::any_of(point.invalid.begin(), point.invalid.end(),
                                    [&](std::int64_t invalid) { return static_cast<double>(invalid) == raw; });
  const Quantity value = point.unit.to_base(point.scale * raw + point.offset);
  const bool plausible = std::isfinite(value.value) && !(point.min && value.value < *point.min) &&
                         !(point.max && value.value > *point.max);
  if (!sentinel && plausible) return value;
  throw FailureError({ErrorClass::infrastructure, "implausible_reading",
                      sentinel ? fmt::format("{} says that it has no {} now", name_, reading)
                               : fmt::format("{} reads {} as {}, which cannot be", name_, reading, to_text(value)),
                      name_, request_text("read", point), fmt::format("{}", raw),
                      "the sensor is broken or not connected, or the device map has the wrong type or word order"});
}

Quantity Device::setting(const std::string& name) {
  const Point& point = find(map_.settings, name, name_);
  return point.unit.to_base(point.scale * read_raw(point) + point.offset);
}

void Device::set(const std::string& name, const Quantity& value) {
  const Point& point = find(map_.settings, name, name_);
  identify();
  write_raw(point, (point.unit.from_base(value.value) - point.offset) / point.scale);
}

bool Device::output(const std::string& name) {
  const Point& point = find(map_.outputs, name, name_);
  const double raw = read_raw(point);
  if (raw == static_cast<double>(point.on)) return true;
  if (raw == static_cast<double>(point.off)) return false;
  throw FailureError({ErrorClass::infrastructure, "implausible_reading",
                      fmt::format("{} says {} of its output {}, which is neither on ({}) nor off ({})", name_, raw,
                                  name, point.on, point.off),
                      name_, request_text("read", point), fmt::format("{}", raw),
                      "the device is in a state that its map does not know: a fault, or starting"});
}

void Device::switch_output(const std::string& name, bool on) {
  const Point& point = find(map_.outputs, name, name_);
  if (on) identify();
  write_raw(point, static_cast<double>(on ? point.on : point.off));
}

}  // namespace firstlight::modbus
