#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "Vregs_bench.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/regs/axil_host.h"
#include "tb/blocks/regs/register_model.h"

namespace tb::regs {

/// The bench of regs_bench.sv with its golden model. One for all tests, because SystemC elaborates once; each test
/// begins with `restart`.
class RegsWorld {
 public:
  static RegsWorld& instance();

  Vregs_bench& dut() { return bench_->dut(); }
  ClockPlan& clocks() { return clocks_; }
  AxilHost& host() { return *host_; }
  std::mt19937_64& random() { return random_; }

  /// Resets both domains; `salt` tells tests of one seed apart.
  void restart(std::uint64_t salt, unsigned eagerness, unsigned ref_every, unsigned core_every);
  void ref_cycles(std::uint64_t count) { bench_->cycle(count * clocks_.ref_every); }
  void core_reset(bool asserted);

  /// One access from an idle port to its answer.
  Answer access(const Access& access);
  Answer read(std::uint32_t addr) { return access({false, addr, 0, 0xf}); }
  Answer write(std::uint32_t addr, std::uint32_t data) { return access({true, addr, data, 0xf}); }
  /// Lets cycles pass until every access is answered; false when it takes more than `limit` reference cycles.
  bool drain(std::uint64_t limit);

  /// What the specification says of an access, and its effect on the model. Data is absent where it does not count.
  struct Expected {
    Resp resp;
    std::optional<std::uint32_t> data;
  };
  Expected expect(const Access& access);

  /// Absolute address of a register of Tern, by name.
  static std::uint32_t address(const std::string& name);
  /// Base of a probe: one of `probes`.
  static std::uint32_t base(const std::string& block);
  static bool in_core(std::uint32_t addr);

  static constexpr std::array<const char*, 9> probes{"power",  "thermal", "sram", "dma0", "link",
                                                     "tensor", "dma1",    "hbm",  "mesh"};
  RegisterModel& probe(std::size_t index) { return *probes_[index]; }
  void set_live(std::uint32_t live);
  void forget_core();

 private:
  RegsWorld();
  std::uint32_t hardware_value(std::size_t probe, const std::string& reg, const std::string& field,
                               std::uint32_t index) const;
  Expected expect_in_probe(std::size_t probe, std::uint32_t offset, const Access& access);
  static Expected expect_in_memory(std::map<std::uint32_t, std::uint32_t>& words, std::uint32_t offset,
                                   const Access& access);

  ClockPlan clocks_;
  std::unique_ptr<blocks::BlockBench<Vregs_bench>> bench_;
  std::unique_ptr<AxilHost> host_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<RegisterModel>> probes_;
  std::unique_ptr<RegisterModel> chip_;
  std::array<std::map<std::uint32_t, std::uint32_t>, probes.size()> rams_;
  std::array<std::uint32_t, probes.size()> fetches_{};
  std::map<std::uint32_t, std::uint32_t> window_;
  std::uint32_t live_ = 0;
};

}  // namespace tb::regs
