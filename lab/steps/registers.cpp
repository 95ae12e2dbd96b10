#include "lab/capabilities/registers.h"

#include <fmt/format.h>

#include <charconv>

#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

Registers& registers_of(StepContext& step) { return step.bench().get<Registers>(text_of(step, "chip")); }

struct Named {
  std::string name;
  RegisterRef ref;
};

Named find(StepContext& step, Registers& registers) {
  const std::string& name = step.with("reg").text();
  RegisterLookup lookup = registers.map().find(name);
  if (lookup) return {name, *lookup.found};
  step.fail({ErrorClass::sequence,
             "no_such_register",
             lookup.error,
             registers.part(),
             name,
             {},
             "the sequence needs mending"});
}

/// "run", "5", "-3" or "0x10": a name of the field's, or a number that fits.
std::uint32_t raw_of(StepContext& step, const Named& named, const std::string& text) {
  const FieldInfo* field = named.ref.field;
  if (field != nullptr)
    if (const auto value = field->value_of(text)) return *value;
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative) digits.remove_prefix(1);
  const bool hex = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  if (hex) digits.remove_prefix(2);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) {
    number = negative ? -number : number;
    // A field's raw bits may be written in hexadecimal also where it is signed.
    if (field != nullptr && hex && number >= 0 && number <= std::int64_t{field->value_mask()})
      return static_cast<std::uint32_t>(number);
    if (field != nullptr) {
      if (const auto raw = field->raw(number)) return *raw;
    } else if (number >= 0 && number <= 0xffffffffLL) {
      return static_cast<std::uint32_t>(number);
    }
  }
  std::string names;
  if (field != nullptr)
    for (const auto& [name, raw] : field->values) names += (names.empty() ? "" : ", ") + name;
  step.fail(
      {ErrorClass::sequence,
       "bad_register_value",
       fmt::format("\"{}\" is no value of {}", text, named.name),
       named.name,
       {},
       {},
       names.empty() ? "a whole number that fits is wanted, decimal or 0x hexadecimal" : "its values are: " + names});
}

/// "0x3 (pll_lock)", "-5", "0x00000010".
std::string show(const Named& named, std::uint32_t raw) {
  const FieldInfo* field = named.ref.field;
  if (field == nullptr) return fmt::format("0x{:08x}", raw);
  const std::string_view name = field->value_name(raw);
  if (!name.empty()) return fmt::format("0x{:x} ({})", raw, name);
  return field->is_signed ? fmt::format("{}", field->number(raw)) : fmt::format("0x{:x}", raw);
}

std::string part_of(const Registers& registers, const Named& named) { return registers.part() + " " + named.name; }

void reg_read(StepContext& step) {
  Registers& registers = registers_of(step);
  const Named named = find(step, registers);
  const std::uint32_t raw = registers.read(named.name);
  const double number =
      named.ref.field != nullptr ? static_cast<double>(named.ref.field->number(raw)) * named.ref.field->scale : raw;
  step.log(Severity::info, fmt::format("{} = {}", named.name, show(named, raw)));
  step.measure("", {number, Dimension::none}, named.name, part_of(registers, named));
}

void reg_write(StepContext& step) {
  Registers& registers = registers_of(step);
  const Named named = find(step, registers);
  const std::uint32_t raw = raw_of(step, named, step.with("value").text());
  registers.write(named.name, raw);
  step.log(Severity::info, fmt::format("{} <- {}", named.name, show(named, raw)));
  if (!step.with("verify").boolean()) return;
  const std::uint32_t back = registers.read(named.name);
  step.expect(named.name, back == raw, show(named, raw), show(named, back), part_of(registers, named));
}

void reg_expect(StepContext& step) {
  Registers& registers = registers_of(step);
  const Named named = find(step, registers);
  const std::uint32_t wanted = raw_of(step, named, step.with("value").text());
  const std::uint32_t mask = step.has("mask") ? static_cast<std::uint32_t>(step.with("mask").integer()) : 0xffffffffU;
  const std::uint32_t found = registers.read(named.name);
  const bool holds = (found & mask) == (wanted & mask);
  const std::string part = step.has("part") ? step.with("part").text() : part_of(registers, named);
  if (!holds && step.has("cause"))
    step.note_failure(dut_failure("register_value",
                                  fmt::format("{} is {}, not {}", named.name, show(named, found), show(named, wanted)),
                                  part, show(named, found), step.with("cause").text()));
  step.expect(named.name, holds, show(named, wanted), show(named, found), part);
}

void reg_poll(StepContext& step) {
  Registers& registers = registers_of(step);
  const Named named = find(step, registers);
  const std::uint32_t wanted = raw_of(step, named, step.with("value").text());
  const bool until_not = step.with("until").text() == "differs";
  const Duration limit = duration_of(step, "within");
  const Instant begin = step.time().now();
  std::uint32_t found = 0;
  const bool good = poll(step, duration_of(step, "every"), begin + limit, [&] {
    found = registers.read(named.name);
    return (found == wanted) != until_not;
  });
  if (!good)
    step.fail(
        dut_failure("register_poll_timeout",
                    fmt::format("{} is {} after {}, {} {} was awaited", named.name, show(named, found),
                                to_text(to_quantity(limit)), until_not ? "other than" : "and", show(named, wanted)),
                    part_of(registers, named), show(named, found),
                    "the block hangs or waits for something; read its status and counters"));
  step.measure("", to_quantity(step.time().now() - begin), named.name + " time", part_of(registers, named));
  step.expect(named.name, true, show(named, wanted), show(named, found), part_of(registers, named));
}

ParamSpec reg_param() {
  return required(name_param("reg", NameKind::reg, "A register or a field by name: link.ctrl, link.ctrl.enable."));
}
ParamSpec chip_param() {
  return name_param("chip", NameKind::driver, "The driver of the host port; may be absent when there is one.");
}
ParamSpec value_param() {
  return required(text_param("value", "A number, decimal or 0x hexadecimal, or one of the field's names."));
}

Step make(const char* verb, const char* doc, std::vector<ParamSpec> params, std::vector<MeasurableSpec> measures,
          const char* example, void (*run)(StepContext&)) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = "registers";
  spec.params = std::move(params);
  spec.params.push_back(chip_param());
  spec.measures = std::move(measures);
  spec.example = example;
  return {spec, run};
}

}  // namespace

std::vector<Step> register_steps() {
  return {
      make("reg.read", "Reads a register or a field and records it.", {reg_param()},
           {{"", Dimension::none, "The value; a field is sign-extended and scaled to its unit."}},
           "{id: zone0, do: reg.read, with: {reg: thermal.zone[0].temperature}}", reg_read),
      make("reg.write", "Writes a register at once, or a field by read-modify-write.",
           {reg_param(), value_param(),
            flag_param("verify", "Read it back and compare; not for pulses and sticky bits.")},
           {}, "{id: scratch, do: reg.write, with: {reg: chip.scratch, value: \"0xa5a5\", verify: true}}", reg_write),
      make("reg.expect", "Reads a register or a field and compares it.",
           {reg_param(), value_param(), integer_param("mask", "Only these bits of the value are compared."),
            text_param("part", "Who is to blame when the value is wrong; the register itself when absent."),
            text_param("cause", "What it probably means when the value is wrong.")},
           {}, "{id: chip_id, do: reg.expect, with: {reg: chip.id.part, value: \"0x7e51\"}}", reg_expect),
      make("reg.poll", "Reads a register or a field until it has a value; bounded.",
           {reg_param(), value_param(),
            choice_param("until", {"equals", "differs"}, "Wait until it has the value, or has it no more.", "equals"),
            required(quantity_param("within", Dimension::time, "The longest wait.")),
            at_least(quantity_param("every", Dimension::time, "Time between reads.", "1 ms"), 1e-6)},
           {{"", Dimension::time, "How long it took."}},
           "{id: running, do: reg.poll, with: {reg: power.status.state, value: run, within: 100 ms}}", reg_poll),
  };
}

}  // namespace firstlight
