#include <fmt/format.h>

#include <functional>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/pmbus/part.h"

namespace firstlight::pmbus {

namespace {

constexpr std::int64_t kMostRetries = 10;
constexpr std::int64_t kMostBlockBytes = 255;

std::int64_t number_in(const Value& value, const std::string& what, std::int64_t min, std::int64_t max) {
  const std::int64_t number = integer_in(value, what);
  if (number < min || number > max)
    throw_bad_param(value.where, fmt::format("quirks: {} must be {} to {}", what, min, max));
  return number;
}

Command command_in(const Value& value, const std::string& what) {
  const auto* text = std::get_if<std::string>(&value.data);
  const auto* code = std::get_if<std::int64_t>(&value.data);
  if (code != nullptr && *code >= 0 && *code <= 0xff) return static_cast<Command>(*code);
  const auto command = text == nullptr ? std::nullopt : command_of(*text);
  if (command) return *command;
  throw_bad_param(value.where, fmt::format("{} must name PMBus commands, as READ_VOUT or 0xd0", what),
                  text == nullptr ? "" : nearest_name(*text, command_names()));
}

std::set<Command> commands_in(const Value& value, const std::string& what) {
  std::set<Command> commands;
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) return {command_in(value, what)};
  for (const Value& entry : *list) commands.insert(command_in(entry, what));
  return commands;
}

/// {lowest: 0xfb, highest: 0xdd, clear: CLEAR_FAULTS}; `clear: rewrite` where they are written to.
PeakCapture peaks_in(const Value& value) {
  const auto* map = std::get_if<Value::Map>(&value.data);
  if (map == nullptr) throw_bad_param(value.where, "peaks must be a map: {lowest: 0xfb, highest: 0xdd, clear: 0xe3}");
  PeakCapture peaks;
  bool cleared = false;
  for (const auto& [key, entry] : *map) {
    if (key == "lowest") {
      peaks.lowest = command_in(entry, "peaks: lowest");
    } else if (key == "highest") {
      peaks.highest = command_in(entry, "peaks: highest");
    } else if (key == "clear") {
      cleared = true;
      const auto* text = std::get_if<std::string>(&entry.data);
      if (text == nullptr || *text != "rewrite") peaks.clear = command_in(entry, "peaks: clear");
    } else {
      throw_bad_param(entry.where, fmt::format("peaks has no \"{}\"; it has lowest, highest and clear", key),
                      nearest_name(key, {"lowest", "highest", "clear"}));
    }
  }
  if (!peaks.lowest && !peaks.highest) throw_bad_param(value.where, "peaks must name the command of lowest or highest");
  if (!cleared)
    throw_bad_param(value.where,
                    "peaks must say how they are cleared: `clear: CLEAR_FAULTS`, another command without data, or "
                    "`clear: rewrite` where the registers themselves are written");
  return peaks;
}

using Setter = std::function<void(Quirks&, const Value&, const std::string&)>;

Setter time(Duration Quirks::*member) {
  return [member](Quirks& quirks, const Value& value, const std::string& key) {
    quirks.*member = duration_in(value, key);
  };
}
Setter flag(bool Quirks::*member) {
  return
      [member](Quirks& quirks, const Value& value, const std::string& key) { quirks.*member = boolean_in(value, key); };
}
Setter commands(std::set<Command> Quirks::*member) {
  return [member](Quirks& quirks, const Value& value, const std::string& key) {
    for (const Command command : commands_in(value, key)) (quirks.*member).insert(command);
  };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"min_gap", time(&Quirks::min_gap)},
      {"write_gap", time(&Quirks::write_gap)},
      {"busy_limit", time(&Quirks::busy_limit)},
      {"io_timeout", time(&Quirks::io_timeout)},
      {"no_capability", flag(&Quirks::no_capability)},
      {"no_pec", flag(&Quirks::no_pec)},
      {"skip_status_check", flag(&Quirks::skip_status_check)},
      {"no_write_protect", flag(&Quirks::no_write_protect)},
      {"read_only", flag(&Quirks::read_only)},
      {"no_page", flag(&Quirks::no_page)},
      {"pages_alike", flag(&Quirks::pages_alike)},
      {"cml_tolerated", commands(&Quirks::cml_tolerated)},
      {"unsupported", commands(&Quirks::unsupported)},
      {"page_identity", [](Quirks& quirks, const Value& value,
                           const std::string& key) { quirks.page_identity = command_in(value, key); }},
      {"peaks", [](Quirks& quirks, const Value& value, const std::string&) { quirks.peaks = peaks_in(value); }},
      {"retries",
       [](Quirks& quirks, const Value& value, const std::string& key) {
         quirks.retries = static_cast<int>(number_in(value, key, 0, kMostRetries));
       }},
      {"block_length",
       [](Quirks& quirks, const Value& value, const std::string& key) {
         quirks.block_length = static_cast<std::size_t>(number_in(value, key, 1, kMostBlockBytes));
       }},
  };
  return table;
}

}  // namespace

void apply_quirks(Quirks& quirks, const Value& value) {
  const auto* map = std::get_if<Value::Map>(&value.data);
  if (map == nullptr) throw_bad_param(value.where, "quirks must be a map: {min_gap: 500 us}");
  for (const auto& [key, entry] : *map) {
    const auto setter = setters().find(key);
    if (setter != setters().end()) {
      setter->second(quirks, entry, key);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& [name, set] : setters()) known.push_back(name);
    throw_bad_param(entry.where, fmt::format("the pmbus driver has no quirk \"{}\"", key), nearest_name(key, known));
  }
}

}  // namespace firstlight::pmbus
