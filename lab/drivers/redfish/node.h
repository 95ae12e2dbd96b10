#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/bench/measures.h"
#include "lab/capabilities/identity.h"
#include "lab/core/turns.h"
#include "lab/drivers/points/point_device.h"
#include "lab/drivers/redfish/service.h"

namespace firstlight::redfish {

/// Which of the service's resources the driver speaks of; empty ids mean the only one that there is.
struct Selection {
  std::string chassis;
  std::string system;
  std::string pdu;
  std::vector<std::string> outlets;  // of the PDU; empty for a machine, whose one outlet is `system`
};

/// A machine or a rack PDU by Redfish: sensors, leak detectors, and what it powers. Making one talks to nobody.
class Node final : public PointDevice, public Identity {
 public:
  /// @param measures each of a `sensor`, a `leak_detector`, or `at` (a resource's path, "#" and a JSON pointer)
  Node(Service service, Selection selection, std::vector<NamedMeasure> measures,
       std::map<std::string, std::string> expected, BenchTime& time);

  std::string part() const override { return service_.part(); }
  std::vector<PointReading> readings() override;
  std::vector<PointSetting> settings() override { return {}; }
  std::vector<std::string> outputs() override;

  Quantity read(const std::string& reading) override;
  Quantity setting(const std::string& name) override;
  void set(const std::string& name, const Quantity& value) override;
  bool output(const std::string& name) override;
  void switch_output(const std::string& name, bool on) override;

  std::map<std::string, std::string> identity() override;
  std::map<std::string, std::string> expected() const override { return expected_; }

 private:
  /// A part of a resource.
  struct Location {
    std::string path;
    std::string pointer;  // RFC 6901; empty for the whole resource
  };

  Location locate(const NamedMeasure& measure);
  Location find_sensor(const std::string& name);
  Location find_leak_detector(const std::string& name);
  /// In the resource at `path`, the entry of one of the lists that has the name; empty path when none has.
  Location find_entry(const std::string& path, const std::vector<const char*>& lists, const std::string& name);
  /// In a collection, by id first, then by Name; empty path when none has it.
  Location find_member(const std::string& collection, const std::string& name, std::vector<std::string>& known);
  /// The member of a collection with that id, or its only one.
  std::string one_of(const std::string& collection, const std::string& id, const char* what);
  Json chassis();
  std::string system_path();
  std::string output_path(const std::string& name);
  void check_known_once();
  /// Names for the same action, the best first: the first that the service allows.
  std::string allowed(const Json& action, const char* parameter, const std::vector<std::string>& wanted);

  Service service_;
  Selection selection_;
  std::vector<NamedMeasure> measures_;
  std::map<std::string, std::string> expected_;
  Turns turns_;
  bool known_ = false;                       // its identity is the declared one
  std::map<std::string, Location> located_;  // by reading
  std::map<std::string, std::string> ids_;   // resolved: "chassis" -> path
};

}  // namespace firstlight::redfish
