#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "lab/agent/listening_station.h"
#include "lab/capabilities/bench.h"
#include "lab/core/diagnostic.h"
#include "lab/core/failure.h"
#include "lab/core/register_map.h"
#include "lab/core/vocabulary.h"
#include "lab/runner/run_context.h"
#include "lab/runner/station.h"
#include "lab/steps/undo.h"

namespace firstlight::cli {

/// What the command line is composed of, and where it speaks.
struct Surroundings {
  Vocabulary vocabulary;
  const RegisterMap* registers = nullptr;  // of the chip, for `list registers` and `describe`
  StationFactory model;                    // null: the build has no model
  ListeningFactory listening_model;        // likewise
  StationFactory lab;
  std::function<void(Bench&, TransportProvider&)> build_drivers;
  /// As far as it goes; says what it left out, and why.
  std::function<std::vector<Failure>(Bench&, TransportProvider&)> build_reachable_drivers;
  /// What only drivers find wrong in a bench file, without touching anything; may be absent.
  std::function<void(const BenchPlan&, Diagnostics&)> check_drivers;
  /// What a personality's file describes; errors go to the diagnostics.
  std::function<std::optional<InstrumentSpec>(const std::string& file, Diagnostics&)> check_personality;
  std::function<std::string()> personality_schema;
  StepFinder find_step;
  UndoTable undo;
  std::function<void(const std::string& folder)> write_views;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool out_is_terminal = false;
  bool in_is_terminal = false;
  bool guarded = false;        // runs on hardware have a guardian: this program again, as a process of its own
  bool watch_signals = false;  // Ctrl-C and SIGTERM stop a run in good order
};

inline constexpr int kExitPass = 0;
inline constexpr int kExitFail = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitInfrastructure = 3;
inline constexpr int kExitInterlock = 4;
inline constexpr int kExitOperator = 130;

/// Does what the arguments (without the program's name) say. Returns the exit status; throws nothing.
int run_command_line(const std::vector<std::string>& arguments, const Surroundings& surroundings);

}  // namespace firstlight::cli
