#include "lab/drivers/rail_measurables.h"

#include <utility>

namespace firstlight {

void add_rail_measurables(Bench& bench, Rail& rail, const std::string& part) {
  const auto add = [&](const char* suffix, Dimension dimension, std::function<Quantity()> read) {
    bench.add({rail.plan().name + "." + suffix, dimension, "By the part that makes the rail", part, std::move(read)});
  };
  Rail* r = &rail;
  add("voltage", Dimension::voltage, [r] { return r->voltage().quantity(); });
  add("voltage.min", Dimension::voltage, [r] { return r->lowest_voltage().quantity(); });
  add("voltage.max", Dimension::voltage, [r] { return r->highest_voltage().quantity(); });
  add("current", Dimension::current, [r] { return r->current().quantity(); });
  add("temperature", Dimension::temperature, [r] { return r->temperature().quantity(); });
  add("power", Dimension::power, [r] { return (r->voltage() * r->current()).quantity(); });
}

}  // namespace firstlight
