#include <fmt/format.h>

#if FIRSTLIGHT_HAS_LXI
#include <lxi.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#endif

#include "lab/core/failure.h"
#include "lab/transports/fd_stream.h"
#include "lab/transports/message_stream.h"
#include "lab/transports/schemes.h"
#include "lab/transports/socket_connect.h"

namespace firstlight {

namespace {

#if FIRSTLIGHT_HAS_LXI

constexpr int kMostBytes = 4 << 20;

/// liblxi has one table of connections for the whole process, and no lock around it.
class Library {
 public:
  static Library& get() {
    static Library library;
    return library;
  }
  int connect(const std::string& host, const std::string& device, int limit_ms) {
    const std::lock_guard lock(mutex_);
    return ::lxi_connect(host.c_str(), 0, device.c_str(), limit_ms, VXI11);
  }
  void disconnect(int connection) {
    const std::lock_guard lock(mutex_);
    ::lxi_disconnect(connection);
  }

 private:
  Library() { ::lxi_init(); }
  std::mutex mutex_;
};

class Vxi11Device final : public MessageDevice {
 public:
  explicit Vxi11Device(int connection) : connection_(connection), buffer_(kMostBytes, '\0') {}
  Vxi11Device(const Vxi11Device&) = delete;
  Vxi11Device& operator=(const Vxi11Device&) = delete;
  ~Vxi11Device() override { Library::get().disconnect(connection_); }

  StreamResult send(const std::string& message, Limit limit) override {
    const int sent = ::lxi_send(connection_, message.data(), static_cast<int>(message.size()), ms(limit));
    if (sent == static_cast<int>(message.size())) return {};
    return {StreamStatus::timeout, {}, "the instrument did not take the message (VXI-11 device_write)"};
  }
  StreamResult receive(Limit limit) override {
    const int count = ::lxi_receive(connection_, buffer_.data(), kMostBytes, ms(limit));
    if (count >= 0) return {StreamStatus::ok, buffer_.substr(0, static_cast<std::size_t>(count)), {}};
    return {StreamStatus::timeout, {}, "the instrument gave no message (VXI-11 device_read)"};
  }

 private:
  static int ms(Limit limit) { return static_cast<int>(limit.count()); }
  int connection_;
  std::string buffer_;
};

/// Asks first, by ourselves, whether the host has a portmapper: the RPC library below liblxi frees memory twice when
/// one that it has spoken to before is gone, and neither of them can be interrupted while a host does not answer.
void find_portmapper(const ResourcePlan& resource, const std::string& host, OpenContext& context) {
  const Instant deadline = context.time.now() + kConnectTimeout;
  try {
    connect_tcp({resource.name, resource.address}, {host, "111"}, deadline, context.time, context.io);
  } catch (const FailureError& error) {
    Failure failure = error.failure();
    failure.likely_cause = failure.received == std::strerror(ECONNREFUSED)
                               ? "VXI-11 begins at the host's portmapper, port 111, and nothing listens there: it is "
                                 "switched off in the instrument's menu, or the instrument knows only a raw socket "
                                 "(tcp://HOST:5025)"
                               : "VXI-11 begins at the host's portmapper, port 111: " + failure.likely_cause;
    throw FailureError(std::move(failure));
  }
}

std::unique_ptr<ByteStream> open_vxi11(const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
  const auto slash = rest.find('/');
  const std::string host = rest.substr(0, slash);
  const std::string device = slash == std::string::npos ? "inst0" : rest.substr(slash + 1);
  find_portmapper(resource, host, context);
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(kConnectTimeout);
  BlockingThread connector(context.time);
  auto connected = connector.call<std::shared_ptr<Vxi11Device>>(
      [host, device, limit]() -> std::shared_ptr<Vxi11Device> {
        const int connection = Library::get().connect(host, device, static_cast<int>(limit.count()));
        return connection < 0 ? nullptr : std::make_shared<Vxi11Device>(connection);
      },
      context.time.now() + kConnectTimeout);
  if (connected && *connected)
    return std::make_unique<MessageStream>(resource.address, std::move(*connected), context.time);
  const std::string said = connected ? "no VXI-11 link was made" : "no answer within 10 s";
  throw FailureError(
      {ErrorClass::infrastructure, "connect_failed",
       fmt::format("\"{}\" at {} cannot be reached: {}", resource.name, resource.address, said), resource.name,
       "connect to " + resource.address, said,
       "the host has a portmapper but no VXI-11 service, a firewall drops the packets, or its device has "
       "another name than " +
           device});
}

constexpr const char* kMissing = "";

#else

std::unique_ptr<ByteStream> open_vxi11(const ResourcePlan&, const std::string&, OpenContext&) { return nullptr; }
constexpr const char* kMissing = "built without liblxi (package liblxi-dev)";

#endif

}  // namespace

void add_vxi11_schemes(SchemeTable& table) {
  table.streams.push_back({"scpi", "vxi11", "vxi11://HOST[/DEVICE]",
                           "An instrument's VXI-11 service; the device is inst0 unless named.", kMissing, false,
                           open_vxi11});
}

}  // namespace firstlight
