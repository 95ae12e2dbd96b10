#include "lab/transports/schemes.h"
#if FIRSTLIGHT_HAS_GPIOD
#include "lab/transports/host/gpio_lines.h"
#endif

namespace firstlight {

void add_gpio_schemes(SchemeTable& table) {
  Scheme<Gpio> label{"gpio", "gpio", "gpio:LABEL",
                     "Lines of the GPIO controller with that label; `@PLACE` after it tells several apart.", ""};
  // There to say what to write instead.
  Scheme<Gpio> number{"gpio", "file", "/dev/gpiochipN", "Refused: numbers change; name the chip by its label.", ""};
#if FIRSTLIGHT_HAS_GPIOD
  label.open = [](const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
    return host::open_gpio_lines(resource, rest, context.time, host::Root{});
  };
  number.open = [](const ResourcePlan& resource, const std::string& rest, OpenContext&) -> std::unique_ptr<Gpio> {
    host::refuse_gpio_number(resource, rest);
  };
#else
  label.missing = number.missing = "built without libgpiod";
#endif
  table.gpios.push_back(std::move(label));
  table.gpios.push_back(std::move(number));
}

}  // namespace firstlight
