#pragma once

#include <libsigrok/libsigrok.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sigrok_plugin {

/// A reading or a setting, as the exec protocol declares it: values in `unit`.
struct Point {
  std::string name;
  std::string unit;  // "V", "A", "degC", "Hz", "W", "%", or "" for a plain number
  std::optional<double> min;
  std::optional<double> max;
};

/// One device by libsigrok: the first that a driver finds. Throws std::runtime_error with a sentence for people.
class Device {
 public:
  /// @param driver "demo", "rigol-dp800:conn=usb/1ab1.0e11" @param loglevel of libsigrok, 0 to 5, on standard error
  Device(const std::string& driver, int loglevel);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  std::string name() const;
  std::string serial_number() const;
  /// Analog channels, and what a supply or meter tells of itself.
  std::vector<Point> readings();
  /// What can be set and has a known range.
  std::vector<Point> settings();
  std::vector<std::string> outputs();

  double read(const std::string& reading);
  double get(const std::string& setting);
  void set(const std::string& setting, double value);
  bool output(const std::string& name);
  void switch_output(const std::string& name, bool on);

 private:
  struct Key;
  struct Found {
    const sr_channel_group* group = nullptr;
    const Key* key = nullptr;
  };
  template <class Visit>
  void each(Visit visit) const;
  std::optional<Found> find(const std::string& name, bool settable) const;
  double acquire(const std::string& channel);
  sr_channel* channel_of(const std::string& name) const;
  std::string unit_of(sr_channel* channel);

  struct ContextEnd {
    void operator()(sr_context* context) const { sr_exit(context); }
  };
  std::unique_ptr<sr_context, ContextEnd> context_;
  sr_dev_driver* driver_ = nullptr;
  sr_dev_inst* device_ = nullptr;
  std::map<std::string, std::string> units_;  // of analog channels, learnt by a first reading
};

}  // namespace sigrok_plugin
