#pragma once

#include <cstdint>
#include <optional>

namespace firstlight::host {

/// One 32-bit access to a little-endian device's memory, of exactly that width. Nothing, or false, when the processor
/// got a bus error for it (SIGBUS): the device was removed under its mapping. From any thread.
/// @param address a multiple of 4
std::optional<std::uint32_t> guarded_load(const volatile std::uint32_t* address);
bool guarded_store(volatile std::uint32_t* address, std::uint32_t value);

}  // namespace firstlight::host
