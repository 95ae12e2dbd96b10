#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rtl/regs/tern_registers.h"
#include "tb/blocks/block_bench.h"

namespace tb::blocks {

/// The register bus of a block, by the names of rtl/regs ("power.status.state"); a block that the chip has several of
/// goes by its own name ("dma.ctrl"), not by that of an instance. For a model with flat ports
/// `reg_valid_i, reg_write_i, reg_addr_i, reg_wdata_i, reg_strb_i, reg_ready_o, reg_error_o, reg_rdata_o`. Calls let
/// cycles pass until the block has answered; they throw std::runtime_error on an unknown name, an error answer, and on
/// no answer in 100 cycles.
template <class Model>
class RegisterPort : public Agent {
 public:
  explicit RegisterPort(BlockBench<Model>& bench, const firstlight::RegisterMap& map = firstlight::tern_registers())
      : bench_(bench), map_(map) {
    bench.add(*this);
  }

  const firstlight::RegisterMap& map() const { return map_; }

  /// A register's value, or a field's raw bits.
  std::uint32_t read(std::string_view name) {
    const auto ref = look_up(name);
    const std::uint32_t value = access(name, false, ref.address, 0);
    return ref.field ? ref.field->extract(value) : value;
  }
  /// A field's value as the whole number it stands for.
  std::int64_t number(std::string_view name) {
    const auto ref = look_up(name);
    return ref.field->number(read(name));
  }
  /// Writes a register, or one field: the other stored fields keep their values, pulses and sticky bits are left alone.
  void write(std::string_view name, std::uint32_t raw) {
    const auto ref = look_up(name);
    if (ref.field) raw = ref.field->insert(stored_bits(ref, read(register_of(name))), raw);
    access(name, true, ref.address, raw);
  }
  /// One access of any address of the block's window: true with an error answer.
  bool raw_access(bool write, std::uint32_t address, std::uint32_t value) {
    transact(write, address, value);
    return error_;
  }

  void sample() override {
    auto& dut = bench_.dut();
    if (!dut.reg_valid_i || !dut.reg_ready_o) return;
    done_ = true;
    error_ = dut.reg_error_o;
    rdata_ = dut.reg_rdata_o;
  }
  void drive() override {
    if (done_) bench_.dut().reg_valid_i = 0;
  }

 private:
  firstlight::RegisterRef look_up(std::string_view name) const {
    const auto lookup = map_.find(name);
    if (lookup) return *lookup.found;
    const std::size_t dot = name.find('.');
    const std::string first_instance = std::string(name.substr(0, dot)) + "0";
    const auto first = map_.find(first_instance + std::string(name.substr(std::min(dot, name.size()))));
    if (first) return *first.found;
    const bool several = std::any_of(map_.blocks().begin(), map_.blocks().end(),
                                     [&](const firstlight::BlockInfo& block) { return block.name == first_instance; });
    throw std::runtime_error(several ? first.error : lookup.error);
  }
  static std::string register_of(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }
  static std::uint32_t stored_bits(const firstlight::RegisterRef& ref, std::uint32_t value) {
    for (const auto& field : ref.reg->fields)
      if (field.access != firstlight::Access::ReadWrite && field.access != firstlight::Access::ReadWriteHardware)
        value = field.insert(value, 0);
    return value;
  }

  std::uint32_t access(std::string_view name, bool write, std::uint32_t address, std::uint32_t value) {
    transact(write, address, value);
    if (error_)
      throw std::runtime_error(std::string(name) + (write ? ": write" : ": read") + " answered with an error");
    return rdata_;
  }
  void transact(bool write, std::uint32_t address, std::uint32_t value) {
    auto& dut = bench_.dut();
    dut.reg_valid_i = 1;
    dut.reg_write_i = write;
    dut.reg_addr_i = address & 0xfffU;
    dut.reg_wdata_i = value;
    dut.reg_strb_i = 0xf;
    done_ = false;
    if (!bench_.cycle_until([this] { return done_; }, 100)) throw std::runtime_error("no answer on the register bus");
  }

  BlockBench<Model>& bench_;
  const firstlight::RegisterMap& map_;
  bool done_ = false;
  bool error_ = false;
  std::uint32_t rdata_ = 0;
};

}  // namespace tb::blocks
