#include "lab/transports/i2c/resource_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight::i2c {

namespace {

constexpr int kDeepest = 4;

[[noreturn]] void refuse(const SourceLocation& where, const ResourcePlan& resource, const std::string& what) {
  throw FailureError(
      {ErrorClass::bench,
       "bad_bench",
       fmt::format("{}:{}:{}: resource \"{}\": {}", where.file, where.line, where.column, resource.name, what),
       resource.name,
       {},
       {},
       "the bench file needs mending"});
}

int number(const Value& value, const ResourcePlan& resource, const std::string& key, int min, int max) {
  const auto* given = std::get_if<std::int64_t>(&value.data);
  if (given == nullptr || *given < min || *given > max)
    refuse(value.where, resource, fmt::format("mux: {} must be a whole number from {} to {}", key, min, max));
  return static_cast<int>(*given);
}

MuxHop::Kind kind_of(const Value& value, const ResourcePlan& resource) {
  const auto* given = std::get_if<std::string>(&value.data);
  if (given != nullptr && *given == "switch") return MuxHop::Kind::switch_;
  if (given != nullptr && *given == "mux") return MuxHop::Kind::mux;
  refuse(value.where, resource,
         "mux: kind must be switch (PCA9548: a bit a channel) or mux (PCA9547: the channel's number)");
}

void read_hop(const Value& value, const ResourcePlan& resource, std::vector<MuxHop>& way, int depth) {
  static const std::vector<std::string> known = {"address", "channel", "kind", "channels", "behind"};
  const auto* map = std::get_if<Value::Map>(&value.data);
  if (map == nullptr) refuse(value.where, resource, "mux must be a map: {address: 0x70, channel: 2}");
  if (depth > kDeepest) refuse(value.where, resource, fmt::format("more than {} muxes behind each other", kDeepest));
  MuxHop hop;
  bool has_channel = false;
  for (const auto& [key, entry] : *map) {
    if (key == "address") {
      hop.address = static_cast<std::uint8_t>(number(entry, resource, key, 0x08, 0x77));
    } else if (key == "channel") {
      hop.channel = number(entry, resource, key, 0, 7);
      has_channel = true;
    } else if (key == "channels") {
      hop.channels = number(entry, resource, key, 2, 8);
    } else if (key == "kind") {
      hop.kind = kind_of(entry, resource);
    } else if (key == "behind") {
      read_hop(entry, resource, way, depth + 1);
    } else {
      const std::string near = nearest_name(key, known);
      refuse(entry.where, resource,
             fmt::format("mux has no key \"{}\"{}", key, near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
    }
  }
  if (hop.address == 0 || !has_channel) refuse(value.where, resource, "mux needs an address and a channel");
  if (hop.channel >= hop.channels)
    refuse(value.where, resource, fmt::format("mux: channel {} of one with {} channels", hop.channel, hop.channels));
  way.push_back(hop);
}

}  // namespace

std::vector<MuxHop> mux_way(const ResourcePlan& resource) {
  std::vector<MuxHop> way;
  const auto found = resource.params.find("mux");
  if (found != resource.params.end() && found->second.is_set()) read_hop(found->second, resource, way, 1);
  return way;
}

LineName line_name(const std::string& text, const ResourcePlan& resource, const BenchPlan& bench) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size())
    refuse(resource.where, resource, fmt::format("the line \"{}\" must be written RESOURCE.LINE", text));
  const std::string name = text.substr(0, dot);
  const auto found = std::find_if(bench.resources.begin(), bench.resources.end(),
                                  [&](const ResourcePlan& one) { return one.name == name && one.type == "gpio"; });
  if (found == bench.resources.end())
    refuse(resource.where, resource, fmt::format("the line \"{}\" is of no gpio resource of this bench", text));
  return {&*found, text.substr(dot + 1)};
}

}  // namespace firstlight::i2c
