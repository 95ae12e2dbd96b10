#include "lab/transports/agent/protocol.h"

#include <nlohmann/json.hpp>

namespace firstlight::agent {

using nlohmann::json;

std::string frame_of(const json& message) {
  std::string frame(kLengthBytes, '\0');
  json::to_msgpack(message, frame);
  const std::size_t length = frame.size() - kLengthBytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    frame[i] = static_cast<char>(length >> (8 * (kLengthBytes - 1 - i)) & 0xffU);
  return frame;
}

std::optional<json> message_of(std::string_view content) {
  json message = json::from_msgpack(content.begin(), content.end(), true, false);
  if (!message.is_object()) return std::nullopt;
  return message;
}

std::size_t length_of(const std::uint8_t* bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length = length << 8U | bytes[i];
  return length;
}

}  // namespace firstlight::agent
