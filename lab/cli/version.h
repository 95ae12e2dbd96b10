#pragma once

namespace firstlight::cli {

inline constexpr const char* kVersion = FIRSTLIGHT_VERSION;

}  // namespace firstlight::cli
