#include "lab/drivers/ipmi/bmc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/points/identity_check.h"

namespace firstlight::ipmi {

namespace {

constexpr Duration kAnswer = std::chrono::seconds(5);

constexpr std::uint8_t kChassis = 0x00;
constexpr std::uint8_t kSensorEvent = 0x04;
constexpr std::uint8_t kApplication = 0x06;

constexpr std::uint8_t kOk = 0x00;
constexpr std::uint8_t kInvalidCommand = 0xc1;
constexpr std::uint8_t kOwnBmc = 0x20;

constexpr std::uint8_t kScanning = 0x40;     // of the second byte of Get Sensor Reading
constexpr std::uint8_t kUnavailable = 0x20;  // the same

/// In the order of the bits of Get Sensor Thresholds, and of its bytes.
constexpr std::array<std::string_view, 6> kThresholds = {"lower_noncritical", "lower_critical", "lower_nonrecoverable",
                                                         "upper_noncritical", "upper_critical", "upper_nonrecoverable"};

/// IPMI 2.0, table 5-2.
std::string_view meaning(std::uint8_t completion) {
  switch (completion) {
    case 0xc0:
      return "node busy";
    case 0xc1:
      return "invalid command";
    case 0xc3:
      return "timeout while the command was processed";
    case 0xc5:
      return "reservation cancelled";
    case 0xc7:
      return "request data length invalid";
    case 0xc9:
      return "parameter out of range";
    case 0xca:
      return "cannot return that many bytes";
    case 0xcb:
      return "not present: no such sensor, data or record";
    case 0xcc:
      return "invalid data field";
    case 0xce:
      return "response could not be provided";
    case 0xd3:
      return "destination unavailable";
    case 0xd4:
      return "insufficient privilege";
    case 0xd5:
      return "not supported in the present state";
    default:
      return "see IPMI 2.0, table 5-2";
  }
}

std::uint16_t word(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8U);
}

std::string hex(const std::vector<std::uint8_t>& bytes) { return fmt::format("{:02x}", fmt::join(bytes, " ")); }

std::string request_text(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data) {
  return fmt::format("netfn 0x{:02x} cmd 0x{:02x}{}{}", net_fn, command, data.empty() ? "" : ": ", hex(data));
}

}  // namespace

Bmc::Bmc(std::string name, std::shared_ptr<IpmiLink> link, std::vector<NamedMeasure> measures,
         std::map<std::string, std::string> expected, BenchTime& time)
    : name_(std::move(name)),
      link_(std::move(link)),
      measures_(std::move(measures)),
      expected_(std::move(expected)),
      time_(time),
      turns_(time) {}

std::vector<PointReading> Bmc::readings() {
  std::vector<PointReading> all;
  all.reserve(measures_.size());
  for (const NamedMeasure& measure : measures_) all.push_back({measure.name, measure.dimension});
  return all;
}

void Bmc::refuse(const std::string& symptom, const std::string& why, const std::string& received,
                 const std::string& cause) const {
  throw FailureError(
      {ErrorClass::infrastructure, symptom, fmt::format("{}: {}", name_, why), name_, "", received, cause});
}

IpmiResult Bmc::exchange(std::uint8_t net_fn, std::uint8_t command, const Bytes& data, const char* what) {
  const IpmiResult result = link_->command(net_fn, command, data, time_.now() + kAnswer);
  if (result.status == IpmiStatus::ok) return result;
  const bool refused = result.status == IpmiStatus::refused;
  throw FailureError({refused ? ErrorClass::bench : ErrorClass::infrastructure,
                      refused ? "bmc_refuses_session" : "bmc_no_answer",
                      fmt::format("{} does not let itself be asked for {}: {}", name_, what, result.detail), name_,
                      request_text(net_fn, command, data), "nothing",
                      refused ? "user, password or privilege are wrong, or IPMI over LAN is off for this user"
                              : "the BMC restarts or is off the network, or UDP port 623 is filtered"});
}

Bmc::Bytes Bmc::command(std::uint8_t net_fn, std::uint8_t command, const Bytes& data, const char* what,
                        std::size_t least) {
  const IpmiResult result = exchange(net_fn, command, data, what);
  if (result.completion == kOk && result.data.size() >= least) return result.data;
  const bool refused = result.completion != kOk;
  throw FailureError(
      {ErrorClass::infrastructure, refused ? "bmc_refuses_command" : "bmc_short_answer",
       refused
           ? fmt::format("{} refuses to give {}: completion code 0x{:02x} ({})", name_, what, result.completion,
                         meaning(result.completion))
           : fmt::format("{} answers {} bytes for {} where there must be {}", name_, result.data.size(), what, least),
       name_, request_text(net_fn, command, data), fmt::format("{:02x} {}", result.completion, hex(result.data)),
       result.completion == 0xd4 ? "ask for a higher `privilege` in the bench file" : "see IPMI 2.0"});
}

// ---- chassis (IPMI 2.0, 28.2 and 28.3)

bool Bmc::output(const std::string&) {
  check_known_once();
  const Bytes status = command(kChassis, 0x01, {}, "its chassis status", 3);
  return (status[0] & 0x01U) != 0;
}

void Bmc::switch_output(const std::string&, bool on) {
  check_known_once();
  command(kChassis, 0x02, {static_cast<std::uint8_t>(on ? 1 : 0)}, on ? "power to the chassis" : "the chassis' rest");
}

void Bmc::check_known_once() {
  if (!known_) check_identity(*this);
  known_ = true;
}

Quantity Bmc::setting(const std::string& name) { refuse("no_such_setting", "it has no setting " + name, "", ""); }
void Bmc::set(const std::string& name, const Quantity&) { setting(name); }

// ---- identity (IPMI 2.0, 20.1)

std::map<std::string, std::string> Bmc::identity() {
  const Bytes id = command(kApplication, 0x01, {}, "its device id", 11);
  std::map<std::string, std::string> fields;
  fields["revision"] = fmt::format("{}.{:02x}", id[2] & 0x7fU, id[3]);
  fields["manufacturer"] = std::to_string(word(id, 6) | (id[8] & 0x0fU) << 16U);
  fields["product"] = std::to_string(word(id, 9));
  const IpmiResult guid = exchange(kApplication, 0x08, {}, "its GUID");
  if (guid.completion == kOk && guid.data.size() >= 16)
    fields["guid"] = fmt::format("{:02x}", fmt::join(guid.data, ""));
  return fields;
}

// ---- sensors

Quantity Bmc::read(const std::string& reading) {
  const auto measure =
      std::find_if(measures_.begin(), measures_.end(), [&](const NamedMeasure& one) { return one.name == reading; });
  const Sensor& from = sensor(measure->text("sensor").value_or(reading));
  check_reachable(from);
  if (const auto threshold = measure->text("threshold")) return threshold_of(from, *threshold);
  if (const auto state = measure->text("state")) return state_of(from, *state);
  return reading_of(from);
}

const Sensor& Bmc::sensor(const std::string& name) {
  {
    const Turns::Hold hold(turns_);
    if (sensors_.empty()) load_sensors();
  }
  const auto is_it = [&](const Sensor& one) { return one.name == name; };
  const auto found = std::find_if(sensors_.begin(), sensors_.end(), is_it);
  if (found != sensors_.end() && std::none_of(found + 1, sensors_.end(), is_it)) return *found;
  const std::vector<std::string> names = sensor_names();
  const std::string near = nearest_name(name, names);
  throw FailureError({ErrorClass::bench, "no_such_sensor",
                      found != sensors_.end()
                          ? fmt::format("{} has several sensors called \"{}\"", name_, name)
                          : fmt::format("{} has no sensor \"{}\"{}", name_, name,
                                        near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                      name_, "", "", fmt::format("its sensors are: {}", fmt::join(names, ", "))});
}

std::vector<std::string> Bmc::sensor_names() {
  std::vector<std::string> names;
  names.reserve(sensors_.size());
  for (const Sensor& one : sensors_) names.push_back(one.name);
  return names;
}

void Bmc::check_reachable(const Sensor& sensor) const {
  if (sensor.owner == kOwnBmc && sensor.lun == 0) return;
  throw FailureError({ErrorClass::bench, "sensor_not_reachable",
                      fmt::format("sensor \"{}\" of {} belongs to the controller at 0x{:02x}, LUN {}, behind the BMC",
                                  sensor.name, name_, sensor.owner, sensor.lun),
                      name_, "", "", "only the BMC's own sensors can be read; take one of those"});
}

Bmc::Bytes Bmc::raw_reading(const Sensor& sensor) {
  const Bytes answer = command(kSensorEvent, 0x2d, {sensor.number}, "a sensor's reading", 2);
  if ((answer[1] & kUnavailable) != 0)
    refuse("sensor_unavailable", fmt::format("sensor \"{}\" has no reading now", sensor.name), hex(answer),
           "the BMC says \"reading unavailable\": what it senses has no power, or is not there");
  if ((answer[1] & kScanning) == 0)
    refuse("sensor_not_scanned", fmt::format("sensor \"{}\" is not scanned: its reading is old", sensor.name),
           hex(answer), "the BMC says \"scanning disabled\": it was switched off for this sensor or power state");
  return answer;
}

Quantity Bmc::quantity_of(const Sensor& sensor, std::uint8_t raw) {
  Factors factors = sensor.factors;
  if (factors.linearisation >= kNonLinear) {
    const Bytes answer = command(kSensorEvent, 0x23, {sensor.number, raw}, "a sensor's reading factors", 7);
    unpack_factors(answer.data() + 1, factors);
  }
  const auto value = sensor.full ? convert(factors, raw) : std::nullopt;
  if (!value)
    refuse("sensor_not_numeric",
           fmt::format("sensor \"{}\" gives no number for the raw reading 0x{:02x}", sensor.name, raw),
           fmt::format("{:02x}", raw), "it is a sensor of states (name one by `state`), or its record is wrong");
  const auto unit = unit_of(sensor);
  return unit ? unit->to_base(*value) : Quantity{*value, Dimension::none};
}

Quantity Bmc::reading_of(const Sensor& sensor) { return quantity_of(sensor, raw_reading(sensor)[0]); }

Quantity Bmc::threshold_of(const Sensor& sensor, const std::string& threshold) {
  const auto found = std::find(kThresholds.begin(), kThresholds.end(), threshold);
  const auto index = static_cast<std::size_t>(found - kThresholds.begin());
  const Bytes answer = command(kSensorEvent, 0x27, {sensor.number}, "a sensor's thresholds", 7);
  if ((answer[0] >> index & 1U) == 0)
    refuse("no_such_threshold", fmt::format("sensor \"{}\" has no threshold {}", sensor.name, threshold), hex(answer),
           "the BMC says which thresholds it can give in the first byte of its answer");
  return quantity_of(sensor, answer[1 + index]);
}

Quantity Bmc::state_of(const Sensor& sensor, const std::string& state) {
  if (sensor.threshold)
    refuse("sensor_not_discrete", fmt::format("sensor \"{}\" has a number and no states", sensor.name), "",
           "leave `state` out");
  const Bytes answer = raw_reading(sensor);
  const unsigned states = (answer.size() > 2 ? answer[2] : 0U) | (answer.size() > 3 ? (answer[3] & 0x7fU) << 8U : 0U);
  return {static_cast<double>(states >> static_cast<unsigned>(std::stoi(state)) & 1U), Dimension::none};
}

// ---- sensor data records (IPMI 2.0, 33.9 to 33.12; device records: 35.2 to 35.4)

namespace {

constexpr std::uint8_t kStorage = 0x0a;
constexpr std::uint16_t kLastRecord = 0xffff;
constexpr std::size_t kRecordHeader = 5;
constexpr std::size_t kChunk = 16;
constexpr std::size_t kSmallestChunk = 4;
constexpr int kMostRecords = 4096;
constexpr int kMostReservations = 20;

std::uint8_t low(std::uint16_t value) { return static_cast<std::uint8_t>(value & 0xffU); }
std::uint8_t high(std::uint16_t value) { return static_cast<std::uint8_t>(value >> 8U); }

}  // namespace

std::uint16_t Bmc::reserve() {
  return word(device_records_ ? command(kSensorEvent, 0x22, {}, "a reservation of its sensor records", 2)
                              : command(kStorage, 0x22, {}, "a reservation of its sensor records", 2),
              0);
}

void Bmc::load_sensors() {
  device_records_ = exchange(kStorage, 0x20, {}, "its sensor records").completion == kInvalidCommand;
  std::vector<Sensor> all;
  std::uint16_t reservation = reserve();
  std::uint16_t id = 0;
  for (int count = 0; id != kLastRecord; ++count) {
    if (count == kMostRecords)
      refuse("sensor_records_endless", "its list of sensor records does not end", "", "a fault of the BMC's firmware");
    std::uint16_t next = kLastRecord;
    const Bytes record = read_record(id, next, reservation);
    try {
      if (auto sensor = parse_sensor(record)) all.push_back(std::move(*sensor));
    } catch (const std::invalid_argument& error) {
      refuse("sensor_record_broken", error.what(), hex(record), "a fault of the BMC's firmware");
    }
    id = next;
  }
  if (all.empty()) refuse("no_sensors", "it has no sensor records", "", "the BMC is still starting");
  sensors_ = std::move(all);
}

Bmc::Bytes Bmc::read_record(std::uint16_t id, std::uint16_t& next, std::uint16_t& reservation) {
  constexpr std::uint8_t kCancelled = 0xc5;
  constexpr std::uint8_t kTooMany = 0xca;
  const std::uint8_t net_fn = device_records_ ? kSensorEvent : kStorage;
  const std::uint8_t get = device_records_ ? 0x21 : 0x23;
  Bytes record;
  std::size_t wanted = kRecordHeader;
  std::size_t chunk = kChunk;
  int reservations = 0;
  while (record.size() < wanted) {
    const std::size_t take = std::min(chunk, wanted - record.size());
    const Bytes request = {low(reservation),
                           high(reservation),
                           low(id),
                           high(id),
                           static_cast<std::uint8_t>(record.size()),
                           static_cast<std::uint8_t>(take)};
    const IpmiResult part = exchange(net_fn, get, request, "a sensor record");
    if (part.completion == kCancelled && ++reservations < kMostReservations) {
      reservation = reserve();
      record.clear();
      wanted = kRecordHeader;
      continue;
    }
    if (part.completion == kTooMany && chunk > kSmallestChunk) {
      chunk /= 2;
      continue;
    }
    if (part.completion != kOk || part.data.size() <= 2)
      refuse("sensor_record_unreadable",
             fmt::format("record 0x{:04x} cannot be read: completion code 0x{:02x} ({})", id, part.completion,
                         meaning(part.completion)),
             hex(part.data), "a fault of the BMC's firmware, or its records change all the time");
    next = word(part.data, 0);
    record.insert(record.end(), part.data.begin() + 2, part.data.end());
    if (wanted == kRecordHeader && record.size() >= kRecordHeader) wanted = kRecordHeader + record[4];
  }
  return record;
}

}  // namespace firstlight::ipmi
