#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace firstlight::agent {

/// Where an agent is reached: "tcp://HOST:PORT" ("tcp://[::1]:5099"), or "unix:PATH".
struct Endpoint {
  bool local = false;  // a unix socket
  std::string host;
  std::uint16_t port = 0;
  std::string path;

  std::string text() const;
};

/// Nothing when the text is no endpoint. A TCP endpoint without a host is on the loopback.
std::optional<Endpoint> parse_endpoint(const std::string& text);

/// True when only programs on this machine reach it.
bool is_loopback(const Endpoint& endpoint);

}  // namespace firstlight::agent
