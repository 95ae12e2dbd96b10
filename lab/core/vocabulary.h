#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/quantity.h"

namespace firstlight {

/// What a parameter of a step, driver or resource may be. The same tables drive the parser, the JSON Schema, `describe`
/// and the docs.
enum class ParamType : std::uint8_t {
  quantity,  // a number with a unit of `dimension` (plain for Dimension::none and bit_error_ratio)
  integer,   // decimal or 0x hexadecimal
  boolean,
  text,
  enumeration,  // one of `choices`
  name,         // the name of something on the bench, of kind `names`
  list,         // a list of what `element` would be
  map,          // free-form, checked by whoever declares it
};

/// The kinds of names that a bench offers to sequences.
enum class NameKind : std::uint8_t { none, rail, measurable, reg, lane, zone, driver, resource, line, link, memory };

struct ParamSpec {
  std::string name;
  ParamType type = ParamType::text;
  std::string doc;
  bool required = false;
  std::string fallback;  // the default, as it would be written in YAML; empty for none
  Dimension dimension = Dimension::none;
  NameKind names = NameKind::none;
  std::vector<std::string> choices;
  ParamType element = ParamType::text;  // of a list; dimension, names and choices then speak of the element
  std::optional<double> min;            // of a quantity or an integer, in base units
  std::optional<double> max;
  /// Of a step: the setting of its driver's instrument that this is a value for, by which the driver's `max_<setting>`
  /// and `min_<setting>` bound it ("voltage"), or "@" and the parameter that names the setting; empty for others.
  std::string sets = {};
};

/// A measured quantity that a driver, a rail or a step offers by name.
struct MeasurableSpec {
  std::string name;  // for a driver type: the suffix after the driver's or rail's name ("voltage")
  Dimension dimension = Dimension::none;
  std::string doc;
};

struct StepSpec {
  std::string verb;   // "rail.on"
  std::string doc;    // one sentence, then details
  std::string needs;  // the capability: "rails", "thermal", "links", "dma", "registers", "memories"; empty for none
  std::vector<ParamSpec> params;
  /// What it measures, by name; a `limit:` on the step speaks of the one called "" or, in `limits:`, of each by its
  /// name.
  std::vector<MeasurableSpec> measures;
  std::string example;  // YAML of one step
};

struct ResourceTypeSpec {
  std::string type;  // "i2c"
  std::string doc;
  std::vector<ParamSpec> params;
};

struct DriverTypeSpec {
  std::string driver;  // "pmbus"
  std::string doc;
  std::vector<std::string> uses;  // resource types that `uses:` may name, in order ("registers", "dma_memory")
  std::vector<ParamSpec> params;
  std::vector<std::string> offers;       // capabilities: "rails", "supply", "coolant", "registers", ...
  std::vector<MeasurableSpec> measures;  // measurables of the driver itself: "<driver name>.<suffix>"
  /// The parameter (a list of text) whose entries are digital lines: each "<driver name>.<entry>" is a line and also a
  /// measurable of dimension none, 0 or 1. Empty for drivers without lines.
  std::string lines_param = {};
  /// The parameter (a map) whose entries are measurables that the bench file names itself: "<driver name>.<key>", see
  /// lab/bench/measures.h. Empty for drivers without.
  std::string measures_param = {};
};

/// A model of instrument that comes with the program.
struct InstrumentSpec {
  std::string name;      // of its personality
  std::string kind;      // "supply"
  std::string doc;       // one sentence
  std::string source;    // the manual that its facts are from
  std::string hardware;  // what it was tried on; empty: nothing yet
  std::string details;   // ranges, channels and what is said for each purpose, for people
};

/// A fault that a model can be told to have.
struct FaultSpec {
  std::string name;
  std::string domain;  // power, pmbus, clock, thermal, link, dma, memory
  std::string doc;
  std::string value_doc;  // what VALUE means, empty when there is none
  std::string fallback;   // the value when none is given
  std::string seen_as;    // how bring-up sees it: step and blamed part, for the docs
};

struct Vocabulary {
  std::vector<ResourceTypeSpec> resources;
  std::vector<DriverTypeSpec> drivers;
  std::vector<StepSpec> steps;
  std::vector<FaultSpec> faults;
  std::vector<InstrumentSpec> instruments;
  std::vector<MeasurableSpec> rail_measures;  // "<rail>.<suffix>" for every rail
  std::vector<std::string> register_names;    // "dma0.q_ctrl.enable", "dma0.ctrl"; of the chip that the bench carries
};

}  // namespace firstlight
