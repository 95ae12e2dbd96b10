#include "lab/runner/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "lab/core/failure.h"

namespace firstlight {

LineFile::LineFile(std::string path, Open how) : path_(std::move(path)) {
  constexpr int kMode = 0644;
  const bool fresh = how == Open::fresh;
  file_ = ::open(path_.c_str(), (fresh ? O_WRONLY | O_CREAT | O_EXCL : O_RDWR) | O_APPEND | O_CLOEXEC, kMode);
  if (file_ < 0) fail(fresh ? "cannot create" : "cannot go on with");
  if (!fresh) cut_unfinished_line();
}

void LineFile::cut_unfinished_line() {
  std::array<char, 4096> block{};
  off_t end = ::lseek(file_, 0, SEEK_END);
  off_t from = end;
  while (from > 0) {
    const off_t length = std::min<off_t>(from, static_cast<off_t>(block.size()));
    if (::pread(file_, block.data(), static_cast<std::size_t>(length), from - length) != length) fail("cannot read");
    const std::string_view text(block.data(), static_cast<std::size_t>(length));
    const auto at = text.rfind('\n');
    from -= length;
    if (at == std::string_view::npos) continue;
    from += static_cast<off_t>(at) + 1;
    break;
  }
  if (from != end && ::ftruncate(file_, from) != 0) fail("cannot cut the unfinished line of");
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
