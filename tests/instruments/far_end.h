#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/transports/file_descriptor.h"

namespace firstlight::instruments {

/// One connection as the instrument has it. Every call returns early when the test ends.
class Line {
 public:
  /// @param stop becomes readable when the test ends
  Line(FileDescriptor descriptor, int stop) : descriptor_(std::move(descriptor)), stop_(stop) {}

  /// What came before the next line feed, without it and without a carriage return; nothing when the other side has
  /// gone or the test ends.
  std::optional<std::string> read_line();
  /// False when the other side has gone.
  bool send(std::string_view bytes);
  /// False when the test ends, or the other side goes, meanwhile.
  bool pause(std::chrono::milliseconds time);
  void close() { descriptor_.reset(); }
  /// Closes so that the other side gets a reset instead of an end.
  void reset();
  bool open() const { return static_cast<bool>(descriptor_); }

 private:
  bool readable(int timeout_ms);

  FileDescriptor descriptor_;
  int stop_;
  std::string input_;
};

/// The instrument's side of real sockets and terminals: a thread that serves one connection after another.
class FarEnd {
 public:
  enum class Kind : std::uint8_t { tcp, unix_socket, terminal };
  /// @param serve called for each connection with its number from 0 on; the connection is closed when it returns
  FarEnd(Kind kind, std::function<void(Line&, int connection)> serve);
  FarEnd(const FarEnd&) = delete;
  FarEnd& operator=(const FarEnd&) = delete;
  ~FarEnd();

  /// As a bench file has it: "tcp://127.0.0.1:40123", "unix:/tmp/...", "serial:/dev/pts/3".
  const std::string& address() const { return address_; }
  int connections() const { return connections_; }
  /// From now on nobody listens.
  void stop_listening() { listening_ = false; }

 private:
  void listen();
  void open_terminal();
  void serve_sockets();

  Kind kind_;
  std::function<void(Line&, int)> serve_;
  std::string address_;
  std::string path_;
  FileDescriptor listener_;
  FileDescriptor stop_;
  std::atomic<int> connections_{0};
  std::atomic<bool> listening_{true};
  std::thread thread_;
};

}  // namespace firstlight::instruments
