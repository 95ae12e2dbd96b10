#include "tests/bench/results.h"

#include <fmt/format.h>

#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

namespace bench {

void Results::add(const Figure& figure) const {
  if (json_) {
    nlohmann::ordered_json line{{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}};
    line["reference"] = figure.reference ? nlohmann::ordered_json(*figure.reference) : nlohmann::ordered_json();
    line["ratio"] =
        figure.reference ? nlohmann::ordered_json(figure.value / *figure.reference) : nlohmann::ordered_json();
    std::cout << line.dump() << std::endl;
    return;
  }
  std::cout << fmt::format("{:<34} {:>12.5g} {:<8}", figure.name, figure.value, figure.unit);
  if (figure.reference)
    std::cout << fmt::format(" reference {:>10.5g}  ratio {:.3f}", *figure.reference, figure.value / *figure.reference);
  std::cout << std::endl;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bench
