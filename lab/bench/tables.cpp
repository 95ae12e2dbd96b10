#include "lab/bench/tables.h"

#include <string>
#include <utility>

namespace firstlight {
namespace {

ParamSpec text(std::string name, bool required, std::string doc) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.doc = std::move(doc);
  spec.required = required;
  return spec;
}

ParamSpec quantity(std::string name, Dimension dimension, std::string doc, std::string fallback = {}) {
  ParamSpec spec = text(std::move(name), false, std::move(doc));
  spec.type = ParamType::quantity;
  spec.dimension = dimension;
  spec.fallback = std::move(fallback);
  spec.min = 0;
  return spec;
}

ParamSpec required(ParamSpec spec) {
  spec.required = true;
  return spec;
}

ParamSpec named(std::string name, NameKind kind, std::string doc) {
  ParamSpec spec = text(std::move(name), false, std::move(doc));
  spec.type = ParamType::name;
  spec.names = kind;
  return spec;
}

ParamSpec choice(std::string name, std::vector<std::string> choices, std::string fallback, std::string doc) {
  ParamSpec spec = text(std::move(name), false, std::move(doc));
  spec.type = ParamType::enumeration;
  spec.choices = std::move(choices);
  spec.fallback = std::move(fallback);
  return spec;
}

ParamSpec map(std::string name, std::string doc) {
  ParamSpec spec = text(std::move(name), false, std::move(doc));
  spec.type = ParamType::map;
  return spec;
}

}  // namespace

std::vector<ParamSpec> dut_params() {
  return {text("name", true, "The chip that is on the bench."),
          text("part_number", false, "Its part number, as it should read back."),
          text("serial_number", false, "Its serial number, as it should read back.")};
}

std::vector<ParamSpec> resource_params() {
  return {text("address", true,
               "Where it is: `model` for the virtual bench, a device file (`/dev/i2c-4`) or a URL (`tcp://psu-3:5025`) "
               "in the lab.")};
}

std::vector<ParamSpec> driver_params() {
  return {named("fed_by", NameKind::driver,
                "The driver of the part that feeds this one: it is turned off when this one does not turn off.")};
}

std::vector<ParamSpec> guardian_params() {
  return {
      quantity("heartbeat", Dimension::time,
               "A run on hardware that does not tell for longer that it lives is ended, and its bench made safe.",
               "500 ms"),
      quantity("safe_within", Dimension::time, "How long a run may take to make the bench safe by itself.", "15 s")};
}

std::vector<ParamSpec> labgrid_params() {
  return {text("place", true, "The place that must be acquired before a run."),
          text("coordinator", true, "HOST:PORT of labgrid's coordinator.")};
}

std::vector<ParamSpec> rail_params() {
  ParamSpec page;
  page.name = "page";
  page.type = ParamType::integer;
  page.doc = "The output of the regulator that makes the rail.";
  page.fallback = "0";
  page.min = 0;
  page.max = 31;
  ParamSpec after = named("after", NameKind::rail, "Rails that must be good before this one may be on.");
  after.type = ParamType::list;
  after.element = ParamType::name;
  ParamSpec excludes = named("excludes", NameKind::rail, "Rails that must never be on together with this one.");
  excludes.type = ParamType::list;
  excludes.element = ParamType::name;
  return {required(named("driver", NameKind::driver, "The driver of the regulator that makes the rail.")),
          page,
          required(quantity("nominal", Dimension::voltage, "The voltage at which the rail works.")),
          quantity("tolerance", Dimension::ratio, "How far the rail may be from nominal and still be good.", "5 %"),
          required(quantity("max", Dimension::voltage, "The absolute maximum: no sequence can exceed it.")),
          quantity("min", Dimension::voltage, "The absolute minimum while the rail is on."),
          quantity("slew", Dimension::voltage_slew, "The fastest change allowed."),
          quantity("max_current", Dimension::current, "The most current that the rail may draw."),
          after,
          excludes,
          map("pgood", "How power-good is told."),
          named("sense", NameKind::measurable, "What measures the rail independently of its regulator."),
          named("fed_by", NameKind::driver, "What feeds the rail, when it is not what feeds its regulator."),
          map("safe", "The safe state of the rail."),
          quantity("residual", Dimension::voltage, "At or below this voltage the rail counts as off.", "100 mV")};
}

std::vector<ParamSpec> pgood_params() {
  return {quantity("within", Dimension::time,
                   "How long power-good may take; derived from the part's own TON_DELAY and TON_RISE when absent."),
          named("line", NameKind::line, "The GPIO line that carries power-good: `driver.line`.")};
}

std::vector<ParamSpec> safe_params() {
  return {choice("state", {"off"}, "off", "What the rail is when the bench is safe."),
          quantity("ramp", Dimension::time, "How long turning off may take.", "100 ms")};
}

std::vector<ParamSpec> interlock_params() {
  return {text("name", true, "The interlock's name in records and messages."),
          required(named("watch", NameKind::measurable, "What is watched.")),
          quantity("for", Dimension::time, "How long the bound must be passed before the interlock acts.", "0 s"),
          quantity("period", Dimension::time, "How often it is sampled.", "10 ms"),
          choice("action", {"warn", "suspend", "trip"}, "trip",
                 "What happens: a warning, a stop until it clears, or the bench made safe at once."),
          named("when", NameKind::rail, "Armed only while this rail is on; always when absent.")};
}

}  // namespace firstlight
