#include "lab/transports/exec_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstdlib>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "lab/transports/io_thread.h"

namespace firstlight {

namespace {

constexpr std::size_t kMostWords = 2000;
constexpr Duration kLook{2'000'000'000};
constexpr int kLooks = 50;

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string find_program(const std::string& name, const std::string& folder) {
  if (name.empty()) return {};
  if (name.front() == '/') return is_program(name) ? name : std::string();
  const std::string local = folder + "/" + name;
  if (is_program(local)) return local;
  if (name.find('/') != std::string::npos) return {};
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string one; std::getline(folders, one, ':');)
    if (is_program(one + "/" + name)) return one + "/" + name;
  return {};
}

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

/// What the child is given: the three pipes, its folder, a process group of its own and the signals of a fresh program.
class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none{};
    sigset_t pipe{};
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &pipe);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  void give(const FileDescriptor& from, int as) { posix_spawn_file_actions_adddup2(&actions_, from.get(), as); }

  int run(const ExecCommand& command) {
    posix_spawn_file_actions_addchdir_np(&actions_, command.folder.c_str());
    std::vector<std::string> words = {command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int pid = -1;
    const int error =
        ::posix_spawn(&pid, command.program.c_str(), &actions_, &attributes_, arguments.data(), ::environ);
    if (error != 0) throw std::system_error(error, std::generic_category());
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

/// Keeps the end of what comes from standard error, so that a talkative program never blocks on it.
class ExecProcess::LastWords : public std::enable_shared_from_this<LastWords> {
 public:
  LastWords(FileDescriptor from, IoThread& io) : context_(io.context()), from_(context_) {
    from_.assign(from.get());
    from.release();
  }
  void listen() {
    from_.async_read_some(boost::asio::buffer(chunk_), [self = shared_from_this()](const auto& error, std::size_t n) {
      if (self->take(n, static_cast<bool>(error))) self->listen();
    });
  }
  /// The Asio object belongs to the IoThread from `listen` on.
  void stop() {
    boost::asio::post(context_, [self = shared_from_this()] {
      boost::system::error_code ignored;
      self->from_.close(ignored);
    });
  }
  bool over() {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  bool take(std::size_t count, bool over) {
    const std::lock_guard lock(mutex_);
    text_.append(chunk_.data(), count);
    if (text_.size() > kMostWords) text_.erase(0, text_.size() - kMostWords);
    over_ = over;
    return !over;
  }

  boost::asio::io_context& context_;
  boost::asio::posix::stream_descriptor from_;
  std::array<char, 1024> chunk_{};
  std::mutex mutex_;
  std::string text_;
  bool over_ = false;
};

ExecCommand parse_exec(const std::string& text, const std::string& folder) {
  ExecCommand command;
  command.folder = folder.empty() ? "." : folder;
  std::istringstream words(text);
  std::string word;
  if (words >> std::quoted(word)) command.program = find_program(word, command.folder);
  while (words >> std::quoted(word)) command.arguments.push_back(word);
  return command;
}

ExecProcess::ExecProcess(const ExecCommand& command, IoThread& io) {
  Pipe in;
  Pipe out;
  Pipe err;
  Spawn spawn;
  spawn.give(in.read, STDIN_FILENO);
  spawn.give(out.write, STDOUT_FILENO);
  spawn.give(err.write, STDERR_FILENO);
  pid_ = spawn.run(command);
  input_ = std::move(in.write);
  output_ = std::move(out.read);
  last_words_ = std::make_shared<LastWords>(std::move(err.read), io);
  last_words_->listen();
}

ExecProcess::~ExecProcess() {
  last_words_->stop();
  ::kill(-pid_, SIGKILL);
  if (over()) return;
  // It dies in its own time; nobody waits for that but the kernel's table of processes.
  std::thread([pid = pid_] { ::waitpid(pid, nullptr, 0); }).detach();
}

bool ExecProcess::over() {
  if (!reaped_) reaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return reaped_;
}

std::string ExecProcess::epitaph(BenchTime& time) {
  for (int looks = 0; looks < kLooks && !(over() && last_words_->over()); ++looks) time.sleep(kLook);
  std::string text = !over()                ? "the program closed its output but runs on"
                     : WIFSIGNALED(status_) ? fmt::format("the program was killed by signal {}", WTERMSIG(status_))
                                            : fmt::format("the program ended with status {}", WEXITSTATUS(status_));
  std::string words = last_words_->text();
  while (!words.empty() && words.back() == '\n') words.pop_back();
  if (!words.empty()) text += fmt::format(" and said: {}", words);
  return text;
}

}  // namespace firstlight
