#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/diagnostic.h"
#include "lab/core/value.h"
#include "lab/core/vocabulary.h"

namespace firstlight {

/// A measurable that a bench file names itself, since only it knows what the device behind a driver measures: an entry
/// of the parameter that DriverTypeSpec::measures_param names.
///     measures: {air: temperature, wall: {measures: temperature, reading: Wall_7}}
struct NamedMeasure {
  std::string name;
  Dimension dimension = Dimension::none;
  Value::Map params;  // the entry's members besides `measures`
  SourceLocation where;

  /// A member that is text (or looks like a number, as sensor names may).
  std::optional<std::string> text(const std::string& member) const;
};

/// The entries of the parameter that are well-formed.
std::vector<NamedMeasure> named_measures(const Value::Map& params, const std::string& param);

/// Tells the others: a name that is none, a dimension that is unknown, a member that is missing.
/// @param path of the driver in the document
void check_named_measures(const DriverPlan& driver, const DriverTypeSpec& type, const std::string& path,
                          Diagnostics& diagnostics);

}  // namespace firstlight
