#include "tests/instruments/rpc_supply.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace firstlight::instruments {

namespace {

constexpr std::uint32_t kPortmapper = 100000;
constexpr std::uint32_t kCore = 0x0607af;
constexpr std::uint32_t kGetPort = 3;
constexpr std::uint32_t kCreateLink = 10;
constexpr std::uint32_t kWrite = 11;
constexpr std::uint32_t kRead = 12;
constexpr std::uint32_t kDestroyLink = 23;
constexpr std::uint32_t kIoTimeout = 15;
constexpr std::uint32_t kEnd = 4;  // why a read ended: the message did

void put(std::string& out, std::uint32_t value) {
  const std::uint32_t wire = htonl(value);
  out.append(reinterpret_cast<const char*>(&wire), sizeof wire);
}

void put(std::string& out, const std::string& opaque) {
  put(out, static_cast<std::uint32_t>(opaque.size()));
  out += opaque;
  out.append((4 - opaque.size() % 4) % 4, '\0');
}

bool wait_for(int descriptor, int stop) {
  std::array<pollfd, 2> both{{{descriptor, POLLIN, 0}, {stop, POLLIN, 0}}};
  return ::poll(both.data(), both.size(), -1) > 0 && both[1].revents == 0;
}

bool receive(int socket, int stop, char* into, std::size_t count) {
  while (count > 0) {
    if (!wait_for(socket, stop)) return false;
    const ssize_t got = ::recv(socket, into, count, 0);
    if (got <= 0) return false;
    into += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

/// The portmapper's answer: a number in version 2 (RFC 1833, 3.2), a text after that (2.2.1: "127.0.0.1.19.161").
void tell_port(std::string& reply, std::uint32_t version, std::uint16_t port) {
  if (version == 2)
    put(reply, port);
  else
    put(reply, "127.0.0.1." + std::to_string(port >> 8U) + "." + std::to_string(port & 0xffU));
}

FileDescriptor listen_at(std::uint16_t& port) {
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), raw, size) != 0 || ::listen(listener.get(), 4) != 0)
    throw std::runtime_error("cannot listen at port " + std::to_string(port) + ": " + std::strerror(errno));
  ::getsockname(listener.get(), raw, &size);
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

/// An RPC call (RFC 5531), read from the front.
class RpcSupply::Call {
 public:
  explicit Call(std::string bytes) : bytes_(std::move(bytes)) {
    id = number();
    number();  // a call
    number();  // RPC version
    program = number();
    version = number();
    procedure = number();
    for (int i = 0; i < 2; ++i) {  // credentials, verifier
      number();
      opaque();
    }
  }
  std::uint32_t number() {
    std::uint32_t wire = 0;
    if (at_ + sizeof wire > bytes_.size()) throw std::runtime_error("a call is cut off");
    std::memcpy(&wire, bytes_.data() + at_, sizeof wire);
    at_ += sizeof wire;
    return ntohl(wire);
  }
  std::string opaque() {
    const std::size_t size = number();
    std::string text = bytes_.substr(at_, size);
    at_ += (size + 3) / 4 * 4;
    return text;
  }
  std::uint32_t id = 0;
  std::uint32_t program = 0;
  std::uint32_t version = 0;
  std::uint32_t procedure = 0;

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

RpcSupply::RpcSupply() : stop_(::eventfd(0, EFD_CLOEXEC)) {
  std::uint16_t well_known = 111;
  portmapper_ = listen_at(well_known);
  core_ = listen_at(core_port_);
  portmapper_thread_ = std::thread([this] { serve(portmapper_.get(), true); });
  core_thread_ = std::thread([this] { serve(core_.get(), false); });
}

RpcSupply::~RpcSupply() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(stop_.get(), &one, sizeof one);
  portmapper_thread_.join();
  core_thread_.join();
}

void RpcSupply::serve(int listener, bool portmapper) {
  while (wait_for(listener, stop_.get())) {
    const FileDescriptor client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    std::uint32_t mark = 0;
    while (client && receive(client.get(), stop_.get(), reinterpret_cast<char*>(&mark), sizeof mark)) {
      std::string bytes(ntohl(mark) & 0x7fffffffU, '\0');
      if (!receive(client.get(), stop_.get(), bytes.data(), bytes.size())) break;
      Call call(std::move(bytes));
      std::string reply;
      for (const std::uint32_t word : {call.id, 1U, 0U, 0U, 0U, 0U}) put(reply, word);
      if (portmapper && call.program == kPortmapper && call.procedure == kGetPort)
        tell_port(reply, call.version, core_port_);
      else if (!portmapper && call.program == kCore)
        reply += carry_out(call);
      std::string record;
      put(record, 0x80000000U | static_cast<std::uint32_t>(reply.size()));
      record += reply;
      ::send(client.get(), record.data(), record.size(), MSG_NOSIGNAL);
    }
  }
}

std::string RpcSupply::carry_out(Call& call) {
  std::string result;
  if (call.procedure == kCreateLink) {
    ++links_;
    for (const std::uint32_t word : {0U, 1U, 0U, 65536U}) put(result, word);
  } else if (call.procedure == kWrite) {
    for (int skipped = 0; skipped < 4; ++skipped) call.number();  // link, limits, flags
    std::string message = call.opaque();
    const std::size_t size = message.size();
    while (!message.empty() && message.back() == '\n') message.pop_back();
    const std::string answer = supply_.answer(message);
    output_ = answer.empty() ? std::string() : answer + "\n";
    put(result, 0);
    put(result, static_cast<std::uint32_t>(size));
  } else if (call.procedure == kRead) {
    result = read(call);
  } else if (call.procedure == kDestroyLink) {
    put(result, 0);
  }
  return result;
}

std::string RpcSupply::read(Call& call) {
  call.number();  // link
  call.number();  // size asked for
  const int limit_ms = static_cast<int>(call.number());
  std::string result;
  if (silent_ || output_.empty()) {
    pollfd stop{stop_.get(), POLLIN, 0};
    ::poll(&stop, 1, limit_ms);
    put(result, kIoTimeout);
    put(result, 0);
    put(result, std::string());
    return result;
  }
  put(result, 0);
  put(result, kEnd);
  put(result, output_);
  output_.clear();
  return result;
}

std::string enter_own_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
    return std::string("no network namespace: ") + std::strerror(errno);
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0)
    return std::string("the loopback interface does not come up: ") + std::strerror(errno);
  return {};
}

}  // namespace firstlight::instruments
