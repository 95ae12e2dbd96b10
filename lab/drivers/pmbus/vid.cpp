#include "lab/drivers/pmbus/vid.h"

#include <cmath>

namespace firstlight::pmbus {

namespace {

constexpr VidTable kTables[] = {
    {"vr11", "Intel VR11: 6.25 mV steps down from 1.6 V", 0x02, 0xb2, 1.6, -0.00625, true},
    {"vr12", "Intel VR12, IMVP8, VR13 in its 5 mV mode: 5 mV steps from 250 mV", 0x01, 0xff, 0.25, 0.005, true},
    {"vr13", "Intel VR12.5 and VR13: 10 mV steps from 500 mV", 0x01, 0xff, 0.5, 0.01, true},
    {"imvp9", "Intel IMVP9: 10 mV steps from 200 mV", 0x01, 0xff, 0.2, 0.01, true},
    {"amd625mv", "AMD SVI: 6.25 mV steps down from 1.55 V", 0x00, 0xd8, 1.55, -0.00625, false},
    {"nvidia195mv", "NVIDIA PWM-VID: 5 mV steps from 195 mV", 0x01, 0xff, 0.195, 0.005, true},
};

}  // namespace

const VidTable* find_vid_table(const std::string& name) {
  for (const VidTable& table : kTables)
    if (name == table.name) return &table;
  return nullptr;
}

std::vector<std::string> vid_table_names() {
  std::vector<std::string> names;
  for (const VidTable& table : kTables) names.emplace_back(table.name);
  return names;
}

std::optional<double> decode_vid(std::uint16_t code, const VidTable& table) {
  if (code == 0 && table.zero_is_off) return 0.0;
  if (code < table.first || code > table.last) return std::nullopt;
  return table.base + table.step * (code - table.first);
}

std::optional<std::uint16_t> encode_vid(double volts, const VidTable& table) {
  if (!std::isfinite(volts)) return std::nullopt;
  if (volts == 0 && table.zero_is_off) return std::uint16_t{0};
  const double code = table.first + std::nearbyint((volts - table.base) / table.step);
  if (code < table.first || code > table.last) return std::nullopt;
  return static_cast<std::uint16_t>(code);
}

}  // namespace firstlight::pmbus
