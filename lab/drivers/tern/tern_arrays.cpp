#include "lab/drivers/tern/tern_arrays.h"

#include <fmt/format.h>

#include <utility>

#include "lab/core/failure.h"

namespace firstlight::tern {
namespace {
constexpr unsigned kEntriesOfBank = 128;
constexpr int kSparesOfBank = 2;
}  // namespace

TernArrayTest::TernArrayTest(std::string part, std::string block, std::string map, Registers& registers)
    : part_(std::move(part)), block_(std::move(block)), map_(std::move(map)), registers_(registers) {}

void TernArrayTest::start(bool repair) {
  const std::string mbist_name = name_of("mbist");
  const Fields mbist(registers_, mbist_name, registers_.read(mbist_name));
  registers_.write(mbist_name, mbist.place("backgrounds", mbist["backgrounds"]) |
                                   mbist.place("repair", repair ? 1 : 0) | mbist.place("start", 1) | selection(mbist));
}

MbistResult TernArrayTest::result() {
  const Fields state(registers_, name_of("mbist"), registers_.read(name_of("mbist")));
  MbistResult out;
  out.done = state["busy"] == 0 && state["done"] != 0;
  out.passed = out.done && state["fail"] == 0;
  out.failures = registers_.read(name_of("mbist_fails"));
  if (state["fail"] == 0) return out;
  const Fields first(registers_, name_of("mbist_first"), registers_.read(name_of("mbist_first")));
  const std::uint64_t low = registers_.read(name_of("mbist_first_bits[0]"));
  const std::uint64_t high = registers_.read(name_of("mbist_first_bits[1]"));
  const std::uint32_t check = registers_.read(name_of("mbist_first_check"));
  out.first = MbistFailure{
      where(first),
      fmt::format("{}, wrong data bits {:#018x}, wrong check bits {:#04x}, march element {}, background {}",
                  where(first), (high << 32U) | low, check, first["element"], first["background"])};
  return out;
}

MemoryRepair TernArrayTest::repair() {
  MemoryRepair out;
  const auto spare_name = [this](int row) { return fmt::format("{}[{}]", name_of(map_), row); };
  for (; registers_.map().find(spare_name(out.rows)); ++out.rows) {
    const Fields spare(registers_, spare_name(out.rows), registers_.read(spare_name(out.rows)));
    if (spare["enable"] != 0) out.used.push_back({out.rows, replaced(out.rows, spare), spare["dead"] != 0});
  }
  out.exhausted = registers_.read(name_of("repair_status.exhausted")) != 0;
  return out;
}

TernSramTest::TernSramTest(std::string part, Registers& registers)
    : TernArrayTest(std::move(part), "sram", "repair", registers) {}

std::string TernSramTest::where(const Fields& first) const { return fmt::format("word {:#06x}", first["address"]); }

std::string TernSramTest::replaced(int /*row*/, const Fields& spare) const {
  return fmt::format("word {:#06x}", spare["address"]);
}

void TernTensorArrayTest::start(bool repair) {
  registers().write("tensor.irq_status.refused", 1);
  TernArrayTest::start(repair);
  if (registers().read("tensor.irq_status.refused") == 0) return;
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = "mbist_refused";
  failure.message = fmt::format("{}: the memory test is refused", part());
  failure.part = part();
  failure.sent = "tensor.mbist.start = 1";
  failure.received =
      fmt::format("tensor.irq_status.refused = 1, tensor.status = {:#x}", registers().read("tensor.status"));
  failure.likely_cause = "the tensor engine or a DMA is at work in it; an instruction may wait for a semaphore";
  throw FailureError(failure);
}

TernScratchpadTest::TernScratchpadTest(std::string part, Registers& registers)
    : TernTensorArrayTest(std::move(part), "tensor", "repair", registers) {}

std::string TernScratchpadTest::where(const Fields& first) const {
  return fmt::format("partition {} word {:#06x}", first["lane"], first["address"]);
}

std::string TernScratchpadTest::replaced(int /*row*/, const Fields& spare) const {
  return fmt::format("word {:#06x} of all partitions", spare["address"]);
}

TernAccumulatorTest::TernAccumulatorTest(std::string part, Registers& registers)
    : TernTensorArrayTest(std::move(part), "tensor", "acc_repair", registers) {}

std::uint32_t TernAccumulatorTest::selection(const Fields& mbist) const { return mbist.place("accumulators", 1); }

std::string TernAccumulatorTest::where(const Fields& first) const {
  return fmt::format("column {} bank {} entry {}", first["lane"], first["address"] / kEntriesOfBank,
                     first["address"] % kEntriesOfBank);
}

std::string TernAccumulatorTest::replaced(int row, const Fields& spare) const {
  return fmt::format("bank {} entry {} of all columns", row / kSparesOfBank, spare["entry"]);
}

}  // namespace firstlight::tern
