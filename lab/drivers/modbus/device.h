#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/turns.h"
#include "lab/drivers/modbus/device_map.h"
#include "lab/drivers/points/point_device.h"
#include "lab/transports/modbus_bus.h"

namespace firstlight::modbus {

/// A device on a Modbus line, by its map. Making one talks to nobody. Where the map knows a number by which the device
/// is known, that is read before anything is written.
class Device final : public PointDevice {
 public:
  /// @param unit the server's address
  Device(std::string name, std::shared_ptr<ModbusBus> bus, DeviceMap map, std::uint8_t unit, BenchTime& time);

  std::string part() const override { return name_; }
  std::vector<PointReading> readings() override;
  std::vector<PointSetting> settings() override;
  std::vector<std::string> outputs() override;

  Quantity read(const std::string& reading) override;
  Quantity setting(const std::string& name) override;
  void set(const std::string& name, const Quantity& value) override;
  bool output(const std::string& name) override;
  void switch_output(const std::string& name, bool on) override;

 private:
  double read_raw(const Point& point);
  void write_raw(const Point& point, double raw);
  void identify();
  /// Waits as long as the device wants between two requests.
  void pace();
  [[noreturn]] void refuse(const ModbusResult& result, const std::string& doing, const std::string& sent) const;
  std::string request_text(const char* verb, const Point& point) const;

  std::string name_;
  std::shared_ptr<ModbusBus> bus_;
  DeviceMap map_;
  std::uint8_t unit_;
  BenchTime& time_;
  Turns turns_;
  Instant next_{};
  bool identified_ = false;
};

}  // namespace firstlight::modbus
