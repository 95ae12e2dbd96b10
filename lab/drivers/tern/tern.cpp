#include <fmt/format.h>

#include <memory>

#include "lab/capabilities/rail.h"
#include "lab/core/failure.h"
#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"
#include "lab/drivers/tern/fields.h"
#include "lab/drivers/tern/tensor/burst.h"
#include "lab/drivers/tern/tern_dma.h"
#include "lab/drivers/tern/tern_gemm.h"
#include "lab/drivers/tern/tern_hbm.h"
#include "lab/drivers/tern/tern_link.h"
#include "lab/drivers/tern/tern_memory.h"
#include "lab/drivers/tern/tern_power.h"
#include "lab/drivers/tern/tern_tensor.h"
#include "lab/drivers/tern/tern_thermal.h"

namespace firstlight {

namespace {

constexpr double kDefaultReferenceHz = 100e6;
constexpr double kDefaultCoreHz = 1e9;
constexpr double kDefaultHbmBytes = 16.0 * 1024 * 1024;
constexpr std::size_t kCoreRail = 1;  // feeds the tensor engine
const char* const kZones[] = {"core", "sram", "hbm", "serdes"};

tern::TernClock clock_of(const DriverPlan& plan, const BenchPlan& bench) {
  tern::TernClock clock;
  const auto reference = quantity_param(plan.params, "reference");
  const auto core = quantity_param(plan.params, "core");
  clock.reference = Frequency(reference ? reference->value : kDefaultReferenceHz);
  clock.core = Frequency(core ? core->value : kDefaultCoreHz);
  clock.time_scale = bench.time_scale;
  return clock;
}

std::vector<std::string> rails_of(const DriverPlan& plan) {
  std::vector<std::string> rails = text_list_param(plan.params, "rails");
  if (rails.empty()) rails = {"vdd_aon", "vdd_core", "vdd_sram", "vdd_hbm", "vdd_serdes"};
  if (rails.size() != std::size(kZones) + 1)
    throw_bad_param(plan.where, "`rails` of a Tern names five rails, in the order of the chip's power-good pins");
  return rails;
}

void offer_thermal(const DriverPlan& plan, Bench& bench, Registers& registers, BenchTime& time,
                   const tern::TernClock& clock, const std::vector<std::string>& rails) {
  std::vector<tern::TernThermal::Zone> zones;
  for (std::size_t i = 0; i < std::size(kZones); ++i) zones.push_back({kZones[i], rails[i + 1]});
  const auto thermal = std::make_shared<tern::TernThermal>(plan.name, registers, time, clock, zones);
  bench.keep(thermal);
  bench.offer<ChipThermal>(plan.name, *thermal);
  bench.add({plan.name + ".hottest", Dimension::temperature, "The hottest valid zone of the die.",
             plan.name + " thermal unit", [thermal] { return thermal->hottest().quantity(); }});
  for (const tern::TernThermal::Zone& zone : zones)
    bench.add({plan.name + "." + zone.name, Dimension::temperature, "Temperature of a zone of the die.",
               thermal->part(zone.name),
               [thermal, name = zone.name] { return thermal->temperature(name).quantity(); }});
}

/// A core block that does not answer is mostly a chip that stopped itself: its first-fault snapshot says why.
void explain_errors(Registers& registers, Bench& bench, std::vector<std::string> rails) {
  registers.explain_errors(
      [&registers, &bench, rails = std::move(rails)](Failure& failure, const Registers::RawRead& read) {
        const tern::Fields fault(registers, "power.fault", read("power.fault"));
        if (fault["valid"] == 0 || fault["injected"] != 0) return;
        const std::uint32_t rail = fault["rail"];
        const std::string cause = fault.name("cause");
        failure.symptom = "chip_fault";
        failure.message +=
            fmt::format(": the chip had stopped itself with the fault {} in state {}", cause, fault.name("state"));
        failure.received += fmt::format("; power.fault {:#010x}", fault.raw());
        if (rail < rails.size()) {
          failure.part = bench.rail(rails[rail]).part();
          failure.message += " of " + rails[rail];
          failure.likely_cause = fmt::format("{} sagged below its power-good threshold, however briefly", rails[rail]);
        } else {
          failure.part = cause == "lock_lost" || cause == "freq" ? "PLL" : failure.part;
          failure.likely_cause = "what made the chip latch " + cause;
        }
      });
}

/// @param rail that feeds the array
void offer_tensor(const DriverPlan& plan, DriverEnvironment& environment, Registers& registers, Dma& dma,
                  const std::string& rail, const tern::TernClock& clock) {
  Bench& bench = environment.bench();
  const auto tensor = std::make_shared<tern::TernTensor>(plan.name, registers, dma, environment.time(), clock);
  bench.keep(tensor);
  bench.offer<Tensor>(plan.name, *tensor);
  const auto gemm = std::make_shared<tern::TernGemm>(*tensor, dma, environment.time(), clock);
  bench.keep(gemm);
  bench.offer<GemmEngine>(plan.name, *gemm);
  const auto burst =
      std::make_shared<tern::tensor::TensorBurst>(*tensor, rail, registers, dma, environment.time(), clock);
  bench.keep(burst);
  bench.offer<CurrentBurst>(plan.name, *burst);
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  Bench& bench = environment.bench();
  const tern::TernClock clock = clock_of(plan, bench.plan());
  const std::vector<std::string> rails = rails_of(plan);
  Registers& registers = bench.get<Registers>(text_param(plan.params, "registers").value_or(""));
  const auto partner_name = text_param(plan.params, "partner");
  Registers* partner = partner_name ? &bench.get<Registers>(*partner_name) : nullptr;

  explain_errors(registers, bench, rails);
  const auto power = std::make_shared<tern::TernPower>(plan.name, registers, clock, rails);
  bench.keep(power);
  bench.offer<ChipPower>(plan.name, *power);
  bench.add({plan.name + ".core_frequency", Dimension::frequency,
             "Core clock, counted by the chip against its reference.", power->part(),
             [power] { return power->core_frequency().measured.quantity(); }});
  offer_thermal(plan, bench, registers, environment.time(), clock, rails);

  const auto link = std::make_shared<tern::TernLink>(plan.name, registers, partner, clock);
  bench.keep(link);
  bench.offer<Link>(plan.name, *link);
  const auto memory = std::make_shared<tern::TernMemory>(plan.name, registers, environment.time(), clock);
  bench.keep(memory);
  bench.offer<Memory>(plan.name, *memory);
  const auto hbm = quantity_param(plan.params, "hbm");
  const auto hbm_bytes = static_cast<std::uint64_t>(hbm ? hbm->value : kDefaultHbmBytes);
  const auto external = std::make_shared<tern::TernHbm>(plan.name, registers, environment.time(), clock, hbm_bytes);
  bench.keep(external);
  bench.offer<ExternalMemory>(plan.name, *external);
  const auto dma = std::make_shared<tern::TernDma>(plan.name, registers, environment.dma_memory(plan.uses.at(0)),
                                                   environment.time(), clock, hbm_bytes);
  bench.keep(dma);
  bench.offer<Dma>(plan.name, *dma);
  offer_tensor(plan, environment, registers, *dma, rails.at(kCoreRail), clock);
}

ParamSpec param(std::string name, ParamType type, std::string doc, std::string fallback = {},
                Dimension dimension = Dimension::none) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = std::move(doc);
  spec.fallback = std::move(fallback);
  spec.dimension = dimension;
  return spec;
}

}  // namespace

std::vector<DriverType> tern_drivers() {
  DriverTypeSpec spec;
  spec.driver = "tern";
  spec.doc =
      "A Tern: its power sequencer, thermal unit, SRAM, external memory, DMA engines, tensor engine and link, through "
      "its "
      "registers and host memory.";
  spec.uses = {"dma_memory"};
  ParamSpec registers = param("registers", ParamType::name, "The driver that offers the chip's registers.");
  registers.names = NameKind::driver;
  registers.required = true;
  ParamSpec partner = param("partner", ParamType::name,
                            "The driver that offers the registers of the chip at the other end of the link.");
  partner.names = NameKind::driver;
  ParamSpec rails =
      param("rails", ParamType::list, "Bench names of the rails, in the order of the chip's power-good pins.");
  rails.element = ParamType::name;
  rails.names = NameKind::rail;
  spec.params = {registers,
                 partner,
                 rails,
                 param("reference", ParamType::quantity, "Nominal reference clock.", "100 MHz", Dimension::frequency),
                 param("core", ParamType::quantity, "Nominal core clock.", "1 GHz", Dimension::frequency),
                 param("hbm", ParamType::quantity, "Size of the external memory.", "16 MiB", Dimension::data)};
  spec.offers = {"chip_power", "thermal", "links", "dma", "memories", "external_memory", "tensor", "gemm", "burst"};
  spec.measures = {{"hottest", Dimension::temperature, "The hottest valid zone of the die."},
                   {"core_frequency", Dimension::frequency, "Core clock, counted by the chip against its reference."}};
  for (const char* zone : kZones)
    spec.measures.push_back({zone, Dimension::temperature, std::string("Temperature of zone ") + zone + "."});
  return {{spec, build}};
}

}  // namespace firstlight
