#include "tests/peers/qemu_pmbus/qmp.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace firstlight::peers {

namespace {

constexpr timeval kLimit{5, 0};

}  // namespace

Qmp::Qmp(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("the path of the QMP socket is too long");
  std::copy(path.begin(), path.end(), address.sun_path);
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("QEMU's QMP socket does not answer");
  read_line();  // its greeting
  ask(R"({"execute": "qmp_capabilities"})");
}

Qmp::~Qmp() { ::close(socket_); }

std::string Qmp::read_line() {
  while (received_.find('\n') == std::string::npos) {
    char buffer[4096];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) throw std::runtime_error("QEMU closed its QMP socket, or was silent for 5 s");
    received_.append(buffer, static_cast<std::size_t>(count));
  }
  const std::size_t end = received_.find('\n');
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

std::string Qmp::ask(const std::string& command) {
  const std::string line = command + "\n";
  if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("QEMU does not take a QMP command");
  while (true) {
    const nlohmann::json answer = nlohmann::json::parse(read_line());
    if (answer.contains("event")) continue;
    if (answer.contains("return")) return answer["return"].dump();
    throw std::runtime_error("QEMU refuses " + command + ": " + answer.dump());
  }
}

void Qmp::set(const std::string& device, const std::string& property, std::int64_t value) {
  ask(nlohmann::json{{"execute", "qom-set"},
                     {"arguments", {{"path", device}, {"property", property}, {"value", value}}}}
          .dump());
}

std::int64_t Qmp::get(const std::string& device, const std::string& property) {
  const nlohmann::json command{{"execute", "qom-get"}, {"arguments", {{"path", device}, {"property", property}}}};
  return std::stoll(ask(command.dump()));
}

}  // namespace firstlight::peers
