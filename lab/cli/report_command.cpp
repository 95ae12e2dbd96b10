#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/plans.h"
#include "lab/cli/run_folder.h"

namespace firstlight::cli {

int report_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() > 1) return bad_input("report takes one run", options, surroundings);
  const std::string run = options.operands.empty() ? "" : options.operands[0];
  const auto folder = find_run_folder(options.results, run);
  if (!folder) {
    return bad_input(run.empty() ? "no run in " + options.results
                                 : "no record (events.jsonl) in " + run + " or " + options.results + "/" + run,
                     options, surroundings);
  }
  surroundings.write_views(*folder);
  *surroundings.out << *folder << "/report.html\n";
  return kExitPass;
}

}  // namespace firstlight::cli
