#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/value.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/format.h"

namespace firstlight::pmbus {

/// How a part catches the extremes of its outputs between reads. Each manufacturer has its own commands.
struct PeakCapture {
  std::optional<Command> lowest;   // in the format of READ_VOUT
  std::optional<Command> highest;  // the same
  std::optional<Command> clear;    // a command without data; without one, the registers themselves are written
};

/// Where a part departs from the book; from a part's file, or from `quirks:` in the bench file.
struct Quirks {
  Duration min_gap{};                             // least time between the end of a transfer and the next
  Duration write_gap{};                           // the same after a write
  Duration busy_limit{20'000'000'000};            // how long STATUS_BYTE.BUSY may stay
  Duration io_timeout{50'000'000'000};            // of one transfer
  int retries = 3;                                // after a PEC error, a NACK or a timeout
  std::size_t block_length = 32;                  // the longest block; SMBus 3 allows 255
  bool no_capability = false;                     // CAPABILITY must not be read: no PEC then
  bool no_pec = false;                            // do not use PEC though CAPABILITY has it
  bool skip_status_check = false;                 // STATUS_* tells nothing of whether a command was taken
  bool no_write_protect = false;                  // WRITE_PROTECT reads rubbish, so it explains nothing
  bool read_only = false;                         // nothing may be written but PAGE
  bool no_page = false;                           // a single-output part without PAGE
  bool pages_alike = false;                       // outputs may have equal settings, so they cannot tell PAGE apart
  Command page_identity = Command::VOUT_COMMAND;  // whose value differs from page to page
  std::set<Command> cml_tolerated;                // commands that raise STATUS_CML though they work
  std::optional<PeakCapture> peaks;               // nothing: the part does not say, or is not known to
  std::set<Command> unsupported;                  // commands that the part does not have: never sent
};

/// Quirks that only some revisions have.
struct RevisionQuirks {
  Command command = Command::MFR_REVISION;  // a block of text
  std::string matches;                      // regular expression for the whole of it
  Value quirks;
};

/// A model of PMBus part: how it codes numbers, and its quirks. From a YAML file, so that a new part needs no code.
struct Part {
  std::string name;
  std::string doc;
  std::map<NumberClass, NumberFormat> formats;  // what is not here is LINEAR11, or what VOUT_MODE says
  std::map<Command, NumberFormat> commands;     // for single commands
  std::map<std::string, std::string> identity;  // "MFR_MODEL" -> regular expression for the whole text
  std::vector<RevisionQuirks> revisions;
  Value quirks;
};

/// One that comes with the program, by name, or a file, when the name ends in ".yaml". Throws FailureError (bench).
Part load_part(const std::string& name);
/// Throws FailureError (bench) with file, line and column.
Part parse_part(const std::string& file, const std::string& text);
/// Names of those that come with the program, sorted.
std::vector<std::string> known_parts();

/// Sets what a map of quirks names. Throws FailureError (bench) with the place.
void apply_quirks(Quirks& quirks, const Value& value);
/// {direct: [m, b, R], per_milliohm: true}, {vid: vr13}, linear11, half, coefficients. Throws FailureError (bench).
NumberFormat format_from(const Value& value);

}  // namespace firstlight::pmbus
