#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace firstlight::agent {

// What travels between an agent and its clients, both ways: frames of a length (4 bytes, big-endian) and a MessagePack
// map. The client speaks first:
//   {"firstlight_agent": 1, "token": "..."}              answered by {"firstlight_agent": 1, "host": "dut-3"}
// and then asks as often as it likes, without waiting for answers:
//   {"id": 7, "op": "reg.read", "of": "regs0", "within": 450000, "address": 0}      (within: microseconds)
//   {"id": 7, "status": 0, "data": 1413829186}
// Answers come in the order in which they are ready. {"op": "cancel", "id": 7} is never answered, and nor is the
// request that it ends. What the agent does not do is answered by {"id": 7, "refused": "why"}.

inline constexpr int kVersion = 1;
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kMaxFrame = std::size_t{4} << 20U;
inline constexpr std::size_t kMaxHello = 4096;                   // before the token is known to be right
inline constexpr std::size_t kMaxChunk = std::size_t{1} << 20U;  // of memory, in one request
inline constexpr std::size_t kMaxOutstanding = 256;              // requests of one client

/// The frame of a message.
std::string frame_of(const nlohmann::json& message);
/// The message of a frame's content; nothing when it is no MessagePack map.
std::optional<nlohmann::json> message_of(std::string_view content);
/// @param bytes kLengthBytes of them
std::size_t length_of(const std::uint8_t* bytes);

}  // namespace firstlight::agent
