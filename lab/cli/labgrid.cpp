#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>

#include "lab/cli/lease.h"
#include "lab/core/failure.h"

namespace firstlight::cli {

namespace {

constexpr auto kAnswer = std::chrono::seconds(15);

[[noreturn]] void refuse(const LabgridPlan& plan, const std::string& symptom, const std::string& message,
                         const std::string& received, const std::string& cause) {
  throw FailureError({ErrorClass::infrastructure, symptom, message, "labgrid place " + plan.place,
                      "labgrid-client -p " + plan.place + " show", received, cause});
}

struct Answer {
  int status = -1;
  std::string text;
};

/// What a program prints on both its outputs, within the time.
Answer run(const std::vector<std::string>& words, const std::string& coordinator) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t files{};
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (auto& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Before version 24 the coordinator is a WAMP router, by a URL; then it is HOST:PORT by gRPC.
  std::vector<std::string> variables = {"LG_CROSSBAR=ws://" + coordinator + "/ws", "LG_COORDINATOR=" + coordinator};
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  environment.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  Answer answer;
  if (error != 0) answer.text = std::strerror(error);
  const auto until = std::chrono::steady_clock::now() + kAnswer;
  std::array<char, 4096> buffer{};
  while (error == 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{ends[0], POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) {
      ::kill(pid, SIGKILL);
      answer.text += "(no answer in time)";
      break;
    }
    const ssize_t n = ::read(ends[0], buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    answer.text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  if (error == 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  return answer;
}

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \t\r\n'\"");
  const auto to = text.find_last_not_of(" \t\r\n'\"");
  return from == std::string::npos ? std::string() : text.substr(from, to - from + 1);
}

/// labgrid-client prints "  acquired: host/user", or "acquired: None".
std::string acquired_by(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::string plain = trimmed(line);
    constexpr std::string_view kKey = "acquired:";
    if (plain.compare(0, kKey.size(), kKey) != 0) continue;
    const std::string who = trimmed(plain.substr(kKey.size()));
    return who == "None" ? std::string() : who;
  }
  return {};
}

/// As labgrid-client names itself.
std::string our_name() {
  const auto or_else = [](const char* variable, const std::string& other) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::string(value) : other;
  };
  const std::string who = myself(Holder::Kind::person).who;
  const auto at = who.find('@');
  return or_else("LG_HOSTNAME", who.substr(at + 1)) + "/" + or_else("LG_USERNAME", who.substr(0, at));
}

}  // namespace

void check_labgrid(const LabgridPlan& plan) {
  const Answer answer = run({"labgrid-client", "-p", plan.place, "show"}, plan.coordinator);
  if (answer.status != 0)
    refuse(plan, "labgrid_unknown",
           fmt::format("labgrid-client cannot tell who has place \"{}\" of {}", plan.place, plan.coordinator),
           trimmed(answer.text),
           answer.status < 0 ? "labgrid-client is not installed, or the coordinator does not answer"
                             : "the coordinator does not know the place, or is not there");
  const std::string who = acquired_by(answer.text);
  const std::string us = our_name();
  if (who.empty())
    refuse(plan, "labgrid_not_acquired", fmt::format("labgrid place \"{}\" is not acquired", plan.place), "",
           fmt::format("labgrid-client -p {} acquire", plan.place));
  if (who != us)
    refuse(plan, "labgrid_not_ours",
           fmt::format("labgrid place \"{}\" is acquired by {}, not by {}", plan.place, who, us), who,
           "ask them, or wait");
}

}  // namespace firstlight::cli
