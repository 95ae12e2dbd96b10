#include "lab/agent/exports.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

template <class Transport, class Open>
Transport& once(std::map<std::string, std::unique_ptr<Transport>>& opened, const std::string& name, const Open& open) {
  auto& slot = opened[name];
  if (!slot) slot = open();
  return *slot;
}

template <class Transport>
Transport& existing(const std::map<std::string, std::unique_ptr<Transport>>& opened, const std::string& name) {
  const auto found = opened.find(name);
  if (found == opened.end() || !found->second)
    throw Refusal(fmt::format("\"{}\" has not been opened with that type", name));
  return *found->second;
}

}  // namespace

Exports::Exports(TransportProvider& provider, BenchTime& time, std::vector<ResourcePlan> resources)
    : provider_(provider), opening_(time), resources_(std::move(resources)) {}

json Exports::list() const {
  json out = json::array();
  for (const ResourcePlan& one : resources_) out.push_back(json{{"name", one.name}, {"type", one.type}});
  return out;
}

const ResourcePlan& Exports::plan(const std::string& name, const std::string& type) const {
  std::vector<std::string> known;
  for (const ResourcePlan& one : resources_) {
    if (one.name == name && one.type == type) return one;
    if (one.name == name) throw Refusal(fmt::format("\"{}\" is of type {} here, not {}", name, one.type, type));
    known.push_back(one.name);
  }
  const std::string near = nearest_name(name, known);
  throw Refusal(fmt::format("no resource \"{}\" is served here, only {}{}", name,
                            known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                            near.empty() ? "" : fmt::format(" (did you mean {}?)", near)));
}

json Exports::open(const std::string& name, const std::string& type, Streams& streams) {
  const ResourcePlan& resource = plan(name, type);
  // Opening may wait, and a second client must not open the same thing meanwhile.
  const Turns::Hold hold(opening_);
  try {
    return describe(resource, streams);
  } catch (const FailureError& error) {
    const Failure& failure = error.failure();
    throw Refusal(failure.likely_cause.empty() ? failure.message : failure.message + " (" + failure.likely_cause + ")");
  }
}

json Exports::describe(const ResourcePlan& resource, Streams& streams) {
  const std::string& name = resource.name;
  if (resource.type == "i2c") {
    once(i2c_, name, [&] { return provider_.open_i2c(resource); });
  } else if (resource.type == "registers") {
    once(registers_, name, [&] { return provider_.open_registers(resource); });
  } else if (resource.type == "dma_memory") {
    const auto& memory = once(memories_, name, [&] { return provider_.open_dma_memory(resource); });
    return {{"base", memory.base()}, {"size", memory.size()}};
  } else if (resource.type == "gpio") {
    return {{"lines", once(gpios_, name, [&] { return provider_.open_gpio(resource); }).lines()}};
  } else if (resource.type == "hwmon") {
    const auto& hwmon = once(hwmons_, name, [&] { return provider_.open_hwmon(resource); });
    nlohmann::json labels = nlohmann::json::object();
    for (const std::string& attribute : hwmon.attributes()) {
      const std::string channel = attribute.substr(0, attribute.find('_'));
      if (const std::string label = hwmon.label(channel); !label.empty()) labels[channel] = label;
    }
    return {{"chip", hwmon.chip()}, {"attributes", hwmon.attributes()}, {"labels", std::move(labels)}};
  } else if (resource.type == "scpi") {
    once(streams, name, [&] { return provider_.open_stream(resource); });
  } else {
    throw Refusal(fmt::format("resources of type {} cannot be reached through an agent", resource.type));
  }
  return json::object();
}

I2cBus& Exports::i2c(const std::string& name) const { return existing(i2c_, name); }
RegisterBus& Exports::registers(const std::string& name) const { return existing(registers_, name); }
DmaMemory& Exports::dma_memory(const std::string& name) const { return existing(memories_, name); }
Gpio& Exports::gpio(const std::string& name) const { return existing(gpios_, name); }
Hwmon& Exports::hwmon(const std::string& name) const { return existing(hwmons_, name); }

}  // namespace firstlight::agent
