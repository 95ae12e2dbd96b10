#include "lab/agent/stream_pump.h"

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <string>
#include <utility>

namespace firstlight::agent {

namespace {

namespace asio = boost::asio;
constexpr std::size_t kMostUnread = std::size_t{1} << 20U;  // that a client leaves lying before it is dropped

class Pump final : public StreamPump, public std::enable_shared_from_this<Pump> {
 public:
  Pump(Scheduler& scheduler, asio::io_context& io, std::shared_ptr<BenchGate> gate, int descriptor,
       std::unique_ptr<ByteStream> stream, std::function<void()> ended)
      : scheduler_(scheduler),
        gate_(std::move(gate)),
        io_(io),
        descriptor_(io, descriptor),
        stream_(std::move(stream)),
        ended_(std::move(ended)),
        arrived_(scheduler.make_event()) {}

  void start() override {
    writer_ = scheduler_.spawn("stream in", [self = shared_from_this()] { self->pass_in(); });
    reader_ = scheduler_.spawn("stream out", [self = shared_from_this()] { self->pass_out(); });
    asio::post(io_, [self = shared_from_this()] { self->read(); });
  }
  void stop() override {
    scheduler_.cancel(writer_);
    scheduler_.cancel(reader_);
    asio::post(io_, [self = shared_from_this()] { self->shut(); });
  }

 private:
  using Error = boost::system::error_code;

  // ---- bench thread

  void pass_in() {
    for (;;) {
      arrived_->reset();
      const std::string bytes = std::exchange(input_, {});
      if (!bytes.empty()) stream_->write(bytes, kNever);
      if (!input_.empty()) continue;
      if (input_over_) break;  // what was sent before the other side closed has been passed on
      scheduler_.wait(*arrived_, kNever);
    }
    if (ended_) ended_();
  }
  void pass_out() {
    for (;;) {
      StreamResult got = stream_->read_until('\n', kNever);
      if (!got.data.empty()) send(std::move(got.data));
      if (got.status != StreamStatus::ok) break;
    }
    asio::post(io_, [self = shared_from_this()] { self->end(); });
  }

  // ---- I/O thread

  void read() {
    if (!descriptor_.is_open()) return;
    descriptor_.async_read_some(asio::buffer(buffer_),
                                [self = shared_from_this()](const Error& error, std::size_t count) {
                                  if (error) return self->end();
                                  self->gate_->post([self, bytes = std::string(self->buffer_.data(), count)] {
                                    self->input_ += bytes;
                                    self->arrived_->fire();
                                  });
                                  self->read();
                                });
  }
  void send(std::string bytes) {
    asio::post(io_, [self = shared_from_this(), bytes = std::move(bytes)]() mutable {
      if (self->unread_ + bytes.size() > kMostUnread) {
        if (self->ended_) self->end();
        return;  // a line without an end of its own loses what nobody reads
      }
      self->unread_ += bytes.size();
      self->queue_.push_back(std::move(bytes));
      if (self->queue_.size() == 1) self->write();
    });
  }
  void write() {
    asio::async_write(descriptor_, asio::buffer(queue_.front()),
                      [self = shared_from_this()](const Error& error, std::size_t) {
                        if (error) return self->end();
                        self->unread_ -= self->queue_.front().size();
                        self->queue_.pop_front();
                        if (!self->queue_.empty()) self->write();
                      });
  }
  void end() {
    if (!descriptor_.is_open()) return;
    shut();
    gate_->post([self = shared_from_this()] {
      self->input_over_ = true;
      self->arrived_->fire();
    });
  }
  void shut() {
    Error ignored;
    descriptor_.close(ignored);
  }

  Scheduler& scheduler_;
  std::shared_ptr<BenchGate> gate_;
  asio::io_context& io_;
  asio::posix::stream_descriptor descriptor_;
  std::unique_ptr<ByteStream> stream_;
  std::function<void()> ended_;
  std::unique_ptr<Event> arrived_;
  std::string input_;
  bool input_over_ = false;
  Scheduler::Handle writer_;
  Scheduler::Handle reader_;
  std::array<char, 4096> buffer_{};
  std::deque<std::string> queue_;
  std::size_t unread_ = 0;
};

}  // namespace

std::shared_ptr<StreamPump> make_stream_pump(Scheduler& scheduler, IoThread& io, std::shared_ptr<BenchGate> gate,
                                             int descriptor, std::unique_ptr<ByteStream> stream,
                                             std::function<void()> ended) {
  return std::make_shared<Pump>(scheduler, io.context(), std::move(gate), descriptor, std::move(stream),
                                std::move(ended));
}

}  // namespace firstlight::agent
