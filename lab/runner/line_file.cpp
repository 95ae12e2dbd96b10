#include "lab/runner/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lab/core/failure.h"

namespace firstlight {

LineFile::LineFile(std::string path) : path_(std::move(path)) {
  constexpr int kMode = 0644;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
  if (file_ < 0) fail("cannot create");
}

LineFile::~LineFile() {
  if (file_ >= 0) ::close(file_);
}

void LineFile::write(std::string line) {
  line += '\n';
  const char* at = line.data();
  std::size_t left = line.size();
  while (left > 0) {
    const ssize_t n = ::write(file_, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write to");
    at += n;
    left -= static_cast<std::size_t>(n);
  }
}

void LineFile::sync() {
  if (::fsync(file_) != 0) fail("cannot sync");
}

void LineFile::fail(const std::string& what) const {
  const std::string reason = std::strerror(errno);
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.symptom = "record_write_failed";
  failure.message = what + " " + path_ + ": " + reason;
  failure.part = "disk";
  failure.likely_cause = errno == ENOSPC ? "the disk is full" : "permissions, a full disk, or a folder that went away";
  throw FailureError(failure);
}

}  // namespace firstlight
