#pragma once

#include <string>

namespace firstlight {

/// A new file that grows by whole lines, each with one write. Throws FailureError (infrastructure) when the file is
/// there already or the disk does not take a line.
class LineFile {
 public:
  explicit LineFile(std::string path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  void write(std::string line);  // without its newline
  void sync();                   // on the disk when it returns
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string path_;
  int file_ = -1;
};

}  // namespace firstlight
