#include "lab/cli/program.h"

int main(int argc, char** argv) {
  return firstlight::cli::run_command_line({argv + 1, argv + argc}, firstlight::cli::whole_program());
}
