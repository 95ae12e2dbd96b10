#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/diagnostic.h"
#include "lab/core/quantity.h"
#include "lab/core/value.h"

namespace firstlight {

/// A thing that is there: a bus, a socket, a port. Passive.
struct ResourcePlan {
  std::string name;
  std::string type;     // "i2c", "scpi", "registers", "dma_memory", "gpio"
  std::string address;  // "model", "/dev/i2c-4", "tcp://psu-3:5025"
  Value::Map params;    // typed by ResourceTypeSpec::params
  SourceLocation where;
};

/// Software that drives what sits behind resources.
struct DriverPlan {
  std::string name;
  std::string driver;             // "pmbus"
  std::vector<std::string> uses;  // names of resources, in the order of DriverTypeSpec::uses
  Value::Map params;              // typed by DriverTypeSpec::params
  SourceLocation where;
  std::string fed_by = {};  // driver of the part that its part has its power from, or empty
};

struct RailPlan {
  std::string name;
  std::string driver;
  std::string fed_by;  // as of a driver, where the rail has another one than its regulator
  int page = 0;
  Voltage nominal;
  Ratio tolerance;
  Voltage max;                      // absolute maximum: no sequence can exceed it
  std::optional<Voltage> min;       // absolute minimum while on
  std::optional<VoltageSlew> slew;  // fastest change allowed
  std::optional<Current> max_current;
  std::vector<std::string> after;     // rails that must be good before this one may be on
  std::vector<std::string> excludes;  // rails that must not be on together with this one
  Duration pgood_within{};            // 0: derived from the part's own TON_DELAY and TON_RISE
  std::string pgood_line;             // GPIO line "driver.line" or empty
  std::string sense;      // measurable that senses the rail independently of its regulator ("dmm0.ch1"), or empty
  Duration safe_ramp{};   // how long turning off may take
  Voltage residual{0.1};  // at or below: the rail counts as off
  SourceLocation where;
};

enum class InterlockAction : std::uint8_t { warn, suspend, trip };

struct InterlockPlan {
  std::string name;
  std::string watch;  // a measurable
  std::optional<Quantity> above;
  std::optional<Quantity> below;
  Duration dwell{};   // `for`
  Duration period{};  // how often it is sampled
  std::optional<Quantity> hysteresis;
  InterlockAction action = InterlockAction::trip;
  std::string when;  // armed only while this rail is on; empty: always
  SourceLocation where;
};

/// How the guardian watches a run on hardware.
struct GuardianPlan {
  Duration heartbeat = std::chrono::milliseconds(500);  // a run that is silent for longer counts as hung
  Duration safe_within = std::chrono::seconds(15);      // how long a run may take to make the bench safe
};

/// A place that labgrid's coordinator must have given to us before a run.
struct LabgridPlan {
  std::string place;
  std::string coordinator;  // HOST:PORT
};

struct FaultPlan {
  std::string name;
  std::string value;  // empty: the catalogue's default
  SourceLocation where;
};

struct DutPlan {
  std::string name;  // the chip: "tern"
  std::string part_number;
  std::string serial_number;
};

/// A bench file, checked. Names are unique over resources, drivers and rails; every reference is resolved.
struct BenchPlan {
  std::string name;
  std::string file;
  std::string sha256;
  DutPlan dut;
  double time_scale =
      1;  // model only: how many times slower than nominal the chip's clocks run against the board's physics
  std::string time_base;  // a file in which a simulated table publishes its time; empty: the wall clock
  std::vector<ResourcePlan> resources;
  std::vector<DriverPlan> drivers;
  std::vector<RailPlan> rails;  // in the order of the file; `after` makes the dependency graph, checked to be acyclic
  std::vector<InterlockPlan> interlocks;
  GuardianPlan guardian;
  std::optional<LabgridPlan> labgrid;
  std::vector<FaultPlan> faults;
  std::map<std::string, std::string> aliases;  // `sensors:` alias -> measurable ("die.hottest" -> "tern.hottest")
  Value::Map model;                            // settings of the model, free-form, checked by it
};

}  // namespace firstlight
