// mesh_curves: latency against load of the mesh switch, and where it saturates, as JSON.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/blocks/mesh/fabrics.h"
#include "tb/blocks/mesh/traffic.h"

namespace {

using tb::blocks::Fabric;
using tb::blocks::Kind;
using tb::blocks::Pattern;

constexpr const char* usage =
    "usage: mesh_curves [--size 4|8] [--classes 1|2] [--pattern NAME|all] [--length 1|4|8|all] [--loads N] [--cycles "
    "N] [--seed N]\n"
    "  --loads 0  saturation only\n";

struct Options {
  unsigned size = 4;
  unsigned classes = 2;
  std::string pattern = "all";
  std::string length = "all";
  unsigned loads = 10;
  unsigned cycles = 6000;
  std::uint64_t seed = 1;
};

unsigned number(const std::string& text) { return static_cast<unsigned>(std::stoul(text)); }

Options read(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(usage);
    const std::string value = argv[i + 1];
    if (key == "--size")
      options.size = number(value);
    else if (key == "--classes")
      options.classes = number(value);
    else if (key == "--pattern")
      options.pattern = value;
    else if (key == "--length")
      options.length = value;
    else if (key == "--loads")
      options.loads = number(value);
    else if (key == "--cycles")
      options.cycles = number(value);
    else if (key == "--seed")
      options.seed = number(value);
    else
      throw std::invalid_argument(usage);
  }
  return options;
}

nlohmann::json curve(Fabric& fabric, Pattern pattern, unsigned length, const Options& options) {
  const tb::blocks::Effort effort{options.cycles / 3, options.cycles};
  const double bound = tb::blocks::bound(fabric.topology(), fabric.routes(), pattern);
  const auto saturation = tb::blocks::saturation(fabric, pattern, length, effort, options.seed);
  nlohmann::json result{{"pattern", name(pattern)},
                        {"length", length},
                        {"zero_load_cycles", saturation.zero_load},
                        {"bound", bound},
                        {"saturation", saturation.flits},
                        {"points", nlohmann::json::array()}};
  for (unsigned i = 1; i <= options.loads; ++i) {
    const double load = std::min(1.0, bound * 1.1) * i / options.loads;
    const auto point = tb::blocks::measure(fabric, {pattern, length, load}, effort, options.seed);
    nlohmann::json entry{{"offered", load}, {"accepted", point.accepted}, {"least", point.least}};
    entry["latency_cycles"] = point.latency ? nlohmann::json(*point.latency) : nlohmann::json();
    result["points"].push_back(entry);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read(argc, argv);
    const Kind kind = options.classes == 1 ? Kind::one_class : Kind::two_classes;
    Fabric fabric({options.size, options.size}, plan_of(kind), routers(kind, "mesh_curves"), options.seed);
    nlohmann::json result{{"columns", options.size},          {"rows", options.size},   {"classes", options.classes},
                          {"channels", fabric.plan().vcs},    {"depth", Fabric::depth}, {"seed", options.seed},
                          {"curves", nlohmann::json::array()}};
    for (const Pattern pattern : tb::blocks::patterns)
      for (const unsigned length : {1U, 4U, 8U})
        if ((options.pattern == "all" || options.pattern == name(pattern)) &&
            (options.length == "all" || number(options.length) == length))
          result["curves"].push_back(curve(fabric, pattern, length, options));
    std::cout << result.dump(1) << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "mesh_curves: " << error.what() << "\n";
    return 1;
  }
}
