// firstlight_bench cycles|runner|bringup|transports|tensor [--json] [--quick]: from the repository's root;
// scripts/bench runs all of them.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "tests/bench/programs.h"

namespace {

int usage() {
  std::cerr << "usage: firstlight_bench cycles|runner|bringup|transports|tensor [--json] [--quick]\n";
  return 2;
}

int run(const std::vector<std::string>& arguments) {
  std::string what;
  bool json = false;
  bool quick = false;
  for (const std::string& argument : arguments) {
    if (argument == "--json")
      json = true;
    else if (argument == "--quick")
      quick = true;
    else if (what.empty())
      what = argument;
    else
      return usage();
  }
  const bench::Results results(json);
  if (what == "cycles")
    bench::measure_cycles(results, quick);
  else if (what == "runner")
    bench::measure_runner(results, quick);
  else if (what == "bringup")
    bench::measure_bringup(results, quick);
  else if (what == "transports")
    bench::measure_transports(results, quick);
  else if (what == "tensor")
    bench::measure_tensor(results, quick);
  else
    return usage();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "firstlight_bench: " << error.what() << "\n";
    return 1;
  }
}
