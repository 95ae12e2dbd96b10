#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace firstlight::peers {

/// A program on the other end of a protocol, started by the test and killed with it (its whole process group, and also
/// when the test itself dies). What it prints goes to a file.
class PeerProcess {
 public:
  struct Options {
    std::vector<std::string> environment;  // "NAME=value", added to the test's own
    std::string folder;                    // to run in; empty: the test's
  };

  /// @param command program (looked up on the PATH) and its arguments. Throws std::runtime_error when it cannot be run.
  explicit PeerProcess(const std::vector<std::string>& command);
  PeerProcess(const std::vector<std::string>& command, const Options& options);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  pid_t pid() const { return pid_; }
  bool running();
  /// Waits until it is over. @return the exit status, 128 + signal when killed, -1 when it still runs at the deadline
  int wait(std::chrono::milliseconds limit);
  void signal(int number) const;
  /// All that it has printed so far, standard output and error.
  std::string output() const;
  /// True when the text has been printed within the time.
  bool wait_for_output(const std::string& text, std::chrono::milliseconds limit);

 private:
  pid_t pid_ = -1;
  int status_ = -1;
  bool over_ = false;
  std::string output_file_;
};

/// Runs it to its end. @return exit status and all that it printed
struct Finished {
  int status = -1;
  std::string output;
};
Finished run_program(const std::vector<std::string>& command, std::chrono::milliseconds limit);

/// True when the program is on the PATH. A peer test whose peer is missing fails: `scripts/setup` installs it.
bool on_path(const std::string& program);
/// A TCP port of 127.0.0.1 that nobody listens on now.
int free_port();
/// True once someone listens.
bool wait_for_port(int port, std::chrono::milliseconds limit);

/// A folder of the test's own, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace firstlight::peers
