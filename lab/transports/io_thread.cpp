#include "lab/transports/io_thread.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <mutex>
#include <thread>

namespace firstlight {

class IoThread::Impl {
 public:
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    guard_.reset();
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }
  boost::asio::io_context& context() {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { context_.run(); });
    return context_;
  }

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{context_.get_executor()};
  std::mutex mutex_;
  std::thread thread_;
};

IoThread::IoThread() : impl_(std::make_unique<Impl>()) {}
IoThread::~IoThread() = default;
boost::asio::io_context& IoThread::context() { return impl_->context(); }

}  // namespace firstlight
