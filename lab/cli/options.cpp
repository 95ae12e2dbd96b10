#include "lab/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>

#include "lab/core/suggest.h"

namespace firstlight::cli {

namespace po = boost::program_options;

namespace {

po::options_description all_options() {
  po::options_description options;
  const auto many = po::value<std::vector<std::string>>()->composing();
  options.add_options()("help,h", "")("version", "")("bench,b", po::value<std::vector<std::string>>()->composing())(
      "results", po::value<std::string>())("name", po::value<std::string>())("seed", po::value<std::string>())(
      "fault,f", many)("set,s", po::value<std::vector<std::string>>()->composing())("json", "")("quiet,q", "")(
      "plain", "")("no-color", "")("bench-var", po::value<std::vector<std::string>>()->composing())(
      "listen", po::value<std::string>())("token-file", po::value<std::string>())("for", po::value<std::string>())(
      "reason", po::value<std::string>())("force", "")("waves", "")("window", po::value<std::string>())(
      "waves-file", po::value<std::string>())("operand", po::value<std::vector<std::string>>());
  return options;
}

const std::vector<std::string>& option_names() {
  static const std::vector<std::string> names = {
      "--help",       "--version", "--bench",  "--results", "--name",     "--seed",      "--fault",
      "--set",        "--json",    "--quiet",  "--plain",   "--no-color", "--bench-var", "--listen",
      "--token-file", "--for",     "--reason", "--force",   "--waves",    "--window",    "--waves-file"};
  return names;
}

/// Decimal or 0x hexadecimal, 64 bits.
std::optional<std::uint64_t> read_seed(const std::string& text) {
  if (text.empty() || !std::isdigit(static_cast<unsigned char>(text[0]))) return {};
  std::size_t used = 0;
  try {
    const std::uint64_t seed = std::stoull(text, &used, text.rfind("0x", 0) == 0 ? 16 : 10);
    if (used == text.size()) return seed;
  } catch (const std::exception&) {
  }
  return {};
}

bool take_pairs(const po::variables_map& values, const std::string& option, const std::string& form,
                std::vector<std::pair<std::string, std::string>>& into, std::string& error) {
  if (values.count(option) == 0) return true;
  for (const auto& one : values[option].as<std::vector<std::string>>()) {
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0) {
      error = "--" + option + " takes " + form + ", not \"" + one + "\"";
      return false;
    }
    into.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  return true;
}

bool take_values(const po::variables_map& values, Options& options, std::string& error) {
  const auto text = [&](const char* name, std::string& into) {
    if (values.count(name) != 0) into = values[name].as<std::string>();
  };
  if (values.count("bench") != 0) {
    options.benches = values["bench"].as<std::vector<std::string>>();
    options.bench = options.benches.front();
  }
  text("listen", options.listen);
  text("token-file", options.token_file);
  text("for", options.for_time);
  text("reason", options.reason);
  text("window", options.window);
  text("waves-file", options.waves_file);
  text("results", options.results);
  text("name", options.name);
  if (values.count("seed") != 0) {
    const std::string given = values["seed"].as<std::string>();
    options.seed = read_seed(given);
    if (!options.seed) {
      error = "--seed takes a whole number of 64 bits, decimal or 0x hexadecimal, not \"" + given + "\"";
      return false;
    }
  }
  if (values.count("fault") != 0) options.faults = values["fault"].as<std::vector<std::string>>();
  return take_pairs(values, "set", "PARAMETER=VALUE", options.sets, error) &&
         take_pairs(values, "bench-var", "NAME=VALUE", options.bench_variables, error);
}

std::string with_suggestion(const std::string& message, const std::string& found,
                            const std::vector<std::string>& known) {
  const std::string near = nearest_name(found, known);
  return near.empty() ? message : message + "; did you mean " + near + "?";
}

}  // namespace

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names = {"run",    "check",  "list",  "describe", "schema", "faults", "report",
                                                 "doctor", "model",  "agent", "parity",   "replay", "safe",   "recover",
                                                 "lock",   "unlock", "who",   "guardian", "help"};
  return names;
}

std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& error) {
  Options options;
  po::positional_options_description positional;
  positional.add("operand", -1);
  po::variables_map values;
  try {
    using style = po::command_line_style::style_t;
    const int no_guessing = po::command_line_style::unix_style & ~style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(all_options()).positional(positional).style(no_guessing).run(),
              values);
  } catch (const po::unknown_option& unknown) {
    const std::string& name = unknown.get_option_name();
    error = with_suggestion("unknown option " + name, name, option_names());
    return {};
  } catch (const po::error& wrong) {
    error = wrong.what();
    return {};
  }
  options.help = values.count("help") != 0;
  options.version = values.count("version") != 0;
  options.json = values.count("json") != 0;
  options.quiet = values.count("quiet") != 0;
  options.plain = values.count("plain") != 0;
  options.no_color = values.count("no-color") != 0;
  options.force = values.count("force") != 0;
  options.waves = values.count("waves") != 0;
  if (values.count("operand") != 0) options.operands = values["operand"].as<std::vector<std::string>>();
  if (!options.operands.empty()) {
    options.command = options.operands.front();
    options.operands.erase(options.operands.begin());
    const auto& known = command_names();
    if (std::find(known.begin(), known.end(), options.command) == known.end()) {
      error = with_suggestion("unknown command \"" + options.command + "\"", options.command, known);
      return {};
    }
  }
  if (!take_values(values, options, error)) return {};
  if (options.benches.size() > 1 && options.command != "parity") {
    error = "--bench stands twice: only `parity` takes two benches";
    return {};
  }
  return options;
}

namespace {

constexpr const char* kOverview =
    R"(firstlight: brings a chip up by a sequence (what to do) on a bench (what is on the table).

  firstlight run SEQUENCE --bench BENCH      run it, live, and leave a record and a report
  firstlight check FILE...                   find every error in sequences, benches and personalities, touching nothing
  firstlight list WHAT                       steps, drivers, resources, personalities, rails, measurables, registers, ...
  firstlight describe NAME                   all about a step, driver, resource, personality, fault, register, ...
  firstlight schema KIND                     JSON Schema for editors: bench, sequence, personality
  firstlight faults                          the faults that the model can have
  firstlight report [RUN]                    make the report of a run again (also after a kill)
  firstlight parity SEQUENCE -b A -b B       run it on two benches, or take two runs, and compare step by step
  firstlight replay RUN --bench BENCH        play the traffic of a run into the model, up to the first difference
  firstlight model --listen DIR              the model behind sockets, terminals and an agent, as hardware is
  firstlight agent --bench HOST              serve this host's buses and memory to a station elsewhere
  firstlight safe --bench BENCH              turn everything on the bench off, by hand, with read-back
  firstlight recover [RUN]                   make safe what a power cut or a crash left energised
  firstlight lock|unlock|who --bench BENCH   keep a bench for yourself, give it back, see who has it
  firstlight doctor                          is everything here that is needed?

Examples
  firstlight run lab/sequences/bringup.yaml --bench lab/benches/model.yaml
  firstlight run lab/sequences/bringup.yaml --bench lab/benches/model.yaml --fault cold_plate_askew=serdes
  firstlight list measurables --bench lab/benches/model.yaml
  firstlight describe rail.on

Options that most commands take: --bench FILE, --json, --no-color. `firstlight COMMAND --help` says more.
Exit status: 0 pass or marginal, 1 fail, 2 bad input, 3 infrastructure or bench, 4 interlock, 130 operator.
)";

const std::map<std::string, const char*>& command_help() {
  static const std::map<std::string, const char*> help = {
      {"run", R"(firstlight run SEQUENCE --bench BENCH [options]

Runs the sequence on the bench. The record goes to results/<sequence>-<bench>-<date>-<time>/: events.jsonl (the
truth), report.html, junit.xml, summary.json, ledger.jsonl. Nothing is ever overwritten.

  -b, --bench FILE        what is on the table
      --results DIR       where runs are put (default: results)
      --name NAME         name of the run's folder, instead of one made from sequence, bench and time
      --seed N            of everything random; the same seed gives the same run on a model (default: a new one)
  -f, --fault NAME[=VALUE]  a fault that the model shall have; may be given several times
  -s, --set NAME=VALUE    a parameter of the sequence; may be given several times
  -q, --quiet             only the result
      --bench-var NAME=VALUE
                          replace one of the bench's `variables`
      --plain             a line a step, as when the output is no terminal
      --json              only the summary, as JSON
      --no-color          no colours (also by NO_COLOR in the environment)

      --reason TEXT       what others who want the bench are told
      --force             on a bench that is kept for another person, or that the last run left energised

Ctrl-C once: teardown, then the bench is made safe. Twice: it is made safe at once. On hardware the bench is locked while the run goes,
and a second process, the guardian, makes it safe when the run is killed, hangs or is stopped (Ctrl-Z too).

Examples
  firstlight run lab/sequences/bringup.yaml --bench lab/benches/model.yaml
  firstlight run lab/sequences/bringup.yaml -b lab/benches/model.yaml --seed 7 --fault lane_dead=2
  firstlight run lab/sequences/thermal.yaml -b lab/benches/model.yaml --set soak_power="8 W"

Exit status: 0 pass or marginal, 1 fail, 2 bad input, 3 infrastructure or bench, 4 interlock, 130 operator.
)"},
      {"check", R"(firstlight check FILE... [--bench BENCH] [--set NAME=VALUE] [--json]

Finds every error in the files at once, with file, line, column and a suggestion; touches no bench. A sequence is checked against the
bench when one is given: names of rails, measurables, drivers, and the envelope.

Examples
  firstlight check lab/sequences/bringup.yaml --bench lab/benches/model.yaml
  firstlight check lab/benches/*.yaml lab/sequences/*.yaml
Exit status: 0 no error, 2 errors.
)"},
      {"list", R"(firstlight list WHAT [--bench BENCH] [--json]

WHAT: steps        the verbs that sequences may use
      rails        the bench's rails                      (needs --bench)
      measurables  what the bench can measure, by name    (needs --bench)
      registers    the chip's registers and fields
      drivers      what a bench's `drivers:` may name
      resources    what a bench's `resources:` may name
      personalities models of instruments that scpi drivers know
      faults       what a model can be told to have
      sequences, benches   files below lab/ or the current folder

Examples
  firstlight list steps
  firstlight list registers --json
)"},
      {"describe", R"(firstlight describe NAME [--bench BENCH] [--json]

All about a step ("rail.on"), a driver ("pmbus"), a personality ("rigol-dp832", or a file of your own), a fault ("lane_dead"), a register or
field ("dma0.q_ctrl[0].enable"), and with --bench a rail ("vdd_core") or a measurable ("die.hottest").
)"},
      {"schema", R"(firstlight schema bench|sequence|personality

Writes the JSON Schema (2020-12) of the file, from the same tables that the parser reads by. For an editor with yaml-language-server:
  firstlight schema sequence > sequence.schema.json
  # yaml-language-server: $schema=sequence.schema.json      as the first line of the sequence
)"},
      {"faults", R"(firstlight faults [--json]

Lists the faults that the model can be told to have, by --fault NAME[=VALUE] or by `faults:` in a bench.
)"},
      {"report", R"(firstlight report [RUN] [--results DIR]

Makes report.html, junit.xml and summary.json from the record of a run: a folder, or the name of one in the results folder; the
newest one when none is given. Works on the record of a run that was killed, too.
)"},
      {"parity", R"(firstlight parity SEQUENCE --bench A --bench B [options]
firstlight parity RUN RUN [--results DIR] [--json]

Runs the sequence on two benches, one after the other, and compares the two runs step by step: verdicts, values within limits, checks,
steps and capabilities that only one side has. Or compares two runs that are there. Pass and marginal are the same; so are two values
within their limits, and it is told how far apart they are.

  -b, --bench FILE        twice: side A, then side B
  -f, --fault NAME[=VALUE]  of the first bench that is a model; A:NAME or B:NAME says which
      --bench-var NAME=VALUE
                          of both benches; A:NAME=VALUE or B:NAME=VALUE of one
  -s, --set NAME=VALUE    a parameter of the sequence, on both sides
      --seed N            of both sides (default: each has its own)
      --results DIR, --name NAME
                          the runs are results/NAME-a and results/NAME-b
  -q, --quiet             only the comparison
      --json              only the comparison, as JSON

Examples
  firstlight parity lab/sequences/power.yaml --bench lab/benches/model.yaml --bench lab/benches/model.yaml
  firstlight parity lab/sequences/power.yaml -b lab/benches/model.yaml -b lab/benches/model.yaml --fault B:rail_low=vdd_sram

Exit status: 0 equal, 1 different, 2 bad input, 3 a side left no record.
)"},
      {"replay", R"(firstlight replay RUN --bench BENCH [options]

Plays what a run said on its buses (bus.jsonl, docs/replay.md) into the RTL, at the recorded times, and compares what comes back. Stops at
the first difference and says which access it is, of which step, and what was recorded and found. RUN is a folder, or the name of one in
the results folder. The bench is a model whose resources have the names of the recorded ones.

  -b, --bench FILE        the model
      --seed N            of the model (default: the run's)
  -f, --fault NAME[=VALUE]  a fault that the model shall have
      --waves             leave the chip's waves around the first difference beside the record, as FST
      --window FROM..UNTIL  stop at the end of this window of bench time; with --waves: the waves of it
      --waves-file FILE   where the waves go (default: waves-<transaction>.fst in the run's folder)
      --json              the result, as JSON

Examples
  firstlight replay results/RUN --bench lab/benches/model.yaml --waves
  firstlight replay results/RUN --bench lab/benches/model.yaml --waves --window "3.20 s..3.25 s"

Exit status: 0 no difference, 1 a difference, 2 bad input, 3 no record or no trace.
)"},
      {"model", R"(firstlight model --listen DIR [options]

Runs the model by itself, at the pace of the wall clock, behind what real equipment has: instruments on TCP ports and serial lines
(pseudo-terminals), and everything on the board by an agent. lab/benches/desk.yaml reaches it there. Any program may connect; several at
once get answers each to its own.

The folder DIR then holds:
  endpoints.json          what is where, and the line that runs a sequence on it
  agent.token             the token of its agent, made anew each time
  witness.sock            answers every line with JSON: the highest voltage that each rail's pin ever had, against the bench's
                          maximum, the state now, and since when each is off; the line "forget" begins anew
  witness.json            the same, written at the end and on SIGUSR1
  clk0, cdu0              links to the serial lines

  -b, --bench FILE        the model (default: lab/benches/model.yaml); its `model: listen:` says which ports, 0 takes a free one
      --bench-var NAME=VALUE
                          replace one of the bench's `variables`
      --seed N            of everything random
  -f, --fault NAME[=VALUE]  a fault that the model shall have
      --json              tell what is where as JSON

Examples
  firstlight model --listen /tmp/firstlight-desk
  firstlight model --listen /tmp/desk2 --bench-var psu0_port=0 --bench-var dmm0_port=0 --bench-var agent_port=0 --fault lane_dead=2

Ctrl-C or SIGTERM ends it. Exit status: 0 ended so, 2 bad input, 3 a port or the folder is not to be had.
)"},
      {"agent", R"(firstlight agent --bench HOST [--listen ADDRESS] [--token-file FILE]

Runs on the host that the chip is plugged into, and serves that host's resources to a station elsewhere: I2C buses, BARs, DMA memory,
GPIO lines, hwmon chips and serial instruments. Only what the bench file names is served. The station's bench has it as a resource:

  resources:
    host0: {type: agent, address: tcp://dut-3:5099, token_file: /etc/firstlight/dut-3.token}
    i2c0: {type: i2c, address: agent:host0/i2c0}

  -b, --bench FILE        resources of this host
      --listen ADDRESS    tcp://HOST:PORT or unix:PATH (default: tcp://127.0.0.1:5099, which only this machine reaches)
      --token-file FILE   holds the token, at least 16 characters, readable by its owner only; without it the environment's
                          FIRSTLIGHT_AGENT_TOKEN
      --bench-var NAME=VALUE
                          replace one of the bench's `variables`

Nothing is encrypted. Across a network that is not the lab's own: ssh -L 5099:127.0.0.1:5099 dut-3

Ctrl-C or SIGTERM ends it. Exit status: 0 ended so, 2 bad input, 3 it cannot listen.
)"},
      {"safe", R"(firstlight safe --bench BENCH [--bench-var NAME=VALUE]

Connects to the bench and turns everything on it off by hand: rails in the reverse of their order, clocks, supplies, coolant; reads back
each; turns off what feeds a part that will not turn off (`fed_by`). Needs no record of a run. Refused while a run has the bench.

Example
  firstlight safe --bench lab/benches/desk.yaml
Exit status: 0 the bench is safe, 2 bad input, 3 it is not, or cannot be reached.
)"},
      {"recover", R"(firstlight recover [RUN] [--results DIR] [--bench BENCH]

Finds runs whose ledger does not say that their bench is safe (a power cut, a reset, or run and guardian killed both), undoes what the
ledger holds, newest first, and ends the run's record by what was done. RUN: a folder, or a name below the results folder; every such run
when none is given. The bench file and its variables are those of the run.

Examples
  firstlight recover
  firstlight recover bringup-desk-20260102-100000
Exit status: 0 safe, or nothing to recover; 2 bad input; 3 something is still on, or cannot be reached.
)"},
      {"lock", R"(firstlight lock --bench BENCH [--for TIME] [--reason TEXT] [--force]

Keeps the bench for you: others' runs are refused, and told who, since when and why. It ends by `firstlight unlock`, by its time (default
2 h), or when this host boots. Locks are files in $FIRSTLIGHT_LOCKS, or $XDG_RUNTIME_DIR/firstlight, or /tmp/firstlight-UID; give all users of a
station the same folder. What a run holds ends with its processes, however they end.

      --for TIME          "30 min", "2 h", "3 d"
      --force             take it from whoever has it

Example
  firstlight lock --bench lab/benches/desk.yaml --for "4 h" --reason "probing vdd_core by hand"
Exit status: 0 it is yours, 2 bad input, 3 someone else has it.
)"},
      {"unlock", R"(firstlight unlock --bench BENCH [--force]

Gives back what `firstlight lock` took. --force: what another person holds, too.
)"},
      {"who", R"(firstlight who [--bench BENCH] [--json]

Who has the bench, since when and why, and whether the last run left it energised; without --bench: of every bench that is not free.
)"},
      {"guardian", R"(firstlight guardian

Started by `firstlight run` on every bench of hardware, not by hand: it holds the run's ledger and connections of its own. When the run
is killed or gives no sign of life, it ends the run for certain, makes the bench safe, and writes what it did into the run's record. In
the bench file: `guardian: {heartbeat: 500 ms, safe_within: 15 s}`.
)"},
      {"doctor", R"(firstlight doctor [--json]

Looks whether everything is here that is needed, and says what to do where it is not. Exit status: 0 fine, 3 not.
)"},
  };
  return help;
}

}  // namespace

std::string help_text(const std::string& command) {
  const auto found = command_help().find(command);
  return found == command_help().end() ? kOverview : found->second;
}

}  // namespace firstlight::cli
