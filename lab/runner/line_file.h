#pragma once

#include <string>

namespace firstlight {

/// A file that grows by whole lines, each with one write. Throws FailureError (infrastructure) when the disk does not
/// take a line.
class LineFile {
 public:
  enum class Open {
    fresh,  // a new file: one that is there already is refused
    go_on   // one that is there: what stands after its last line feed was cut short by a kill, and is taken away
  };
  explicit LineFile(std::string path, Open how = Open::fresh);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  void write(std::string line);  // without its newline
  void sync();                   // on the disk when it returns
  const std::string& path() const { return path_; }

 private:
  void cut_unfinished_line();
  [[noreturn]] void fail(const std::string& what) const;
  std::string path_;
  int file_ = -1;
};

}  // namespace firstlight
