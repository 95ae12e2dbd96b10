#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lab/core/failure.h"
#include "lab/core/register_map.h"

namespace firstlight {

/// Registers of a chip by name. Every call throws FailureError: an error answer of the chip is class dut, a bus that
/// does not answer is class infrastructure, an unknown name is class bench.
class Registers {
 public:
  static constexpr std::string_view kName = "registers";

  Registers() = default;
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  virtual ~Registers() = default;

  virtual std::string part() const = 0;
  virtual const RegisterMap& map() const = 0;

  /// A whole register ("dma0.q_ctrl[2]") or a field ("dma0.q_ctrl[2].enable"); a field comes shifted down, not
  /// sign-extended. All ones are cross-checked against a register of known value, since a dead bus reads the same.
  virtual std::uint32_t read(const std::string& name) = 0;
  /// A whole register is written at once. A field is read-modify-write, in which the register's `wp` and `w1c`
  /// neighbours are written 0.
  virtual void write(const std::string& name, std::uint32_t value) = 0;
  /// Sign-extended when the field is signed, and scaled by nothing.
  virtual std::int64_t read_number(const std::string& name) = 0;
  virtual void write_number(const std::string& name, std::int64_t value) = 0;
  /// Reads a register by name while an access of another one has just failed; throws FailureError like `read`.
  using RawRead = std::function<std::uint32_t(const std::string& name)>;
  /// Called with the failure of an access that the chip answered with an error, before it is thrown: whoever knows the
  /// chip can say why (its clock stopped because a rail dropped) and whom to blame.
  using Explainer = std::function<void(Failure& failure, const RawRead& read)>;
  virtual void explain_errors(Explainer explainer) = 0;

  /// By absolute byte address, for windows and traces.
  virtual std::uint32_t read_at(std::uint32_t address) = 0;
  virtual void write_at(std::uint32_t address, std::uint32_t value) = 0;
};

}  // namespace firstlight
