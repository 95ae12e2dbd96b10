#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lab/capabilities/lines.h"
#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

class GpioLines final : public Lines {
 public:
  GpioLines(std::string name, std::shared_ptr<Gpio> gpio, std::vector<std::string> lines)
      : name_(std::move(name)), gpio_(std::move(gpio)), lines_(std::move(lines)) {}

  std::string part(const std::string& line) const override { return fmt::format("{} line {}", name_, line); }
  std::vector<std::string> names() const override { return lines_; }

  bool level(const std::string& line) override {
    check(line);
    std::string detail;
    if (const auto level = gpio_->get(line, &detail)) return *level;
    throw FailureError({ErrorClass::infrastructure, "line_unreadable", fmt::format("{} cannot be read", part(line)),
                        part(line), "read " + line, detail,
                        "the GPIO adapter is gone, or the line belongs to another program"});
  }

  void drive(const std::string& line, bool level) override {
    check(line);
    std::string detail;
    const std::string sent = fmt::format("{} = {}", line, level ? 1 : 0);
    if (!gpio_->set(line, level, &detail))
      throw FailureError({ErrorClass::bench, "line_not_driven", fmt::format("{} cannot be driven", part(line)),
                          part(line), sent, detail, "the line is an input of this bench"});
    if (this->level(line) != level)
      throw FailureError(
          {ErrorClass::bench, "line_readback",
           fmt::format("{} was driven {} but reads {}", part(line), level ? "high" : "low", level ? "low" : "high"),
           part(line), sent, level ? "0" : "1", "something else drives the line, or it is shorted"});
  }

 private:
  void check(const std::string& line) const {
    if (std::find(lines_.begin(), lines_.end(), line) != lines_.end()) return;
    throw FailureError(
        {ErrorClass::bench,
         "no_such_line",
         fmt::format("{} has no line \"{}\"; the nearest is \"{}\"", name_, line, nearest_name(line, lines_)),
         name_,
         {},
         {},
         fmt::format("its lines are: {}", fmt::join(lines_, ", "))});
  }

  std::string name_;
  std::shared_ptr<Gpio> gpio_;
  std::vector<std::string> lines_;
};

void check_lines_exist(const DriverPlan& plan, const Gpio& gpio, const std::vector<std::string>& wanted) {
  const std::vector<std::string> there = gpio.lines();
  for (const std::string& line : wanted)
    if (std::find(there.begin(), there.end(), line) == there.end())
      throw_bad_param(plan.where, fmt::format("{} has no line \"{}\"", gpio.name(), line), nearest_name(line, there));
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const std::shared_ptr<Gpio> gpio = environment.gpio(plan.uses.at(0));
  const std::vector<std::string> names = text_list_param(plan.params, "lines");
  check_lines_exist(plan, *gpio, names);
  const auto lines = std::make_shared<GpioLines>(plan.name, gpio, names);
  Bench& bench = environment.bench();
  bench.keep(lines);
  bench.offer<Lines>(plan.name, *lines);
  for (const std::string& line : names)
    bench.add(
        {plan.name + "." + line, Dimension::none, "Level of the line: 1 is high", lines->part(line), [lines, line] {
           return Quantity{lines->level(line) ? 1.0 : 0.0, Dimension::none};
         }});
}

}  // namespace

std::vector<DriverType> gpio_drivers() {
  DriverTypeSpec spec;
  spec.driver = "gpio";
  spec.doc =
      "Digital lines of the board by name: power-goods, trip and fault pins, leak detector. Levels are electrical.";
  spec.uses = {"gpio"};
  ParamSpec lines;
  lines.name = "lines";
  lines.type = ParamType::list;
  lines.element = ParamType::text;
  lines.required = true;
  lines.doc = "The lines that the bench uses. Each is a measurable as well, 1 when high.";
  spec.params = {lines};
  spec.offers = {"lines"};
  spec.lines_param = "lines";
  return {{spec, build}};
}

}  // namespace firstlight
