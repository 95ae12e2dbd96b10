#include "tb/blocks/regs/regs_world.h"

#include <stdexcept>

#include "lab/core/register_map.h"
#include "rtl/regs/tern_registers.h"

namespace firstlight {
const RegisterMap& probe_chip_registers();  // generated from probe.yaml
}

namespace tb::regs {
namespace {

const firstlight::BlockInfo& block_named(const firstlight::RegisterMap& map, const std::string& name) {
  for (const auto& block : map.blocks())
    if (block.name == name) return block;
  throw std::invalid_argument("no block " + name);
}

}  // namespace

RegsWorld& RegsWorld::instance() {
  static RegsWorld world;
  return world;
}

RegsWorld::RegsWorld() {
  bench_ = std::make_unique<blocks::BlockBench<Vregs_bench>>(
      "regs",
      [this](Vregs_bench& m, bool high) {
        if (!high) ++clocks_.tick;
        if (clocks_.ref_rises()) m.clk_i = high;
        if (clocks_.core_rises()) m.clk_core_i = high;
      },
      [](Vregs_bench& m, bool high) { m.rst_ni = m.rst_core_ni = high; });
  Vregs_bench& m = dut();
  host_ = std::make_unique<AxilHost>(HostPins{m.awvalid_i, m.awready_o, m.awaddr_i, m.wvalid_i, m.wready_o, m.wdata_i,
                                              m.wstrb_i, m.bvalid_o, m.bready_i, m.bresp_o, m.arvalid_i, m.arready_o,
                                              m.araddr_i, m.rvalid_o, m.rready_i, m.rdata_o, m.rresp_o},
                                     clocks_);
  const auto& description = firstlight::probe_chip_registers().blocks().front();
  for (std::size_t i = 0; i < probes.size(); ++i)
    probes_.push_back(std::make_unique<RegisterModel>(
        description, [this, i](const auto& reg, const auto& field, std::uint32_t index) {
          return hardware_value(i, reg.name, field.name, index);
        }));
  chip_ = std::make_unique<RegisterModel>(block_named(firstlight::tern_registers(), "chip"),
                                          [](const auto&, const auto&, std::uint32_t) { return 0U; });
}

std::uint32_t RegsWorld::hardware_value(std::size_t probe, const std::string& reg, const std::string& field,
                                        std::uint32_t index) const {
  if (reg == "status") return field == "live" ? live_ & 0xffffU : live_ >> 24;
  if (reg == "mixed") return (live_ >> 20) & 0xfU;
  if (reg == "fetch") return fetches_.at(probe) & 0xffffU;
  if (reg == "lane_state") return 0x40 + index;
  throw std::invalid_argument("the testbench drives no " + reg + "." + field);
}

void RegsWorld::set_live(std::uint32_t live) { dut().live_i = live_ = live; }

void RegsWorld::forget_core() {
  for (std::size_t i = 2; i < probes.size(); ++i) {
    probes_[i]->reset();
    rams_.at(i).clear();
    fetches_.at(i) = 0;
  }
  window_.clear();
}

void RegsWorld::restart(std::uint64_t salt, unsigned eagerness, unsigned ref_every, unsigned core_every) {
  random_.seed(blocks::seed() * 1000003U + salt);
  clocks_.ref_every = ref_every;
  clocks_.core_every = core_every;
  clocks_.core_runs = true;
  bench_->clear_agents();
  bench_->add(*host_);
  host_->restart(random_(), eagerness);
  dut().set_i = dut().load_i = dut().clocks_i = 0;
  dut().irq_i = 0;
  dut().straps_i = static_cast<std::uint8_t>(random_());
  set_live(static_cast<std::uint32_t>(random_()));
  for (auto& model : probes_) model->reset();
  for (auto& ram : rams_) ram.clear();
  fetches_.fill(0);
  chip_->reset();
  forget_core();
  bench_->reset(std::uint64_t{8} * ref_every * core_every);
  ref_cycles(4);
}

void RegsWorld::core_reset(bool asserted) {
  dut().rst_core_ni = !asserted;
  if (asserted) forget_core();
}

Answer RegsWorld::access(const Access& access) {
  host_->issue(access);
  if (!drain(100000)) throw std::runtime_error("the host port hangs");
  const auto answers = host_->take();
  if (answers.size() != 1) throw std::runtime_error("more than one answer to one access");
  return answers.front();
}

bool RegsWorld::drain(std::uint64_t limit) {
  for (std::uint64_t i = 0; i < limit && !host_->idle(); ++i) ref_cycles(1);
  return host_->idle();
}

std::uint32_t RegsWorld::address(const std::string& name) {
  const auto lookup = firstlight::tern_registers().find(name);
  if (!lookup) throw std::invalid_argument(lookup.error);
  return lookup.found->address;
}

std::uint32_t RegsWorld::base(const std::string& block) {
  return block_named(firstlight::tern_registers(), block).base;
}

bool RegsWorld::in_core(std::uint32_t addr) {
  for (const auto& window : firstlight::tern_registers().windows())
    if (addr - window.offset < window.size) return true;
  for (std::size_t i = 2; i < probes.size(); ++i)
    if (addr - base(probes.at(i)) < 0x1000) return true;
  return false;
}

RegsWorld::Expected RegsWorld::expect_in_memory(std::map<std::uint32_t, std::uint32_t>& words, std::uint32_t offset,
                                                const Access& access) {
  std::uint32_t& word = words[offset];
  if (!access.write) return {Resp::Okay, word};
  for (unsigned b = 0; b < 4; ++b)
    if ((access.strb >> b) & 1U) word = (word & ~(0xffU << (8 * b))) | (access.data & (0xffU << (8 * b)));
  return {Resp::Okay, std::nullopt};
}

RegsWorld::Expected RegsWorld::expect_in_probe(std::size_t probe, std::uint32_t offset, const Access& access) {
  if (offset >= 0x800 && offset < 0x840) return expect_in_memory(rams_.at(probe), offset, access);
  if (offset >= 0x840 && offset < 0x880) {
    if (access.write) return {Resp::SlvErr, std::nullopt};
    return {Resp::Okay, 0xd0000000U + (offset - 0x840) / 4};
  }
  RegisterModel& model = *probes_[probe];
  if (access.write) return {model.write(offset, access.data, access.strb) ? Resp::Okay : Resp::SlvErr, std::nullopt};
  const auto value = model.read(offset);
  if (offset == 0x01c) ++fetches_.at(probe);
  return value ? Expected{Resp::Okay, value} : Expected{Resp::SlvErr, std::nullopt};
}

RegsWorld::Expected RegsWorld::expect(const Access& access) {
  const std::uint32_t addr = access.addr & ~3U;
  for (std::size_t i = 0; i < probes.size(); ++i)
    if (addr - base(probes.at(i)) < 0x1000) return expect_in_probe(i, addr - base(probes.at(i)), access);
  for (const auto& window : firstlight::tern_registers().windows())
    if (addr - window.offset < window.size) return expect_in_memory(window_, addr - window.offset, access);
  if (addr - base("chip") < 0x1000) {
    if (access.write)
      return {chip_->write(addr - base("chip"), access.data, access.strb) ? Resp::Okay : Resp::SlvErr, std::nullopt};
    const auto value = chip_->read(addr - base("chip"));
    return value ? Expected{Resp::Okay, value} : Expected{Resp::SlvErr, std::nullopt};
  }
  return {Resp::DecErr, std::nullopt};
}

}  // namespace tb::regs
