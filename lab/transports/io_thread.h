#pragma once

#include <memory>

namespace boost::asio {
class io_context;
}

namespace firstlight {

/// The thread that waits for sockets, serial lines and pipes while the bench thread goes on. Its handlers touch nothing
/// of the bench thread's: they hand over by BenchTime::post.
class IoThread {
 public:
  IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;
  ~IoThread();

  /// Started with the first use.
  boost::asio::io_context& context();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstlight
