#include "lab/transports/schemes.h"

#include <algorithm>

namespace firstlight {

namespace {

template <class Transport>
bool has_exclusive(const std::vector<Scheme<Transport>>& schemes, const std::string& type, const std::string& scheme) {
  return std::any_of(schemes.begin(), schemes.end(),
                     [&](const auto& one) { return one.exclusive && one.type == type && one.scheme == scheme; });
}

}  // namespace

bool is_exclusive(const ResourcePlan& resource) {
  const std::string scheme = parse_address(resource.address).scheme;
  const SchemeTable& all = all_schemes();
  const auto in = [&](const auto& schemes) { return has_exclusive(schemes, resource.type, scheme); };
  return in(all.i2c) || in(all.streams) || in(all.registers) || in(all.dma_memories) || in(all.gpios) ||
         in(all.hwmons) || in(all.ipmi) || in(all.http) || in(all.modbus);
}

Address parse_address(const std::string& text) {
  if (!text.empty() && text.front() == '/') return {"file", text};
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  std::string rest = text.substr(colon + 1);
  // "tcp://host" has an authority, "serial:///dev/x" a path after an empty one.
  if (rest.compare(0, 2, "//") == 0) rest.erase(0, 2);
  return {text.substr(0, colon), rest};
}

const SchemeTable& all_schemes() {
  static const SchemeTable table = [] {
    SchemeTable all;
    for (const auto add :
         {add_socket_schemes, add_serial_schemes, add_usbtmc_schemes, add_vxi11_schemes, add_exec_schemes,
          add_agent_schemes, add_i2c_dev_schemes, add_pci_schemes, add_uio_schemes, add_host_memory_schemes,
          add_gpio_schemes, add_hwmon_schemes, add_ipmi_schemes, add_http_schemes, add_modbus_schemes})
      add(all);
    return all;
  }();
  return table;
}

}  // namespace firstlight
