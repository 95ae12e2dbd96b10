#include <fmt/format.h>

#include <iostream>
#include <string>

#include "tb/blocks/fp/operation.h"

namespace {

void help(std::ostream& out) {
  out << "Evaluates operations of Tern's arithmetic on its RTL. Reads them from standard input, one a line:\n\n"
      << tb::blocks::fp::operations_help()
      << "\nFor each it prints a line: the result in hexadecimal, and its flags (invalid, overflow, underflow, "
         "inexact, nan_in,\n"
         "or - for none). What follows a # is a comment, and an empty line is nothing. A line that is no operation "
         "prints\n"
         "'error', and on standard error line, column and what is wrong; the lines behind it are evaluated all the "
         "same.\n\n"
         "  $ echo 'fma 3f800000 40000000 bf800000' | tern_fp\n"
         "  3f800000 -\n"
         "  $ echo 'narrow fp8_e4m3 rne saturate 43e80001' | tern_fp\n"
         "  7e overflow,inexact\n"
         "  $ echo 'post bf16 rne infinity 3f000000 bf800000 relu 40800000' | tern_fp\n"
         "  3f80 -\n\n"
         "Exit status: 0 every line was evaluated, 1 some were not, 2 called wrongly. docs/arithmetic.md is the "
         "specification.\n";
}

int evaluate_all(std::istream& in) {
  tb::blocks::fp::Rtl rtl{{"tern_fp", 1}, {"tern_fp_post", 1}};
  std::string line;
  bool good = true;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (tb::blocks::fp::is_blank(line)) continue;
    try {
      std::cout << tb::blocks::fp::evaluate(rtl, line) << '\n';
    } catch (const tb::blocks::fp::BadLine& bad) {
      good = false;
      std::cout << "error\n";
      std::cerr << fmt::format("line {}, column {}: {}\n", number, bad.column, bad.what());
    }
    // Whoever asks and waits for the answer through a pipe gets it.
    if (in.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  if (argc == 2 && (argv[1] == std::string("--help") || argv[1] == std::string("-h"))) {
    help(std::cout);
    return 0;
  }
  if (argc > 1) {
    std::cerr << "tern_fp takes no '" << argv[1] << "': operations come from standard input; see tern_fp --help\n";
    return 2;
  }
  return evaluate_all(std::cin);
}
