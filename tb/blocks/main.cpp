#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tb/blocks/block_bench.h"

namespace tb::blocks {
namespace {
std::uint64_t run_seed = 1;
}
std::uint64_t seed() { return run_seed; }
}  // namespace tb::blocks

/// Every block testbench: GoogleTest inside SystemC.
int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* text = std::getenv("FIRSTLIGHT_SEED")) tb::blocks::run_seed = std::stoull(text);
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string(argv[i]) == "--seed") tb::blocks::run_seed = std::stoull(argv[i + 1]);
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  std::cout << "seed " << tb::blocks::run_seed << " (run again with --seed " << tb::blocks::run_seed << ")\n";
  return RUN_ALL_TESTS();
}
