#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/quantity.h"
#include "lab/drivers/scpi/exchange.h"
#include "lab/drivers/scpi/session.h"

namespace firstlight::scpi {

/// What a setting of an instrument may be.
struct Range {
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> resolution;
};
using Ranges = std::map<std::string, Range>;  // by setting: "voltage"

/// An output, input or scanner channel of an instrument.
struct ChannelPlan {
  std::string name;  // as the instrument writes it: "1", "101"
  Ranges ranges;     // where it differs from the instrument's own
};

/// How one model of instrument wants to be spoken to. From a YAML file, so that a new model needs no code.
struct Personality {
  std::string name;
  std::string kind;  // "supply", "meter", "clock", "counter", "coolant", "load", "chamber"
  std::string doc;
  std::string source;    // the manual, and where in it
  std::string hardware;  // what it was tried on; empty: on no hardware yet
  SessionOptions session;
  std::string acknowledge;                    // what the instrument answers to each setting; empty: nothing
  std::string select;                         // sent before what is meant for a channel, `{channel}` in it
  std::map<std::string, Exchange> exchanges;  // by purpose: "set_voltage"
  Ranges ranges;
  std::vector<ChannelPlan> channels;  // empty: there is only one, without a name

  bool can(const std::string& purpose) const { return exchanges.count(purpose) != 0; }
  const Exchange& exchange(const std::string& purpose) const { return exchanges.at(purpose); }
  int channel_count() const { return static_cast<int>(channels.size()); }
  /// Of a channel (its place in the list, from 0), or of the instrument where the channel says nothing.
  Range range(const std::string& setting, std::size_t channel) const;
};

/// Reads a personality. Throws FailureError (bench) that tells every error in it, with line and column.
/// @param file for messages
Personality parse_personality(const std::string& file, const std::string& text);

/// One that comes with the program, by name, or a file, when the name ends in ".yaml".
Personality load_personality(const std::string& name);

/// Names of those that come with the program, sorted.
std::vector<std::string> known_personalities();

/// JSON Schema (draft 2020-12) of a personality's file, from the tables that the parser reads by.
std::string personality_schema();

}  // namespace firstlight::scpi
