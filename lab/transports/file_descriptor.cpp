#include "lab/transports/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

namespace firstlight {

void FileDescriptor::reset(int descriptor) {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = descriptor;
}

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

}  // namespace firstlight
