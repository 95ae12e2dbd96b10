#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/transports/file_descriptor.h"

namespace firstlight {

class IoThread;

/// A program with its arguments, and the folder that it runs in.
struct ExecCommand {
  std::string program;  // a path
  std::vector<std::string> arguments;
  std::string folder;
};

/// "scripts/chamber.py --port 3": words between spaces; one with spaces in it stands in double quotes. A program with a
/// '/' is relative to the folder, one without is looked for there and then on the PATH.
/// @return the command, or one with an empty program when there is none of that name
ExecCommand parse_exec(const std::string& text, const std::string& folder);

/// A running program: we hold its standard input and output, and the end of what it writes to standard error. It is
/// killed, with all that it started, when this goes; it should also end by itself when its input does.
class ExecProcess {
 public:
  /// Throws std::system_error when it cannot be started.
  ExecProcess(const ExecCommand& command, IoThread& io);
  ExecProcess(const ExecProcess&) = delete;
  ExecProcess& operator=(const ExecProcess&) = delete;
  ~ExecProcess();

  FileDescriptor take_input() { return std::move(input_); }
  FileDescriptor take_output() { return std::move(output_); }
  /// How it ended and its last words, for messages: "the program ended with status 1 and said: ...". Waits a moment,
  /// in a fiber, for both to be known.
  std::string epitaph(BenchTime& time);

 private:
  class LastWords;
  bool over();

  FileDescriptor input_;
  FileDescriptor output_;
  std::shared_ptr<LastWords> last_words_;
  int pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
};

}  // namespace firstlight
