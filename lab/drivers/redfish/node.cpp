#include "lab/drivers/redfish/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/points/identity_check.h"
#include "lab/drivers/redfish/reading.h"

namespace firstlight::redfish {

namespace {

constexpr const char* kRoot = "/redfish/v1";

bool has_name(const Json& entry, const std::string& name) {
  return text_of(entry, "Name") == name || text_of(entry, "Id") == name || text_of(entry, "MemberId") == name ||
         text_of(entry, "DeviceName") == name || last_segment(text_of(entry, "DataSourceUri")) == name;
}

/// The member's name by which its unit is known: of "/TemperatureReadingsCelsius/3" the list's.
std::string property_of(std::string pointer) {
  while (!pointer.empty() && last_segment(pointer).find_first_not_of("0123456789") == std::string::npos)
    pointer.erase(pointer.rfind('/'));
  return last_segment(pointer);
}

/// The action of a resource, null when it has none.
Json action_of(const Json& resource, const char* name) {
  const auto actions = resource.find("Actions");
  if (actions == resource.end() || !actions->is_object()) return nullptr;
  const auto action = actions->find(name);
  return action == actions->end() ? Json() : *action;
}

}  // namespace

Node::Node(Service service, Selection selection, std::vector<NamedMeasure> measures,
           std::map<std::string, std::string> expected, BenchTime& time)
    : service_(std::move(service)),
      selection_(std::move(selection)),
      measures_(std::move(measures)),
      expected_(std::move(expected)),
      turns_(time) {}

std::vector<PointReading> Node::readings() {
  std::vector<PointReading> all;
  all.reserve(measures_.size());
  for (const NamedMeasure& measure : measures_) all.push_back({measure.name, measure.dimension});
  return all;
}

std::vector<std::string> Node::outputs() {
  return selection_.outlets.empty() ? std::vector<std::string>{"system"} : selection_.outlets;
}

Quantity Node::setting(const std::string& name) {
  service_.fail("no_such_setting", "it has no setting " + name, "", "");
}
void Node::set(const std::string& name, const Quantity&) { setting(name); }

// ---- where things are

std::string Node::one_of(const std::string& collection, const std::string& id, const char* what) {
  const std::vector<std::string> members = service_.members(collection);
  std::vector<std::string> ids;
  for (const std::string& member : members) {
    ids.push_back(last_segment(member));
    if (ids.back() == id) return member;
  }
  if (id.empty() && members.size() == 1) return members.front();
  throw FailureError({ErrorClass::bench, "redfish_which",
                      id.empty()
                          ? fmt::format("{} has {} {}s; name one by `{}`", service_.part(), members.size(), what, what)
                          : fmt::format("{} has no {} \"{}\"", service_.part(), what, id),
                      service_.part(), "GET " + collection, fmt::format("{}", fmt::join(ids, ", ")),
                      fmt::format("it has: {}", fmt::join(ids, ", "))});
}

Json Node::chassis() {
  std::string& path = ids_["chassis"];
  if (path.empty()) path = one_of(fmt::format("{}/Chassis", kRoot), selection_.chassis, "chassis");
  return service_.get(path);
}

std::string Node::system_path() {
  std::string& path = ids_["system"];
  if (path.empty()) path = one_of(fmt::format("{}/Systems", kRoot), selection_.system, "system");
  return path;
}

Node::Location Node::find_member(const std::string& collection, const std::string& name,
                                 std::vector<std::string>& known) {
  const std::vector<std::string> members = service_.members(collection);
  for (const std::string& member : members)
    if (last_segment(member) == name) return {member, ""};
  for (const std::string& member : members) {
    const Json resource = service_.get(member);
    if (has_name(resource, name)) return {member, ""};
    known.push_back(text_of(resource, "Name"));
  }
  return {};
}

Node::Location Node::find_entry(const std::string& path, const std::vector<const char*>& lists,
                                const std::string& name) {
  if (path.empty()) return {};
  const Json resource = service_.find(path);
  if (!resource.is_object()) return {};
  for (const char* list : lists) {
    const auto entries = resource.find(list);
    if (entries == resource.end() || !entries->is_array()) continue;
    for (std::size_t i = 0; i < entries->size(); ++i)
      if ((*entries)[i].is_object() && has_name((*entries)[i], name)) return {path, fmt::format("/{}/{}", list, i)};
  }
  return {};
}

Node::Location Node::find_sensor(const std::string& name) {
  const Json frame = chassis();
  std::vector<std::string> known;
  if (const std::string sensors = link_of(frame, "Sensors"); !sensors.empty())
    if (Location found = find_member(sensors, name, known); !found.path.empty()) return found;
  if (const std::string thermal = link_of(frame, "ThermalSubsystem"); !thermal.empty())
    if (Location found =
            find_entry(link_of(service_.get(thermal), "ThermalMetrics"), {"TemperatureReadingsCelsius"}, name);
        !found.path.empty())
      return found;
  // Deprecated since 2020.4, and all that older machines have.
  if (Location found = find_entry(link_of(frame, "Thermal"), {"Temperatures", "Fans"}, name); !found.path.empty())
    return found;
  if (Location found = find_entry(link_of(frame, "Power"), {"Voltages", "PowerControl", "PowerSupplies"}, name);
      !found.path.empty())
    return found;
  const std::string near = nearest_name(name, known);
  throw FailureError({ErrorClass::bench, "no_such_sensor",
                      fmt::format("{} has no sensor \"{}\"{}", service_.part(), name,
                                  near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                      service_.part(), "", "",
                      "Sensors, ThermalMetrics, Thermal and Power of the chassis were looked through"});
}

Node::Location Node::find_leak_detector(const std::string& name) {
  const std::string thermal = link_of(chassis(), "ThermalSubsystem");
  const std::string detection = thermal.empty() ? "" : link_of(service_.get(thermal), "LeakDetection");
  const std::string detectors = detection.empty() ? "" : link_of(service_.get(detection), "LeakDetectors");
  std::vector<std::string> known;
  if (!detectors.empty())
    if (Location found = find_member(detectors, name, known); !found.path.empty()) return found;
  throw FailureError({ErrorClass::bench, "no_such_leak_detector",
                      detectors.empty() ? fmt::format("{} has no leak detectors", service_.part())
                                        : fmt::format("{} has no leak detector \"{}\"", service_.part(), name),
                      service_.part(), "", fmt::format("{}", fmt::join(known, ", ")),
                      "ThermalSubsystem/LeakDetection/LeakDetectors of the chassis was looked through"});
}

Node::Location Node::locate(const NamedMeasure& measure) {
  if (const auto at = measure.text("at")) {
    const std::size_t hash = at->find('#');
    return {at->substr(0, hash), hash == std::string::npos ? "" : at->substr(hash + 1)};
  }
  if (const auto detector = measure.text("leak_detector")) return find_leak_detector(*detector);
  return find_sensor(measure.text("sensor").value_or(measure.name));
}

// ---- reading

Quantity Node::read(const std::string& reading) {
  const auto measure =
      std::find_if(measures_.begin(), measures_.end(), [&](const NamedMeasure& one) { return one.name == reading; });
  Location location;
  {
    const Turns::Hold hold(turns_);
    Location& known = located_[reading];
    if (known.path.empty()) known = locate(*measure);
    location = known;
  }
  const Json resource = service_.get(location.path);
  const Json::json_pointer pointer(location.pointer);
  if (!resource.contains(pointer))
    service_.fail("redfish_no_property", fmt::format("{} has no {}", location.path, location.pointer), resource.dump(),
                  "the service has another schema version, or the machine's parts were changed");
  const Json& part = resource.at(pointer);
  const bool leak = measure->text("leak_detector").has_value();
  const Reading found = leak ? read_leak_detector(part) : read_sensor(part, property_of(location.pointer));
  if (found.value) return *found.value;
  service_.fail("sensor_unavailable", fmt::format("{} cannot be read: {}", reading, found.why), part.dump(),
                "what it senses is off or absent, or the sensor failed");
}

// ---- power

std::string Node::output_path(const std::string& name) {
  if (selection_.outlets.empty()) return system_path();
  std::string& pdu = ids_["pdu"];
  if (pdu.empty()) pdu = one_of(fmt::format("{}/PowerEquipment/RackPDUs", kRoot), selection_.pdu, "pdu");
  std::string& outlet = ids_["outlet " + name];
  if (outlet.empty()) {
    const std::string outlets = link_of(service_.get(pdu), "Outlets");
    outlet = one_of(outlets.empty() ? pdu + "/Outlets" : outlets, name, "outlet");
  }
  return outlet;
}

bool Node::output(const std::string& name) {
  check_known_once();
  const std::string path = output_path(name);
  const Json resource = service_.get(path);
  const std::string state = text_of(resource, "PowerState");
  if (state.empty())
    service_.fail("redfish_no_property", fmt::format("{} has no PowerState", path), resource.dump(),
                  "the service does not know whether it is on");
  return state != "Off";  // what is turning on or off has power
}

std::string Node::allowed(const Json& action, const char* parameter, const std::vector<std::string>& wanted) {
  const auto values = action.find(fmt::format("{}@Redfish.AllowableValues", parameter));
  if (values == action.end() || !values->is_array()) return wanted.front();
  for (const std::string& one : wanted)
    if (std::find(values->begin(), values->end(), Json(one)) != values->end()) return one;
  service_.fail("redfish_no_such_action", fmt::format("{} may not be {}", parameter, fmt::join(wanted, " or ")),
                values->dump(), "the service does not offer to switch this");
}

void Node::check_known_once() {
  if (!known_) check_identity(*this);
  known_ = true;
}

void Node::switch_output(const std::string& name, bool on) {
  check_known_once();
  const bool outlet = !selection_.outlets.empty();
  const std::string path = output_path(name);
  const char* action_name = outlet ? "#Outlet.PowerControl" : "#ComputerSystem.Reset";
  const char* parameter = outlet ? "PowerState" : "ResetType";
  const Json action = action_of(service_.get(path), action_name);
  const std::string target = action.is_object() ? text_of(action, "target") : "";
  if (target.empty())
    service_.fail("redfish_no_such_action", fmt::format("{} has no action {}", path, action_name), "",
                  "the service does not offer to switch this, or not to this user");
  std::vector<std::string> wanted = {on ? "On" : "Off"};
  if (!outlet) wanted = on ? std::vector<std::string>{"On", "ForceOn"} : std::vector<std::string>{"ForceOff"};
  service_.post(target, {{parameter, allowed(action, parameter, wanted)}});
}

std::map<std::string, std::string> Node::identity() {
  const Json resource = service_.get(selection_.outlets.empty() ? system_path() : output_path(selection_.outlets[0]));
  std::map<std::string, std::string> fields;
  const std::vector<std::pair<const char*, const char*>> names = {{"manufacturer", "Manufacturer"},
                                                                  {"model", "Model"},
                                                                  {"serial_number", "SerialNumber"},
                                                                  {"part_number", "PartNumber"}};
  for (const auto& [field, member] : names)
    if (const std::string text = text_of(resource, member); !text.empty()) fields[field] = text;
  return fields;
}

}  // namespace firstlight::redfish
