#include "lab/drivers/scpi/personality_text.h"

#include <fmt/format.h>

#include "lab/document/document.h"
#include "lab/drivers/scpi/kinds.h"
#include "lab/drivers/scpi/personality_reader.h"

namespace firstlight::scpi {

namespace {

std::string range_text(const Range& range) {
  std::string text;
  if (range.min) text += firstlight::to_text(*range.min) + " ";
  if (range.max) text += "to " + firstlight::to_text(*range.max);
  if (range.resolution) text += fmt::format(", in steps of {}", firstlight::to_text(*range.resolution));
  return text;
}

std::string ranges_text(const Ranges& ranges, const std::string& indent) {
  std::string text;
  for (const auto& [setting, range] : ranges) text += fmt::format("{}{:<14} {}\n", indent, setting, range_text(range));
  return text;
}

std::string channels_text(const Personality& one) {
  std::string text;
  for (const ChannelPlan& channel : one.channels) {
    if (channel.ranges.empty()) continue;
    text += fmt::format("  channel {}\n{}", channel.name, ranges_text(channel.ranges, "    "));
  }
  if (one.channels.size() > 1)
    text += fmt::format("  channels       {} to {}\n", one.channels.front().name, one.channels.back().name);
  return text;
}

std::string commands_text(const Personality& one) {
  std::string text;
  const KindSpec* kind = find_kind(one.kind);
  for (const Purpose& purpose : kind->purposes) {
    if (!one.can(purpose.name)) continue;
    text += fmt::format("  {:<22} {}\n", purpose.name, fmt::join(one.exchange(purpose.name).send, "; "));
  }
  return text;
}

}  // namespace

InstrumentSpec instrument_spec(const Personality& one) {
  InstrumentSpec spec{one.name, one.kind, one.doc, one.source, one.hardware, {}};
  spec.details = "ranges\n" + ranges_text(one.ranges, "  ") + channels_text(one) + "\ncommands\n" + commands_text(one);
  return spec;
}

}  // namespace firstlight::scpi

namespace firstlight {

std::vector<InstrumentSpec> instrument_specs() {
  std::vector<InstrumentSpec> specs;
  for (const std::string& name : scpi::known_personalities())
    specs.push_back(scpi::instrument_spec(scpi::load_personality(name)));
  return specs;
}

std::optional<InstrumentSpec> check_personality(const std::string& file, Diagnostics& diagnostics) {
  const auto document = load_document(file, diagnostics);
  if (!document) return std::nullopt;
  const auto personality = scpi::read_personality(*document, diagnostics);
  if (!personality) return std::nullopt;
  return scpi::instrument_spec(*personality);
}

}  // namespace firstlight
