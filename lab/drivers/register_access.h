#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/turns.h"
#include "lab/transports/register_bus.h"

namespace firstlight {

/// Registers of a chip by name over a 32-bit bus.
class RegisterAccess final : public Registers {
 public:
  /// @param probe a register of known, constant value (an identity), read when an answer is all ones; empty for none
  RegisterAccess(std::string name, std::shared_ptr<RegisterBus> bus, const RegisterMap& map, std::string probe,
                 Duration timeout, BenchTime& time);

  std::string part() const override { return name_; }
  const RegisterMap& map() const override { return map_; }
  std::uint32_t read(const std::string& name) override;
  void write(const std::string& name, std::uint32_t value) override;
  void explain_errors(Explainer explainer) override { explainer_ = std::move(explainer); }
  std::int64_t read_number(const std::string& name) override;
  void write_number(const std::string& name, std::int64_t value) override;
  std::uint32_t read_at(std::uint32_t address) override;
  void write_at(std::uint32_t address, std::uint32_t value) override;

 private:
  RegisterRef find(const std::string& name) const;
  std::uint32_t bus_read(std::uint32_t address);
  void bus_write(std::uint32_t address, std::uint32_t value);
  void check_all_ones(std::uint32_t address);
  [[noreturn]] void fail(const BusResult& result, std::uint32_t address, const std::string& sent, bool is_write);
  void explain(Failure& failure);

  std::string name_;
  std::shared_ptr<RegisterBus> bus_;
  const RegisterMap& map_;
  std::string probe_;
  Duration timeout_;
  BenchTime& time_;
  Turns turns_;
  Explainer explainer_;
  bool explaining_ = false;
};

}  // namespace firstlight
