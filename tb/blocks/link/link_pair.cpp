#include "tb/blocks/link/link_pair.h"

namespace tb::blocks::link {

const char* state_name(State state) {
  static constexpr std::array<const char*, 6> names = {"DISABLED", "DETECT", "POLLING", "CONFIG", "L0", "RECOVERY"};
  return names.at(static_cast<std::size_t>(state));
}

firstlight::RegisterRef find_register(std::string_view name) {
  const auto lookup = firstlight::tern_registers().find("link." + std::string(name));
  if (!lookup) throw std::runtime_error(lookup.error);
  return *lookup.found;
}

}  // namespace tb::blocks::link
