#include "lab/cli/application.h"

#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/version.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

namespace {

int dispatch(const Options& options, const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  auto& out = *surroundings.out;
  if (options.version) {
    out << "firstlight " << kVersion << "\n";
    return kExitPass;
  }
  if (options.command == "help") {
    out << help_text(options.operands.empty() ? "" : options.operands[0]);
    return kExitPass;
  }
  if (options.help) {
    out << help_text(options.command);
    return kExitPass;
  }
  if (options.command == "run") return run_command(options, arguments, surroundings);
  if (options.command == "check") return check_command(options, surroundings);
  if (options.command == "list") return list_command(options, surroundings);
  if (options.command == "describe") return describe_command(options, surroundings);
  if (options.command == "schema") return schema_command(options, surroundings);
  if (options.command == "report") return report_command(options, surroundings);
  if (options.command == "doctor") return doctor_command(options, surroundings);
  if (options.command == "model") return model_command(options, surroundings);
  if (options.command == "agent") return agent_command(options, surroundings);
  if (options.command == "parity") return parity_command(options, surroundings);
  if (options.command == "replay") return replay_command(options, surroundings);
  if (options.command == "safe") return safe_command(options, surroundings);
  if (options.command == "recover") return recover_command(options, surroundings);
  if (options.command == "lock") return lock_command(options, surroundings);
  if (options.command == "unlock") return unlock_command(options, surroundings);
  if (options.command == "who") return who_command(options, surroundings);
  if (options.command == "guardian") return guardian_command(options, surroundings);
  if (options.command == "faults") {
    Options list = options;
    list.operands = {"faults"};
    return list_command(list, surroundings);
  }
  *surroundings.err << help_text("");
  return kExitBadInput;
}

int status_of(ErrorClass error_class) {
  if (error_class == ErrorClass::sequence) return kExitBadInput;
  if (error_class == ErrorClass::interlock) return kExitInterlock;
  if (error_class == ErrorClass::operator_) return kExitOperator;
  return error_class == ErrorClass::dut ? kExitFail : kExitInfrastructure;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  std::string error;
  const auto options = parse_options(arguments, error);
  auto& err = *surroundings.err;
  if (!options) {
    err << "firstlight: " << error << "\n`firstlight --help` shows what there is\n";
    return kExitBadInput;
  }
  try {
    return dispatch(*options, arguments, surroundings);
  } catch (const FailureError& failed) {
    const Failure& failure = failed.failure();
    err << "firstlight: " << name_of(failure.error_class) << ": " << failure.message << "\n";
    if (!failure.likely_cause.empty()) err << "  likely: " << failure.likely_cause << "\n";
    return status_of(failure.error_class);
  } catch (const std::exception& unexpected) {
    err << "firstlight: unexpected: " << unexpected.what() << "\n  this is a bug in firstlight\n";
    return kExitInfrastructure;
  }
}

}  // namespace firstlight::cli
