#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lab/core/bench_time.h"
#include "lab/transports/fd_stream.h"
#include "lab/transports/file_descriptor.h"

namespace firstlight {

class IoThread;

/// "psu-3:5025", "10.0.0.7:5025", "[fe80::1]:5025".
struct HostPort {
  std::string host;
  std::string port;
};
/// Nothing when the text has another form or the port is none of 1 to 65535.
std::optional<HostPort> parse_host_port(const std::string& text);

/// Who connects, for messages: the resource's name and address as the bench file has them.
struct Caller {
  std::string resource;
  std::string address;
};

/// Connects over TCP in a fiber; every wait ends at the deadline, resolving the name included. Small messages are sent
/// at once (TCP_NODELAY), and a host that has gone silently is noticed within half a minute. Throws FailureError
/// (infrastructure) with what the system said and the likely cause.
FileDescriptor connect_tcp(const Caller& caller, const HostPort& to, Instant deadline, BenchTime& time, IoThread& io);

/// The same for a socket in the file system.
FileDescriptor connect_unix(const Caller& caller, const std::string& path, Instant deadline, BenchTime& time,
                            IoThread& io);

/// A stream that is connected by now, and connects again when it is reopened.
std::unique_ptr<FdStream> open_tcp_stream(const Caller& caller, const HostPort& to, BenchTime& time, IoThread& io);
std::unique_ptr<FdStream> open_unix_stream(const Caller& caller, const std::string& path, BenchTime& time,
                                           IoThread& io);

}  // namespace firstlight
