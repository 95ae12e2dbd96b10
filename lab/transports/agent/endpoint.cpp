#include "lab/transports/agent/endpoint.h"

#include <charconv>

namespace firstlight::agent {

namespace {

constexpr const char* kLoopback = "127.0.0.1";

std::optional<std::uint16_t> port_of(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<Endpoint> parse_tcp(const std::string& text) {
  Endpoint endpoint;
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto port = port_of(text.substr(colon + 1));
  if (!port) return std::nullopt;
  endpoint.port = *port;
  endpoint.host = text.substr(0, colon);
  const bool bracketed = endpoint.host.size() > 2 && endpoint.host.front() == '[' && endpoint.host.back() == ']';
  if (bracketed) endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  // An IPv6 address without brackets cannot be told from its port.
  if (!bracketed && endpoint.host.find_first_of(":[]/") != std::string::npos) return std::nullopt;
  if (endpoint.host.empty()) endpoint.host = kLoopback;
  return endpoint;
}

}  // namespace

std::string Endpoint::text() const {
  if (local) return "unix:" + path;
  const bool six = host.find(':') != std::string::npos;
  return "tcp://" + (six ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<Endpoint> parse_endpoint(const std::string& text) {
  if (text.rfind("tcp://", 0) == 0) return parse_tcp(text.substr(6));
  if (text.rfind("unix:", 0) != 0) return std::nullopt;
  Endpoint endpoint;
  endpoint.local = true;
  endpoint.path = text.substr(5);
  if (endpoint.path.rfind("//", 0) == 0) endpoint.path.erase(0, 2);
  if (endpoint.path.empty()) return std::nullopt;
  return endpoint;
}

bool is_loopback(const Endpoint& endpoint) {
  return endpoint.local || endpoint.host == "::1" || endpoint.host == "localhost" ||
         endpoint.host.rfind("127.", 0) == 0;
}

}  // namespace firstlight::agent
