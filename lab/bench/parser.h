#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/diagnostic.h"
#include "lab/core/vocabulary.h"
#include "lab/document/document.h"
#include "lab/document/names.h"
#include "lab/document/reader.h"

namespace firstlight {

/// Makes a bench plan of one document. Names are gathered first, so that every reference can be checked in any order.
class BenchParser {
 public:
  BenchParser(const Vocabulary& vocabulary, Diagnostics& diagnostics)
      : vocabulary_(vocabulary), reader_(diagnostics, names_) {}

  void parse(const Document& document);
  BenchPlan take() { return std::move(plan_); }

 private:
  void read_dut(const Place& place);
  void read_guardian(const Place& place);
  void read_labgrid(const Place& place);
  void check_feeders();
  void gather_names(const Node& root);
  /// Every entry of a map of named things, with names checked for form and for being unique on the bench.
  std::vector<std::pair<std::string, Place>> named_entries(MapReader& top, const std::string& key);
  void read_resource(const std::string& name, const Place& place);
  void read_driver(const std::string& name, const Place& place);
  std::vector<std::string> read_uses(const Place& place, const DriverTypeSpec& type);
  std::vector<Place> uses_in_order(const Place& place, const DriverTypeSpec& type);
  void read_rail(const std::string& name, const Place& place);
  void read_pgood(const Place& place, RailPlan& rail);
  void read_safe(const Place& place, RailPlan& rail);
  void check_rail(const RailPlan& rail, const Place& place);
  void check_rail_driver(const RailPlan& rail, const Place& place);
  void check_order();
  void check_exclusions(const std::vector<std::pair<std::string, Place>>& rails);
  void guard_currents();
  void read_sensors(const Place& place);
  void read_interlock(const Place& place);
  void read_bounds(MapReader& map, InterlockPlan& interlock);
  void read_faults(const Place& place);
  void refresh_measurables();
  const DriverTypeSpec* driver_type(const std::string& driver_name) const;

  const Vocabulary& vocabulary_;
  NameTable names_;
  Reader reader_;
  BenchPlan plan_;
  std::map<std::string, MeasurableSpec> measurables_;
  std::map<std::string, SourceLocation> taken_;  // names of resources, drivers and rails
  std::map<std::string, std::string> resource_types_;
};

}  // namespace firstlight
