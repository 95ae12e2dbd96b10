#include "lab/transports/watched_descriptor.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "lab/transports/io_thread.h"
#include "lab/transports/wakeup.h"

namespace firstlight {

// Only the bench thread touches the Asio object; on the IoThread run handlers that know the wakeup alone.
class WatchedDescriptor::Impl {
 public:
  using Descriptor = boost::asio::posix::stream_descriptor;

  Impl(FileDescriptor descriptor, BenchTime& time, IoThread& io) : wakeup_(time), descriptor_(io.context()) {
    make_nonblocking(descriptor.get());
    descriptor_.assign(descriptor.get());
    descriptor.release();
  }

  int get() { return descriptor_.native_handle(); }
  FileDescriptor release() { return FileDescriptor(descriptor_.release()); }

  bool wait(Descriptor::wait_type what, Instant deadline) {
    descriptor_.async_wait(what, [signal = wakeup_.arm()](const boost::system::error_code& error) {
      if (error != boost::asio::error::operation_aborted) signal();
    });
    const Stop stop{descriptor_};
    return wakeup_.wait(deadline);
  }

 private:
  struct Stop {
    Descriptor& descriptor;
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;
    ~Stop() {
      boost::system::error_code ignored;
      descriptor.cancel(ignored);
    }
  };

  Wakeup wakeup_;
  Descriptor descriptor_;
};

WatchedDescriptor::WatchedDescriptor(FileDescriptor descriptor, BenchTime& time, IoThread& io)
    : impl_(std::make_unique<Impl>(std::move(descriptor), time, io)) {}
WatchedDescriptor::~WatchedDescriptor() = default;
int WatchedDescriptor::get() const { return impl_->get(); }
bool WatchedDescriptor::wait_readable(Instant deadline) { return impl_->wait(Impl::Descriptor::wait_read, deadline); }
bool WatchedDescriptor::wait_writable(Instant deadline) { return impl_->wait(Impl::Descriptor::wait_write, deadline); }
FileDescriptor WatchedDescriptor::release() { return impl_->release(); }

}  // namespace firstlight
