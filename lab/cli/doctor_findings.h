#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace firstlight::cli {

enum class Health : std::uint8_t { good, note, bad };

/// One line of `firstlight doctor`.
struct Finding {
  std::string what;
  Health health = Health::good;
  std::string found;
  std::string advice;
};

/// Every way to reach hardware: whether this build has it, and what it lacks if not.
std::vector<Finding> transport_findings();
/// What of such hardware is at this machine now, and whether this user may use it.
std::vector<Finding> hardware_findings();

}  // namespace firstlight::cli
