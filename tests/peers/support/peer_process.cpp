#include "tests/peers/support/peer_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace firstlight::peers {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook = std::chrono::milliseconds(5);

std::string temporary_name(const std::string& pattern) {
  std::string name = (std::filesystem::temp_directory_path() / pattern).string();
  const int file = ::mkstemp(name.data());
  if (file < 0) throw std::runtime_error("no temporary file");
  ::close(file);
  return name;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));  // NOLINT: execvp's signature
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become(const std::vector<char*>& arguments, const PeerProcess::Options& options, int output) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  for (const auto& one : options.environment) ::putenv(const_cast<char*>(one.c_str()));  // NOLINT: putenv's signature
  ::execvp(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

PeerProcess::PeerProcess(const std::vector<std::string>& command) : PeerProcess(command, Options{}) {}

PeerProcess::PeerProcess(const std::vector<std::string>& command, const Options& options)
    : output_file_(temporary_name("firstlight-peer-XXXXXX")) {
  if (!on_path(command.front())) {
    std::filesystem::remove(output_file_);
    throw std::runtime_error(command.front() + " is not on the PATH; scripts/setup installs it");
  }
  const auto arguments = pointers(command);
  const int output = ::open(output_file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  pid_ = ::fork();
  if (pid_ == 0) become(arguments, options, output);
  ::close(output);
  if (pid_ < 0) throw std::runtime_error("fork failed");
  ::setpgid(pid_, pid_);
}

PeerProcess::~PeerProcess() {
  if (!over_) {
    ::kill(-pid_, SIGCONT);
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove(output_file_, ignored);
}

bool PeerProcess::running() { return wait(std::chrono::milliseconds(0)) == -1; }

int PeerProcess::wait(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (!over_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      over_ = true;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (Clock::now() >= end) {
      return -1;
    } else {
      std::this_thread::sleep_for(kLook);
    }
  }
  return status_;
}

void PeerProcess::signal(int number) const {
  if (!over_) ::kill(pid_, number);
}

std::string PeerProcess::output() const {
  std::ifstream in(output_file_);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool PeerProcess::wait_for_output(const std::string& text, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (output().find(text) == std::string::npos) {
    if (Clock::now() >= end || !running()) return output().find(text) != std::string::npos;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

Finished run_program(const std::vector<std::string>& command, std::chrono::milliseconds limit) {
  PeerProcess process(command);
  Finished finished;
  finished.status = process.wait(limit);
  finished.output = process.output();
  return finished;
}

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::string folder;
  while (std::getline(folders, folder, ':'))
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

bool wait_for_port(int port, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  do {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    const bool there = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    if (there) return true;
    std::this_thread::sleep_for(kLook);
  } while (Clock::now() < end);
  return false;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "firstlight-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace firstlight::peers
