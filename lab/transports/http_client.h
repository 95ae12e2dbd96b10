#pragma once

#include <cstdint>
#include <string>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class HttpStatus : std::uint8_t { ok, timeout, unreachable, bad_certificate, io_error };

struct HttpResult {
  HttpStatus status = HttpStatus::ok;  // ok: an answer came, whatever its code
  int code = 0;                        // 200, 401, ...
  std::string body;
  std::string detail;  // never holds a credential
};

/// A service that speaks HTTP(S) with JSON bodies: Redfish. It holds base address and credentials; certificates are
/// checked.
class HttpClient {
 public:
  HttpClient() = default;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  virtual ~HttpClient() = default;

  /// @param method "GET", "POST", "PATCH"; @param path from the root: "/redfish/v1"; @param body JSON or empty
  virtual HttpResult request(const std::string& method, const std::string& path, const std::string& body,
                             Instant deadline) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
