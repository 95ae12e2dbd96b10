#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Bits of a scan. Bit 0 is bit 0 of byte 0 and goes first into TDI; unused bits of the last byte are 0.
struct ScanBits {
  std::size_t count = 0;
  std::vector<std::uint8_t> bytes;  // (count + 7) / 8
};

/// Stable states of the TAP controller in which a scan may end (IEEE 1149.1-2013, 6.1).
enum class TapState : std::uint8_t { test_logic_reset, run_test_idle, pause_dr, pause_ir };

/// One TAP of a JTAG chain. Whoever implements it pads for the TAPs before and behind it (BYPASS), so that scans speak
/// of this one alone. Every call throws FailureError: infrastructure when the adapter fails or the chain is broken (TDO
/// constant: no VTref, TRST held, cable, no power), dut when the TAP answers what it cannot (an IR capture whose two
/// lowest bits are not 01).
class JtagPort {
 public:
  static constexpr std::string_view kName = "jtag";

  JtagPort() = default;
  JtagPort(const JtagPort&) = delete;
  JtagPort& operator=(const JtagPort&) = delete;
  virtual ~JtagPort() = default;

  virtual std::string part() const = 0;
  /// Bits of the TAP's instruction register, as the bench file declares them.
  virtual std::size_t ir_length() const = 0;
  /// To Test-Logic-Reset by five cycles of TMS high, then to Run-Test/Idle.
  virtual void reset() = 0;
  /// Shifts an instruction in. @return what was captured, ir_length() bits
  virtual ScanBits scan_ir(const ScanBits& instruction, TapState end = TapState::run_test_idle) = 0;
  /// Shifts data through the register that the instruction selected. @return as many bits, as captured
  virtual ScanBits scan_dr(const ScanBits& data, TapState end = TapState::run_test_idle) = 0;
  /// Stays in Run-Test/Idle for so many cycles of TCK: what a debug module needs between scans.
  virtual void idle(std::size_t cycles) = 0;
};

}  // namespace firstlight
