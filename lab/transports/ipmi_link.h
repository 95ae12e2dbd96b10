#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class IpmiStatus : std::uint8_t { ok, timeout, refused, io_error };

struct IpmiResult {
  IpmiStatus status = IpmiStatus::ok;
  std::uint8_t completion = 0;     // completion code (IPMI 2.0, 5.2); 0 is success
  std::vector<std::uint8_t> data;  // after the completion code
  std::string detail;              // what the session said, for messages; never holds a credential
};

/// A session with a BMC that carries whole commands.
class IpmiLink {
 public:
  IpmiLink() = default;
  IpmiLink(const IpmiLink&) = delete;
  IpmiLink& operator=(const IpmiLink&) = delete;
  virtual ~IpmiLink() = default;

  /// @param net_fn of the request (even); @param data after the command byte
  virtual IpmiResult command(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data,
                             Instant deadline) = 0;
  virtual std::string name() const = 0;
};

}  // namespace firstlight
