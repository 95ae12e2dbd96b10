// make_samples FOLDER: writes a run of each kind, with its views, below the folder.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "lab/report/views.h"
#include "tests/report/sample_run.h"

int main(int argc, char** argv) {
  using firstlight::test::Sample;
  if (argc != 2) {
    std::fputs("usage: make_samples FOLDER\n", stderr);
    return 2;
  }
  try {
    const std::string folder = argv[1];
    for (const auto& [name, sample] : {std::pair{"failed", Sample::failed}, std::pair{"passed", Sample::passed},
                                       std::pair{"killed", Sample::killed}, std::pair{"tripped", Sample::tripped}}) {
      const std::string run = folder + "/" + name;
      std::filesystem::remove_all(run);
      firstlight::test::write_sample(run, sample);
      firstlight::report::write_views(run);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
