#pragma once

#include <memory>

#include "lab/drivers/register_access.h"
#include "lab/drivers/tern/tern_dma.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/drivers/fake_time.h"
#include "tests/unit/tern/fake_dma.h"

namespace firstlight::test {

/// Tern's DMA driver on a chip of fakes.
struct ChipBench {
  static constexpr std::uint64_t kHbmBytes = std::uint64_t{1} << 20U;

  FakeTime time;
  std::shared_ptr<RegisterFile> file = std::make_shared<RegisterFile>(tern_registers());
  std::shared_ptr<FakeHostMemory> host = std::make_shared<FakeHostMemory>(tern_registers().region("host").base);
  FakeDma chip{*file, host};
  RegisterAccess registers{"host", file, tern_registers(), "", std::chrono::milliseconds(1), time};
  tern::TernDma dma{"tern", registers, host, time, {}, kHbmBytes};

  std::uint64_t hbm(std::uint64_t offset) const { return tern_registers().region("hbm").base + offset; }
  std::uint64_t sram(std::uint64_t offset) const { return tern_registers().region("sram").base + offset; }
  Instant soon() const { return time.now() + std::chrono::milliseconds(10); }
};

}  // namespace firstlight::test
