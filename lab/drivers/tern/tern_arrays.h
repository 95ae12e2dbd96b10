#pragma once

#include <cstdint>
#include <string>

#include "lab/capabilities/memory.h"
#include "lab/capabilities/registers.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {

/// A March C- test in the registers `<block>.mbist`, `mbist_first` and so on, which all blocks that have one share, and
/// the spare rows in `<block>.<map>[..]`.
class TernArrayTest : public ArrayTest {
 public:
  TernArrayTest(std::string part, std::string block, std::string map, Registers& registers);

  std::string part() const override { return part_; }
  void start(bool repair) override;
  MbistResult result() override;
  MemoryRepair repair() override;

 protected:
  Registers& registers() const { return registers_; }
  /// Fields of `<block>.mbist` that say which array is meant, on top of what all have.
  virtual std::uint32_t selection(const Fields& /*mbist*/) const { return 0; }
  /// Where the first wrong read was; @param first `<block>.mbist_first`
  virtual std::string where(const Fields& first) const = 0;
  /// What a spare row stands in for; @param row its number @param spare its entry in the map
  virtual std::string replaced(int row, const Fields& spare) const = 0;

 private:
  std::string name_of(const std::string& reg) const { return block_ + "." + reg; }

  std::string part_;
  std::string block_;
  std::string map_;
  Registers& registers_;
};

/// The SRAM.
class TernSramTest : public TernArrayTest {
 public:
  TernSramTest(std::string part, Registers& registers);
  std::string name() const override { return "sram"; }

 protected:
  std::string where(const Fields& first) const override;
  std::string replaced(int row, const Fields& spare) const override;
};

/// What the tensor engine's two arrays have in common: a test is refused while the engine is at work.
class TernTensorArrayTest : public TernArrayTest {
 public:
  using TernArrayTest::TernArrayTest;
  void start(bool repair) override;
};

/// The tensor engine's scratchpad: all partitions side by side, spare rows are those of all of them.
class TernScratchpadTest : public TernTensorArrayTest {
 public:
  TernScratchpadTest(std::string part, Registers& registers);
  std::string name() const override { return "scratchpad"; }

 protected:
  std::string where(const Fields& first) const override;
  std::string replaced(int row, const Fields& spare) const override;
};

/// Its accumulators: all columns side by side, bank by bank.
class TernAccumulatorTest : public TernTensorArrayTest {
 public:
  TernAccumulatorTest(std::string part, Registers& registers);
  std::string name() const override { return "accumulators"; }

 protected:
  std::uint32_t selection(const Fields& mbist) const override;
  std::string where(const Fields& first) const override;
  std::string replaced(int row, const Fields& spare) const override;
};

}  // namespace firstlight::tern
