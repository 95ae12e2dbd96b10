// The program as it is, and two verbs more that end a run as bugs do.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "lab/cli/program.h"
#include "lab/steps/support.h"

namespace {

using firstlight::Step;
using firstlight::StepContext;

void end_badly(StepContext& step) {
  step.time().sleep(firstlight::steps::duration_of(step, "after"));
  const std::string how = firstlight::steps::text_of(step, "how");
  if (how == "fail")
    step.fail({firstlight::ErrorClass::dut, "told_to_fail", "the step failed as it was told to", "", "", "", ""});
  if (how == "throw") throw std::runtime_error("a bug that was put there");
  // Holds the bench thread, as an endless loop does.
  while (how == "spin") std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

const Step& end_step() {
  static const Step step = [] {
    Step made;
    made.spec.verb = "test.end";
    made.spec.doc = "Ends the run as a bug would.";
    made.spec.params = {
        firstlight::steps::choice_param("how", {"nothing", "fail", "throw", "spin"}, "What happens.", "nothing"),
        firstlight::steps::quantity_param("after", firstlight::Dimension::time, "When.", "0 s")};
    made.run = end_badly;
    return made;
  }();
  return step;
}

}  // namespace

int main(int argc, char** argv) {
  auto program = firstlight::cli::whole_program();
  program.vocabulary.steps.push_back(end_step().spec);
  program.find_step = [find = program.find_step](std::string_view verb) {
    return verb == end_step().spec.verb ? &end_step() : find(verb);
  };
  return firstlight::cli::run_command_line({argv + 1, argv + argc}, program);
}
