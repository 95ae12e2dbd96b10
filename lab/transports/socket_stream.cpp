#include <fmt/format.h>

#include "lab/core/failure.h"
#include "lab/transports/schemes.h"
#include "lab/transports/socket_connect.h"

namespace firstlight {

namespace {

std::unique_ptr<ByteStream> open_tcp(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  const auto to = parse_host_port(rest);
  if (!to)
    throw FailureError({ErrorClass::bench, "bad_address",
                        fmt::format("{}:{}: the address of \"{}\" is \"{}\"; it must be tcp://HOST:PORT, with a port "
                                    "from 1 to 65535",
                                    resource.where.file, resource.where.line, resource.name, resource.address),
                        resource.name, "", "", "most instruments take SCPI at port 5025"});
  return open_tcp_stream({resource.name, resource.address}, *to, context.time, context.io);
}

std::unique_ptr<ByteStream> open_unix(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  return open_unix_stream({resource.name, resource.address}, rest, context.time, context.io);
}

}  // namespace

void add_socket_schemes(SchemeTable& table) {
  table.streams.push_back(
      {"scpi", "tcp", "tcp://HOST:PORT", "An instrument's raw socket, or a serial server.", "", false, open_tcp});
  table.streams.push_back({"scpi", "unix", "unix:PATH", "A program of this machine.", "", false, open_unix});
}

}  // namespace firstlight
