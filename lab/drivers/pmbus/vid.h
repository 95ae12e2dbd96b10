#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firstlight::pmbus {

/// How a processor's supply codes its voltage in VOUT_MODE's VID format. Code 0 of the Intel tables is "off"; a code
/// outside of the table is no voltage.
struct VidTable {
  const char* name = "";
  const char* doc = "";
  int first = 0;  // codes first..last are voltages
  int last = 0;
  double base = 0;  // V, at `first`
  double step = 0;  // V a code; negative where higher codes are lower voltages
  bool zero_is_off = false;
};

/// By name: vr11, vr12 (5 mV steps, also IMVP8 and VR13 with 5 mV), vr13 (10 mV, also VR12.5), imvp9, amd625mv,
/// nvidia195mv. Null for another name.
const VidTable* find_vid_table(const std::string& name);
std::vector<std::string> vid_table_names();

/// Volts; 0 for "off"; nothing for a code that the table does not have.
std::optional<double> decode_vid(std::uint16_t code, const VidTable& table);
/// The nearest code; 0 V is "off" where the table has that. Nothing beyond half a step outside of the table.
std::optional<std::uint16_t> encode_vid(double volts, const VidTable& table);

}  // namespace firstlight::pmbus
