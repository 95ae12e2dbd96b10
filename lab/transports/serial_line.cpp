#include "lab/transports/serial_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/serial_port_base.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <regex>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/blocking_thread.h"
#include "lab/transports/fd_stream.h"

namespace firstlight {

namespace {

namespace fs = std::filesystem;
using boost::asio::serial_port_base;

struct Opened {
  FileDescriptor line;
  std::string problem;
  bool refused_settings = false;
};

serial_port_base::parity parity_of(const std::string& name) {
  return serial_port_base::parity(name == "even"  ? serial_port_base::parity::even
                                  : name == "odd" ? serial_port_base::parity::odd
                                                  : serial_port_base::parity::none);
}

serial_port_base::flow_control handshake_of(const std::string& name) {
  return serial_port_base::flow_control(name == "rts_cts"    ? serial_port_base::flow_control::hardware
                                        : name == "xon_xoff" ? serial_port_base::flow_control::software
                                                             : serial_port_base::flow_control::none);
}

/// @return what cannot be had, or an empty text
std::string apply(const SerialSettings& settings, termios& line) {
  boost::system::error_code error;
  ::cfmakeraw(&line);
  serial_port_base::baud_rate(static_cast<unsigned>(settings.baud)).store(line, error);
  if (error) return fmt::format("no serial line has a baud rate of {}", settings.baud);
  serial_port_base::character_size(static_cast<unsigned>(settings.data_bits)).store(line, error);
  parity_of(settings.parity).store(line, error);
  serial_port_base::stop_bits(settings.stop_bits == 2 ? serial_port_base::stop_bits::two
                                                      : serial_port_base::stop_bits::one)
      .store(line, error);
  handshake_of(settings.handshake).store(line, error);
  // Closing must not pull DTR down: some instruments take that for a reset.
  line.c_cflag &= ~static_cast<tcflag_t>(HUPCL);
  line.c_cflag |= CLOCAL | CREAD;
  line.c_cc[VMIN] = 1;  // otherwise "nothing yet" reads like the end
  line.c_cc[VTIME] = 0;
  return {};
}

Opened open_line(const std::string& device, const SerialSettings& settings) {
  Opened opened;
  // Without O_NONBLOCK, opening waits for a modem's carrier. Nor is the line taken exclusively: whoever makes the bench
  // safe after us has it open as well.
  opened.line.reset(::open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  termios line{};
  if (!opened.line || ::tcgetattr(opened.line.get(), &line) != 0) {
    opened.problem = errno == ENOTTY ? "it is no serial line" : std::strerror(errno);
    return opened;
  }
  opened.problem = apply(settings, line);
  opened.refused_settings = !opened.problem.empty();
  if (opened.problem.empty() && ::tcsetattr(opened.line.get(), TCSANOW, &line) != 0)
    opened.problem = std::strerror(errno);
  return opened;
}

std::string likely_cause(const std::string& device) {
  std::error_code ignored;
  if (fs::exists(device, ignored))
    return "another program holds the line, or this user may not use it: join the group dialout";
  std::vector<std::string> there;
  for (const auto& entry : fs::directory_iterator("/dev/serial/by-id", ignored)) there.push_back(entry.path().string());
  std::sort(there.begin(), there.end());
  return fmt::format("the adapter is not plugged in, or has no power (is it powered by the DUT?); there {}",
                     there.empty() ? std::string("is no USB serial adapter at this machine now")
                                   : fmt::format("are now: {}", fmt::join(there, ", ")));
}

FdStream::Ends connect(const ResourcePlan& resource, const std::string& device, Instant deadline, BenchTime& time) {
  // A USB adapter that hangs holds up its settings for seconds.
  BlockingThread opener(time);
  auto opened = opener.call<Opened>(
      [device, settings = serial_settings(resource.params)] { return open_line(device, settings); }, deadline);
  if (opened && opened->problem.empty()) return {std::move(opened->line), FileDescriptor()};
  const std::string problem = opened ? opened->problem : "opening it did not end in time";
  const bool of_bench = opened && opened->refused_settings;
  throw FailureError({of_bench ? ErrorClass::bench : ErrorClass::infrastructure, "connect_failed",
                      fmt::format("\"{}\" at {} cannot be opened: {}", resource.name, resource.address, problem),
                      resource.name, "open " + device, problem,
                      of_bench ? "a parameter of the resource in the bench file" : likely_cause(device)});
}

}  // namespace

SerialSettings serial_settings(const Value::Map& params) {
  SerialSettings settings;
  const auto with = [&](const char* name, auto use) {
    const auto found = params.find(name);
    if (found != params.end() && found->second.is_set()) use(found->second);
  };
  with("baud", [&](const Value& v) { settings.baud = static_cast<int>(v.integer()); });
  with("data_bits", [&](const Value& v) { settings.data_bits = static_cast<int>(v.integer()); });
  with("parity", [&](const Value& v) { settings.parity = v.text(); });
  with("stop_bits", [&](const Value& v) { settings.stop_bits = static_cast<int>(v.integer()); });
  with("handshake", [&](const Value& v) { settings.handshake = v.text(); });
  return settings;
}

std::vector<std::string> stable_serial_names(const std::string& device, const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path target = fs::weakly_canonical(device, error);
  for (const char* kind : {"by-id", "by-path"})
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / kind, error))
      if (fs::weakly_canonical(entry.path(), error) == target) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

void refuse_numbered_serial(const ResourcePlan& resource, const std::string& device, const std::string& folder) {
  static const std::regex numbered("(.*/)?tty(USB|ACM)[0-9]+");
  if (!std::regex_match(device, numbered)) return;
  const auto names = stable_serial_names(device, folder);
  throw FailureError(
      {ErrorClass::bench, "numbered_serial",
       fmt::format("{}:{}: \"{}\" is at {}, a number that changes when adapters are plugged in again; {}",
                   resource.where.file, resource.where.line, resource.name, device,
                   names.empty() ? std::string("name the adapter by a link below /dev/serial/by-id (it has none now)")
                                 : fmt::format("write serial:{}", fmt::join(names, " or serial:"))),
       resource.name, "", "", "the bench file names a serial adapter by its number instead of its identity"});
}

std::unique_ptr<ByteStream> open_serial_stream(const ResourcePlan& resource, const std::string& device,
                                               OpenContext& context) {
  refuse_numbered_serial(resource, device);
  FdStream::Options options;
  options.name = resource.address;
  options.connect = [resource, device, &time = context.time](Instant deadline) {
    return connect(resource, device, deadline, time);
  };
  auto stream = std::make_unique<FdStream>(std::move(options), context.time, context.io);
  stream->connect(context.time.now() + kConnectTimeout);
  return stream;
}

}  // namespace firstlight
