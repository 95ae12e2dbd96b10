#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/transports/byte_stream.h"
#include "lab/transports/file_descriptor.h"
#include "lab/transports/watched_descriptor.h"

namespace firstlight {

/// How long connecting may take, name resolution included.
inline constexpr Duration kConnectTimeout{10'000'000'000'000};

/// A byte stream over file descriptors that can be polled: sockets, serial lines, pseudo-terminals, pipes.
/// It reads only while someone waits for bytes: what another process that has the same line open waits for is left to
/// it, and a talkative instrument fills the kernel's buffer, not ours.
class FdStream final : public ByteStream {
 public:
  struct Ends {
    FileDescriptor in;
    FileDescriptor out;  // none: the same one
  };
  /// Connects, in a fiber, before the deadline. Throws FailureError.
  using Connect = std::function<Ends(Instant deadline)>;
  struct Options {
    /// The address, for messages.
    std::string name;
    Connect connect;
    /// Why the other end may have gone ("its program exited with status 1"), asked for when it has.
    std::function<std::string()> epitaph;
  };

  FdStream(Options options, BenchTime& time, IoThread& io);
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;
  ~FdStream() override;

  /// Throws FailureError. Without it, the first use connects.
  void connect(Instant deadline);

  StreamResult write(std::string_view bytes, Instant deadline) override;
  StreamResult read_until(char terminator, Instant deadline) override;
  StreamResult read_exactly(std::size_t count, Instant deadline) override;
  std::string drain() override;
  std::string name() const override { return options_.name; }
  StreamResult reopen(Instant deadline) override;

 private:
  enum class Received : std::uint8_t { some, nothing_yet, nothing_more };

  /// @param ready how many bytes make the answer, npos while they have not come
  template <class Ready>
  StreamResult read(const Ready& ready, std::size_t most, Instant deadline);
  Received receive();
  std::optional<StreamResult> not_usable(Instant deadline);
  void hang_up();
  void end(StreamStatus how, std::string why);
  StreamResult give_up(StreamStatus status, std::string detail);
  WatchedDescriptor& out() { return out_ ? *out_ : *in_; }

  Options options_;
  BenchTime& time_;
  IoThread& io_;
  std::unique_ptr<WatchedDescriptor> in_;
  std::unique_ptr<WatchedDescriptor> out_;
  std::string input_;
  std::optional<StreamResult> ended_;  // what every use says after the end
};

}  // namespace firstlight
