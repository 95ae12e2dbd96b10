#include "lab/drivers/modbus/device_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/document/document.h"
#include "lab/document/reader.h"
#include "lab/drivers/modbus/built_in_device_maps.h"

namespace firstlight::modbus {

namespace {

constexpr std::int64_t kLastAddress = 65535;

ParamSpec spec(std::string name, ParamType type, std::string doc, std::string fallback = {}) {
  ParamSpec made;
  made.name = std::move(name);
  made.type = type;
  made.doc = std::move(doc);
  made.fallback = std::move(fallback);
  return made;
}
ParamSpec integer(std::string name, std::string doc, std::string fallback, double min, double max) {
  ParamSpec made = spec(std::move(name), ParamType::integer, std::move(doc), std::move(fallback));
  made.min = min;
  made.max = max;
  return made;
}
ParamSpec choice(std::string name, std::vector<std::string> choices, std::string doc, std::string fallback) {
  ParamSpec made = spec(std::move(name), ParamType::enumeration, std::move(doc), std::move(fallback));
  made.choices = std::move(choices);
  return made;
}
ParamSpec time(std::string name, std::string doc, std::string fallback) {
  ParamSpec made = spec(std::move(name), ParamType::quantity, std::move(doc), std::move(fallback));
  made.dimension = Dimension::time;
  made.min = 0;
  return made;
}

const Value* at(const Value::Map& params, const std::string& name) {
  const auto found = params.find(name);
  return found == params.end() || !found->second.is_set() ? nullptr : &found->second;
}

struct TableName {
  const char* key;
  ModbusTable table;
  bool bits;
  bool writable;
};
constexpr TableName kTables[] = {{"coil", ModbusTable::coils, true, true},
                                 {"discrete", ModbusTable::discrete_inputs, true, false},
                                 {"input", ModbusTable::input_registers, false, false},
                                 {"holding", ModbusTable::holding_registers, false, true}};

const std::vector<std::pair<std::string, Format>>& formats() {
  static const std::vector<std::pair<std::string, Format>> table = {
      {"u16", Format::u16}, {"s16", Format::s16}, {"u32", Format::u32}, {"s32", Format::s32}, {"f32", Format::f32}};
  return table;
}

enum class Section : std::uint8_t { readings, settings, outputs, identity };

class MapParser {
 public:
  MapParser(const std::string& file, const std::string& text) : reader_(diagnostics_, names_) {
    if (const auto document = parse_document(file, text, diagnostics_)) read({&document->root, ""});
  }

  DeviceMap finish(const std::string& file) {
    if (diagnostics_.empty()) return std::move(map_);
    throw FailureError({ErrorClass::bench,
                        "bad_device_map",
                        fmt::format("{} is not a usable device map:\n{}", file, to_text(diagnostics_)),
                        file,
                        {},
                        {},
                        "the file that says where a Modbus device keeps what; docs/modbus.md has its format"});
  }

 private:
  void read(const Place& root) {
    MapReader map(reader_, root, "a device map");
    if (!map.valid()) return;
    map_.name = map.required_text("device").value_or("");
    map_.doc = map.text("doc").value_or("");
    const Value::Map params =
        map.params({integer("unit", "The device's address.", "1", 0, 255), time("timeout", "For one answer.", "1 s"),
                    time("pacing", "Between an answer and the next request.", "0 s"),
                    choice("word_order", {"high_first", "low_first"}, "Of numbers in two registers.", "high_first")});
    if (const Value* unit = at(params, "unit")) map_.unit = static_cast<std::uint8_t>(unit->integer());
    if (const Value* timeout = at(params, "timeout")) map_.timeout = to_duration(timeout->quantity());
    if (const Value* pacing = at(params, "pacing")) map_.pacing = to_duration(pacing->quantity());
    if (const Value* order = at(params, "word_order")) low_first_ = order->text() == "low_first";
    points(map, "readings", Section::readings, map_.readings);
    points(map, "settings", Section::settings, map_.settings);
    points(map, "outputs", Section::outputs, map_.outputs);
    if (const auto identity = map.find("identity")) read_identity(*identity);
    map.finish();
    if (diagnostics_.empty() && map_.readings.empty() && map_.settings.empty() && map_.outputs.empty())
      reader_.error(root, "the device has no readings, no settings and no outputs");
  }

  void points(MapReader& map, const std::string& key, Section section, std::vector<Point>& into) {
    const auto place = map.find(key);
    if (!place) return;
    MapReader entries(reader_, *place, fmt::format("`{}`", key));
    if (!entries.valid()) return;
    for (const Entry& entry : (*place)->entries) {
      const std::string path = place->path + '.' + entry.key;
      const Node name = Node::scalar(entry.key, entry.where);
      if (!reader_.identifier({&name, path})) continue;
      MapReader point(reader_, {&entry.value, path}, fmt::format("the point `{}`", entry.key));
      if (point.valid()) into.push_back(read_point(point, entry.key, section));
    }
  }

  void read_identity(const Place& place) {
    MapReader point(reader_, place, "`identity`");
    if (!point.valid()) return;
    if (const auto value = point.require("value")) map_.identity_value = reader_.integer(*value).value_or(0);
    map_.identity = read_point(point, "identity", Section::identity);
  }

  Point read_point(MapReader& map, const std::string& name, Section section) {
    Point point;
    point.name = name;
    point.doc = map.text("doc").value_or("");
    const bool bits = read_table(map, point, section);
    if (!bits) read_format(map, point);
    if (section == Section::readings || section == Section::settings) read_scale(map, point, bits);
    if (section == Section::readings && !bits) read_invalid(map, point);
    if (section == Section::outputs && !bits) {
      if (const auto on = map.find("on")) point.on = reader_.integer(*on).value_or(1);
      if (const auto off = map.find("off")) point.off = reader_.integer(*off).value_or(0);
      if (point.on == point.off) reader_.error(map.place(), "`on` and `off` are the same number");
    }
    map.finish();
    if (section == Section::settings && !point.max)
      reader_.error(map.place(), "a setting needs `max`: the most that the device can be told without harm");
    return point;
  }

  /// True for a table of bits.
  bool read_table(MapReader& map, Point& point, Section section) {
    bool bits = false;
    int named = 0;
    for (const TableName& table : kTables) {
      const auto place = map.find(table.key);
      if (!place) continue;
      ++named;
      bits = table.bits;
      point.table = table.table;
      point.format = table.bits ? Format::bit : Format::u16;
      if (const auto address = reader_.integer(*place)) {
        if (*address < 0 || *address > kLastAddress)
          reader_.error(*place, "an address is 0 to 65535, as on the wire: 40001 of a manual is often `holding: 0`");
        point.address = static_cast<std::uint16_t>(*address);
      }
      if ((section == Section::settings || section == Section::outputs) && !table.writable)
        reader_.error(*place,
                      fmt::format("`{}` cannot be written; settings and outputs are `coil` or `holding`", table.key));
      if (section == Section::settings && table.bits) reader_.error(*place, "a setting is a number: `holding`");
    }
    if (named != 1) reader_.error(map.place(), "a point lies at one of `coil`, `discrete`, `input`, `holding`");
    return bits;
  }

  void read_format(MapReader& map, Point& point) {
    std::vector<std::string> names;
    for (const auto& [name, format] : formats()) names.push_back(name);
    const Value::Map params =
        map.params({choice("type", names, "How the number is written.", "u16"),
                    choice("word_order", {"high_first", "low_first"}, "", low_first_ ? "low_first" : "high_first")});
    if (const Value* type = at(params, "type"))
      for (const auto& [name, format] : formats())
        if (name == type->text()) point.format = format;
    if (const Value* order = at(params, "word_order")) point.low_word_first = order->text() == "low_first";
  }

  void read_scale(MapReader& map, Point& point, bool bits) {
    if (bits) return;
    if (const auto unit = map.text("unit")) {
      if (const auto scale = unit_scale(*unit))
        point.unit = *scale;
      else
        reader_.error(*map.find("unit"), fmt::format("`{}` is no unit", *unit));
    }
    const Value::Map params = map.params({spec("scale", ParamType::quantity, "Of one step.", "1"),
                                          spec("offset", ParamType::quantity, "Added to the scaled number.", "0")});
    if (const Value* scale = at(params, "scale")) point.scale = scale->quantity().value;
    if (const Value* offset = at(params, "offset")) point.offset = offset->quantity().value;
    if (point.scale == 0) reader_.error(map.place(), "`scale` cannot be 0");
    const auto bound = [&](const char* key) -> std::optional<double> {
      const auto place = map.find(key);
      if (!place) return std::nullopt;
      const auto value = reader_.quantity(*place, point.unit.dimension);
      return value ? std::optional<double>(value->value) : std::nullopt;
    };
    point.min = bound("min");
    point.max = bound("max");
    if (point.min && point.max && *point.min >= *point.max) reader_.error(map.place(), "`min` is not below `max`");
  }

  void read_invalid(MapReader& map, Point& point) {
    const auto place = map.find("invalid");
    if (!place) return;
    for (const Place& item : reader_.items(*place))
      if (const auto raw = reader_.integer(item)) point.invalid.push_back(*raw);
  }

  Diagnostics diagnostics_;
  NameTable names_;
  Reader reader_;
  bool low_first_ = false;
  DeviceMap map_;
};

}  // namespace

DeviceMap parse_device_map(const std::string& file, const std::string& text) {
  return MapParser(file, text).finish(file);
}

std::vector<std::string> known_device_maps() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in_device_maps()) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

DeviceMap load_device_map(const std::string& name) {
  constexpr std::string_view kExtension = ".yaml";
  if (name.size() > kExtension.size() &&
      name.compare(name.size() - kExtension.size(), kExtension.size(), kExtension) == 0) {
    std::ifstream file(name);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (file) return parse_device_map(name, text.str());
    throw FailureError({ErrorClass::bench,
                        "no_device_map",
                        fmt::format("cannot read the device map {}", name),
                        name,
                        {},
                        {},
                        "the path is relative to the bench file, or to where firstlight was started"});
  }
  for (const auto& [known, text] : built_in_device_maps())
    if (known == name) return parse_device_map(fmt::format("{}.yaml", name), std::string(text));
  const std::string near = nearest_name(name, known_device_maps());
  throw FailureError({ErrorClass::bench,
                      "no_device_map",
                      fmt::format("there is no device map \"{}\"{}", name,
                                  near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near)),
                      name,
                      {},
                      {},
                      fmt::format("known are: {}", fmt::join(known_device_maps(), ", "))});
}

}  // namespace firstlight::modbus
