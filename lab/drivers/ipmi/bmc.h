#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/bench/measures.h"
#include "lab/capabilities/identity.h"
#include "lab/core/turns.h"
#include "lab/drivers/ipmi/sdr.h"
#include "lab/drivers/points/point_device.h"
#include "lab/transports/ipmi_link.h"

namespace firstlight::ipmi {

/// A BMC: its sensors by the names in its sensor data records, and the chassis that it powers. Making one talks to
/// nobody; the records are read when the first sensor is.
class Bmc final : public PointDevice, public Identity {
 public:
  /// @param measures what the bench reads, each of a `sensor` and maybe its `threshold` or one `state`
  /// @param expected fields of the identity that the bench declares
  Bmc(std::string name, std::shared_ptr<IpmiLink> link, std::vector<NamedMeasure> measures,
      std::map<std::string, std::string> expected, BenchTime& time);

  std::string part() const override { return name_; }
  std::vector<PointReading> readings() override;
  std::vector<PointSetting> settings() override { return {}; }
  std::vector<std::string> outputs() override { return {"chassis"}; }

  Quantity read(const std::string& reading) override;
  Quantity setting(const std::string& name) override;
  void set(const std::string& name, const Quantity& value) override;
  bool output(const std::string& name) override;
  void switch_output(const std::string& name, bool on) override;

  /// "manufacturer" (IANA number), "product" (number), "revision" of the firmware, "guid".
  std::map<std::string, std::string> identity() override;
  std::map<std::string, std::string> expected() const override { return expected_; }

  /// Every sensor that the BMC has, for messages and lists.
  std::vector<std::string> sensor_names();

 private:
  using Bytes = std::vector<std::uint8_t>;

  /// Data after the completion code; throws FailureError for anything but success.
  Bytes command(std::uint8_t net_fn, std::uint8_t command, const Bytes& data, const char* what, std::size_t least = 0);
  IpmiResult exchange(std::uint8_t net_fn, std::uint8_t command, const Bytes& data, const char* what);
  [[noreturn]] void refuse(const std::string& symptom, const std::string& why, const std::string& received,
                           const std::string& cause) const;

  void check_known_once();
  void load_sensors();
  Bytes read_record(std::uint16_t id, std::uint16_t& next, std::uint16_t& reservation);
  std::uint16_t reserve();
  const Sensor& sensor(const std::string& name);
  void check_reachable(const Sensor& sensor) const;

  Quantity reading_of(const Sensor& sensor);
  Quantity threshold_of(const Sensor& sensor, const std::string& threshold);
  Quantity state_of(const Sensor& sensor, const std::string& state);
  /// The reading's bytes, when the BMC says that they are one.
  Bytes raw_reading(const Sensor& sensor);
  Quantity quantity_of(const Sensor& sensor, std::uint8_t raw);

  std::string name_;
  std::shared_ptr<IpmiLink> link_;
  std::vector<NamedMeasure> measures_;
  std::map<std::string, std::string> expected_;
  BenchTime& time_;
  Turns turns_;
  bool known_ = false;           // its identity is the declared one
  bool device_records_ = false;  // no repository: the records are those of the device
  std::vector<Sensor> sensors_;
};

}  // namespace firstlight::ipmi
