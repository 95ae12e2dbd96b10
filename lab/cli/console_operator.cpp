#include "lab/cli/console_operator.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace firstlight::cli {

namespace {

/// One line from the terminal, or nothing when none came within a short time. `open` becomes false at its end.
std::optional<std::string> read_line(bool& open) {
  constexpr int kMilliseconds = 200;
  pollfd in{STDIN_FILENO, POLLIN, 0};
  if (::poll(&in, 1, kMilliseconds) <= 0) return {};
  std::array<char, 1024> buffer{};
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n <= 0) {
    open = false;
    return {};
  }
  std::string text(buffer.data(), static_cast<std::size_t>(n));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

ConsoleOperator::ConsoleOperator(std::ostream& out, std::function<void()> before)
    : out_(out), before_(std::move(before)) {}

std::optional<std::string> ConsoleOperator::ask(Scheduler& scheduler, const std::string& question,
                                                const std::vector<std::string>& choices, Instant deadline) {
  before_();
  std::string list;
  for (const auto& choice : choices) list += (list.empty() ? " [" : "/") + choice;
  if (!list.empty()) list += "]";
  out_ << "\n" << question << list << " " << std::flush;
  bool open = true;
  while (open && scheduler.now() < deadline) {
    std::optional<std::string> answer;
    scheduler.offload([&] { answer = read_line(open); });
    scheduler.sleep(Duration::zero());  // lets the others, and a cancellation, through
    if (!answer) continue;
    if (choices.empty() || std::find(choices.begin(), choices.end(), *answer) != choices.end()) return answer;
    before_();
    out_ << "please answer" << list << " " << std::flush;
  }
  return {};
}

}  // namespace firstlight::cli
