// regtool --map map.yaml --out DIR [--check] block.yaml...
//
// Reads the register descriptions and writes everything that is made from them below DIR. Exit status: 0, 1 when a
// description is wrong (all errors are on stderr), 2 when it is called wrongly or a file cannot be read or written.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "rtl/regs/generator/design.h"
#include "rtl/regs/generator/emit.h"

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string map;
  std::string out;
  bool check_only = false;
  std::vector<std::string> blocks;
};

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if ((argument == "--map" || argument == "--out") && i + 1 < arguments.size())
      (argument == "--map" ? options.map : options.out) = arguments[++i];
    else if (argument == "--check")
      options.check_only = true;
    else if (!argument.empty() && argument[0] != '-')
      options.blocks.push_back(argument);
    else
      throw std::invalid_argument(fmt::format("do not understand `{}`", argument));
  }
  if (options.map.empty() || (options.out.empty() && !options.check_only))
    throw std::invalid_argument("usage: regtool --map map.yaml (--out DIR | --check) block.yaml...");
  return options;
}

regtool::SourceText read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
  std::ostringstream text;
  text << in.rdbuf();
  return {path, text.str()};
}

/// Leaves a file alone whose text would not change, so that nothing is rebuilt for it.
void write(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read(path.string()).text == text) return;
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
}

void write_all(const regtool::Design& design, const fs::path& out) {
  const std::string& chip = design.map.chip;
  for (const regtool::Block& block : design.blocks) {
    write(out / "regs" / (block.name + "_regs_pkg.sv"), regtool::emit_sv_package(block));
    write(out / "regs" / (block.name + "_regs.sv"), regtool::emit_sv_block(block));
  }
  write(out / "regs" / (chip + "_regs_pkg.sv"), regtool::emit_sv_map(design));
  write(out / "regs" / (chip + "_axi_map_pkg.sv"), regtool::emit_sv_regions(design));
  write(out / "firmware" / (chip + "_regs.h"), regtool::emit_c_header(design));
  write(out / "regs" / (chip + "_register_map.cpp"), regtool::emit_cpp_table(design));
  write(out / "docs" / "registers.md", regtool::emit_markdown(design));
}

int run(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  std::vector<regtool::SourceText> blocks;
  for (const std::string& path : options.blocks) blocks.push_back(read(path));
  regtool::Diagnostics diagnostics;
  const regtool::Design design = regtool::read_design(read(options.map), blocks, diagnostics);
  if (!diagnostics.empty()) {
    fmt::print(stderr, "{}{} error{}\n", diagnostics.text(), diagnostics.size(), diagnostics.size() == 1 ? "" : "s");
    return 1;
  }
  if (!options.check_only) write_all(design, options.out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    fmt::print(stderr, "regtool: {}\n", e.what());
    return 2;
  }
}
