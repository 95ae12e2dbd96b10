#include "lab/transports/agent/frame_socket.h"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <mutex>
#include <utility>

#include "lab/transports/agent/protocol.h"

namespace firstlight::agent {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Error = boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

class Socket final : public FrameSocket, public std::enable_shared_from_this<Socket> {
 public:
  explicit Socket(asio::io_context& io) : io_(io), socket_(io), resolver_(io) {}

  void adopt(int descriptor) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    socket_.assign(Protocol(address.ss_family, 0), descriptor);
    if (address.ss_family != AF_UNIX) tune();
  }

  void connect(const Endpoint& endpoint, std::function<void(std::string)> connected) {
    asio::post(io_, [self = shared_from_this(), endpoint, connected = std::move(connected)]() mutable {
      if (endpoint.local)
        self->connect_local(endpoint, std::move(connected));
      else
        self->resolve(endpoint, std::move(connected));
    });
  }

  void start(Handlers handlers, std::size_t longest) override {
    asio::post(io_, [self = shared_from_this(), handlers = std::move(handlers), longest]() mutable {
      if (self->over_) return;
      self->handlers_ = std::move(handlers);
      self->longest_ = longest;
      if (!std::exchange(self->reading_, true)) self->read_length();
    });
  }
  void send(std::string frame) override {
    std::size_t sent = 0;
    {
      const std::lock_guard lock(writing_);
      if (over_) return;
      // Most frames go out from here at once, without waking the I/O thread.
      if (queue_.empty()) sent = send_now(frame);
      if (sent == frame.size()) return;
      queue_.push_back(frame.substr(sent));
      if (queue_.size() > 1) return;
    }
    asio::post(io_, [self = shared_from_this()] { self->write(); });
  }
  void finish() override {
    asio::post(io_, [self = shared_from_this()] {
      std::unique_lock lock(self->writing_);
      self->finishing_ = true;
      const bool empty = self->queue_.empty();
      lock.unlock();
      if (empty) self->shut();
    });
  }
  void close() override {
    asio::post(io_, [self = shared_from_this()] { self->shut(); });
  }

 private:
  using Connected = std::function<void(std::string)>;

  void tune() {
    Error ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  }

  void resolve(const Endpoint& endpoint, Connected connected) {
    resolver_.async_resolve(endpoint.host, std::to_string(endpoint.port),
                            [self = shared_from_this(), connected = std::move(connected)](
                                const Error& error, const tcp::resolver::results_type& found) mutable {
                              if (self->over_) return;
                              if (error) return connected(error.message());
                              self->try_next(found, found.begin(), error.message(), std::move(connected));
                            });
  }

  void try_next(const tcp::resolver::results_type& all, tcp::resolver::results_type::iterator next,
                const std::string& trouble, Connected connected) {
    if (next == all.end()) return connected(trouble);
    Error ignored;
    socket_.close(ignored);
    socket_.async_connect(
        Protocol::endpoint(next->endpoint()),
        [self = shared_from_this(), all, next, connected = std::move(connected)](const Error& error) mutable {
          if (self->over_) return;
          if (error) return self->try_next(all, ++next, error.message(), std::move(connected));
          self->tune();
          connected({});
        });
  }

  void connect_local(const Endpoint& endpoint, const Connected& connected) {
    Error error;
    try {
      const asio::local::stream_protocol::endpoint there(endpoint.path);
      socket_.connect(Protocol::endpoint(there), error);  // a local connect does not wait
    } catch (const boost::system::system_error& bad) {
      error = bad.code();
    }
    connected(error ? error.message() : std::string());
  }

  void read_length() {
    asio::async_read(socket_, asio::buffer(length_), [self = shared_from_this()](const Error& error, std::size_t) {
      if (error) return self->end(error);
      const std::size_t length = length_of(self->length_.data());
      if (length > self->longest_)
        return self->end("a frame of " + std::to_string(length) + " bytes is longer than " +
                         std::to_string(self->longest_));
      self->content_.resize(length);
      self->read_content();
    });
  }

  void read_content() {
    asio::async_read(socket_, asio::buffer(content_), [self = shared_from_this()](const Error& error, std::size_t) {
      if (error) return self->end(error);
      if (self->over_) return;
      self->handlers_.frame(std::move(self->content_));
      self->content_.clear();
      if (!self->over_) self->read_length();
    });
  }

  std::size_t send_now(const std::string& frame) {
    const ssize_t count = ::send(socket_.native_handle(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return count < 0 ? 0 : static_cast<std::size_t>(count);  // what is wrong shows when the rest is written
  }
  void write() {
    const std::lock_guard lock(writing_);
    if (over_ || queue_.empty()) return;
    asio::async_write(socket_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](const Error& error, std::size_t) {
                        if (error) return self->end(error);
                        self->written();
                      });
  }
  void written() {
    std::unique_lock lock(writing_);
    queue_.pop_front();
    const bool empty = queue_.empty();
    lock.unlock();
    if (!empty)
      write();
    else if (finishing_)
      shut();
  }

  void end(const Error& error) {
    end(error == asio::error::eof ? std::string("the other side closed the connection") : error.message());
  }
  void end(const std::string& reason) {
    if (over_) return;
    const auto ended = std::move(handlers_.ended);
    shut();
    if (ended) ended(reason);
  }
  void shut() {
    Error ignored;
    resolver_.cancel();
    {
      const std::lock_guard lock(writing_);
      over_ = true;
      socket_.shutdown(asio::socket_base::shutdown_both, ignored);
      socket_.close(ignored);
    }
    handlers_ = {};
  }

  asio::io_context& io_;
  Protocol::socket socket_;
  tcp::resolver resolver_;
  Handlers handlers_;
  std::size_t longest_ = 0;
  std::array<std::uint8_t, kLengthBytes> length_{};
  std::string content_;
  std::mutex writing_;  // guards the queue, and the socket against being closed under who writes
  std::deque<std::string> queue_;
  bool reading_ = false;
  bool finishing_ = false;
  std::atomic<bool> over_{false};
};

}  // namespace

std::shared_ptr<FrameSocket> connect_frames(asio::io_context& io, const Endpoint& endpoint,
                                            std::function<void(std::string)> connected) {
  const auto socket = std::make_shared<Socket>(io);
  socket->connect(endpoint, std::move(connected));
  return socket;
}

std::shared_ptr<FrameSocket> adopt_frames(asio::io_context& io, int descriptor) {
  const auto socket = std::make_shared<Socket>(io);
  socket->adopt(descriptor);
  return socket;
}

}  // namespace firstlight::agent
