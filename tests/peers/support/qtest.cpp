#include "tests/peers/support/qtest.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <thread>

namespace firstlight::peers {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kStart = std::chrono::seconds(15);
constexpr int kAnswerMs = 5000;

int connect_to(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  ::close(socket);
  return -1;
}

std::uint64_t number(const std::string& text) { return std::stoull(text, nullptr, 16); }

}  // namespace

QtestMachine::QtestMachine(std::vector<std::string> command) {
  const std::string path = folder_ / "qtest";
  for (const std::string& option :
       {std::string("-qtest"), "unix:" + path + ",server=on,wait=off", std::string("-qtest-log"), std::string("none"),
        std::string("-display"), std::string("none")})
    command.push_back(option);
  // Not every target is built with the accelerator that runs no processor at all; one that stands still does as well.
  if (std::find(command.begin(), command.end(), "-accel") == command.end())
    command.insert(command.end(), {"-accel", "qtest"});
  qemu_ = std::make_unique<PeerProcess>(command);
  const auto end = Clock::now() + kStart;
  while ((socket_ = connect_to(path)) < 0) {
    if (!qemu_->running() || Clock::now() >= end) throw std::runtime_error("QEMU: " + qemu_->output());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

QtestMachine::~QtestMachine() {
  if (socket_ >= 0) ::close(socket_);
}

std::string QtestMachine::read_line() {
  while (received_.find('\n') == std::string::npos) {
    pollfd ready{socket_, POLLIN, 0};
    std::array<char, 4096> bytes{};
    const ssize_t count =
        ::poll(&ready, 1, kAnswerMs) == 1 ? ::recv(socket_, bytes.data(), bytes.size(), 0) : ssize_t{-1};
    if (count <= 0) throw std::runtime_error("QEMU does not answer; it said: " + qemu_->output());
    received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const auto end = received_.find('\n');
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::string QtestMachine::ask(const std::string& command) {
  const std::string line = command + "\n";
  if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("QEMU is gone; it said: " + qemu_->output());
  std::string answer = read_line();
  while (answer.rfind("IRQ ", 0) == 0) answer = read_line();
  if (answer.rfind("OK", 0) != 0)
    throw std::runtime_error(fmt::format("QEMU answered \"{}\" to \"{}\"", answer, command));
  return answer.size() > 3 ? answer.substr(3) : std::string();
}

std::uint32_t QtestMachine::read32(std::uint64_t address) {
  return static_cast<std::uint32_t>(number(ask(fmt::format("readl 0x{:x}", address))));
}
void QtestMachine::write32(std::uint64_t address, std::uint32_t value) {
  ask(fmt::format("writel 0x{:x} 0x{:x}", address, value));
}
std::uint32_t QtestMachine::in32(std::uint16_t port) {
  return static_cast<std::uint32_t>(number(ask(fmt::format("inl 0x{:x}", port))));
}
void QtestMachine::out32(std::uint16_t port, std::uint32_t value) {
  ask(fmt::format("outl 0x{:x} 0x{:x}", port, value));
}

std::vector<std::uint8_t> QtestMachine::read(std::uint64_t address, std::size_t count) {
  std::vector<std::uint8_t> bytes;
  if (count == 0) return bytes;
  const std::string hex = ask(fmt::format("read 0x{:x} 0x{:x}", address, count)).substr(2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

void QtestMachine::write(std::uint64_t address, const std::uint8_t* data, std::size_t count) {
  if (count == 0) return;
  std::string hex;
  for (std::size_t i = 0; i < count; ++i) hex += fmt::format("{:02x}", data[i]);
  ask(fmt::format("write 0x{:x} 0x{:x} 0x{}", address, count, hex));
}

void QtestMachine::step(std::chrono::nanoseconds time) { ask(fmt::format("clock_step {}", time.count())); }

}  // namespace firstlight::peers
