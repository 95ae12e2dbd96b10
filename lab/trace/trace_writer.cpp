#include "lab/trace/trace_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "lab/core/failure.h"
#include "lab/runner/line_file.h"
#include "lab/trace/names.h"

namespace firstlight::trace {

std::string_view name_of(Kind kind) { return text_of(kind); }

/// The two files. Writing throws FailureError.
class TraceWriter::Files {
 public:
  explicit Files(const std::string& folder) : lines(folder + "/bus.jsonl"), path_(folder + "/bus.bin") {
    constexpr int kMode = 0644;
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
    if (file_ < 0) fail("cannot create");
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { ::close(file_); }

  /// Where the bytes stand in bus.bin.
  std::uint64_t keep(const std::vector<std::uint8_t>& bytes) {
    const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto [found, is_new] = known_.try_emplace(std::hash<std::string_view>{}(view) ^ bytes.size(), size_);
    if (is_new) append(bytes);
    return found->second;
  }

  LineFile lines;

 private:
  void append(const std::vector<std::uint8_t>& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(file_, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("cannot write to");
      done += static_cast<std::size_t>(n);
    }
    size_ += bytes.size();
  }
  [[noreturn]] void fail(const std::string& what) const {
    const std::string reason = std::strerror(errno);
    throw FailureError({ErrorClass::infrastructure, "record_write_failed", what + " " + path_ + ": " + reason, "disk",
                        "", "", "permissions, a full disk, or a folder that went away"});
  }

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  // 64 bits of hash: two of a million payloads meet once in ten million runs.
  std::unordered_map<std::uint64_t, std::uint64_t> known_;
};

/// One transaction as a line of JSON. By hand, since a run has tens of thousands.
class TraceWriter::Formatter {
 public:
  Formatter(const Transaction& transaction, Files& files) : files_(files) {
    add(R"({{"n":{},"t":{},"d":{})", transaction.number, transaction.start.time_since_epoch().count(),
        transaction.took.count());
    if (transaction.allowed) add(R"(,"allowed":{})", transaction.allowed->count());
    add(R"(,"by":)");
    text(transaction.by);
    add(R"(,"on":)");
    text(transaction.resource);
    if (transaction.cut_off) add(R"(,"cut_off":true)");
    std::visit([this](const auto& access) { put(access); }, transaction.access);
    add("}}");
  }
  std::string take() { return std::move(line_); }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(line_), form, std::forward<Arguments>(arguments)...);
  }
  void text(std::string_view value) {
    line_ += '"';
    for (const char c : value) {
      const auto code = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        line_ += '\\';
        line_ += c;
      } else if (c == '\n') {
        line_ += "\\n";
      } else if (c == '\r') {
        line_ += "\\r";
      } else if (code < 0x20 || code > 0x7e) {
        add("\\u{:04x}", code);  // bytes as the code points of the same number
      } else {
        line_ += c;
      }
    }
    line_ += '"';
  }
  void named(std::string_view name, std::string_view value) {
    add(R"(,"{}":)", name);
    text(value);
  }
  template <class Bytes>
  void hex(std::string_view name, const Bytes& bytes) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    add(R"(,"{}":")", name);
    for (const std::uint8_t byte : bytes) {
      line_ += kDigits[byte >> 4U];
      line_ += kDigits[byte & 15U];
    }
    line_ += '"';
  }
  void payload(const std::vector<std::uint8_t>& bytes) {
    if (bytes.size() <= kInlineBytes) return hex("bytes", bytes);
    add(R"(,"at":{},"count":{})", files_.keep(bytes), bytes.size());
  }
  void words(std::string_view name, const std::vector<std::uint16_t>& values) {
    add(R"(,"{}":[{}])", name, fmt::join(values, ","));
  }
  template <class Result>
  void outcome(const Result& result) {
    if (result.status != decltype(result.status)::ok) add(R"(,"status":"{}")", text_of(result.status));
    if (!result.detail.empty()) named("detail", result.detail);
  }
  void op(std::string_view name) { add(R"(,"op":"{}")", name); }

  void put(const Open& open) {
    op("open");
    add(R"(,"kind":"{}")", text_of(open.kind));
    if (open.size != 0) add(R"(,"base":"0x{:x}","size":"0x{:x}")", open.base, open.size);
  }
  void put(const I2cTransfer& access) {
    op("i2c");
    add(R"(,"address":"0x{:02x}","messages":[)", access.address);
    bool first = true;
    for (const I2cMessage& message : access.messages) {
      if (!first) line_ += ',';
      first = false;
      if (message.read == 0 && !message.block) {
        add(R"({{"write":"{:02x}")", fmt::join(message.write, ""));
      } else if (message.block) {
        add(R"({{"read_block":{},"extra":{})", message.read, message.extra);
      } else {
        add(R"({{"read":{})", message.read);
      }
      line_ += message.pec ? R"(,"pec":true})" : "}";
    }
    line_ += ']';
    outcome(access.result);
    hex("data", access.result.data);
    add(R"(,"acknowledged":{})", access.result.acknowledged);
  }
  void put(const I2cRecovery& access) {
    op("i2c_recover");
    add(R"(,"freed":{})", access.freed);
  }
  void put(const RegisterRead& access) {
    op("read");
    add(R"(,"address":"0x{:06x}")", access.address);
    outcome(access.result);
    add(R"(,"data":"0x{:08x}")", access.result.data);
  }
  void put(const RegisterWrite& access) {
    op("write");
    add(R"(,"address":"0x{:06x}","value":"0x{:08x}")", access.address, access.value);
    outcome(access.result);
  }
  void put(const MemoryRead& access) {
    op("memory_read");
    add(R"(,"offset":"0x{:x}")", access.offset);
    payload(access.bytes);
  }
  void put(const MemoryWrite& access) {
    op("memory_write");
    add(R"(,"offset":"0x{:x}")", access.offset);
    payload(access.bytes);
  }
  void put(const MemoryBarrier&) { op("memory_barrier"); }
  void put(const StreamWrite& access) {
    op("stream_write");
    named("bytes", access.bytes);
    outcome(access.result);
  }
  void put(const StreamRead& access) {
    op("stream_read");
    if (access.terminator) named("until", {&*access.terminator, 1});
    if (!access.terminator) add(R"(,"exactly":{})", access.count);
    outcome(access.result);
    named("data", access.result.data);
  }
  void put(const StreamDrain& access) {
    op("stream_drain");
    named("data", access.bytes);
  }
  void put(const StreamReopen& access) {
    op("stream_reopen");
    outcome(access.result);
  }
  void put(const LineGet& access) {
    op("line_get");
    named("line", access.line);
    if (access.level) add(R"(,"level":{})", *access.level ? 1 : 0);
    if (!access.detail.empty()) named("detail", access.detail);
  }
  void put(const LineSet& access) {
    op("line_set");
    named("line", access.line);
    add(R"(,"level":{},"done":{})", access.level ? 1 : 0, access.done);
    if (!access.detail.empty()) named("detail", access.detail);
  }
  void put(const HwmonRead& access) {
    op("hwmon_read");
    named("attribute", access.attribute);
    outcome(access.result);
    add(R"(,"value":{})", access.result.value);
  }
  void put(const IpmiCommand& access) {
    op("ipmi");
    add(R"(,"net_fn":{},"command":{})", access.net_fn, access.command);
    hex("request", access.data);
    outcome(access.result);
    add(R"(,"completion":{})", access.result.completion);
    hex("data", access.result.data);
  }
  void put(const HttpRequest& access) {
    op("http");
    named("method", access.method);
    named("path", access.path);
    named("body", access.body);
    outcome(access.result);
    add(R"(,"code":{})", access.result.code);
    named("data", access.result.body);
  }
  void put(const ModbusRead& access) {
    op("modbus_read");
    add(R"(,"unit":{},"table":"{}","address":{},"count":{})", access.unit, text_of(access.table), access.address,
        access.count);
    outcome(access.result);
    if (access.result.exception != 0) add(R"(,"exception":{})", access.result.exception);
    words("data", access.result.data);
  }
  void put(const ModbusWrite& access) {
    op("modbus_write");
    add(R"(,"unit":{},"table":"{}","address":{})", access.unit, text_of(access.table), access.address);
    words("values", access.values);
    outcome(access.result);
    if (access.result.exception != 0) add(R"(,"exception":{})", access.result.exception);
  }

  Files& files_;
  std::string line_;
};

TraceWriter::TraceWriter(const std::string& folder) : files_(std::make_unique<Files>(folder)) {}
TraceWriter::~TraceWriter() = default;

void TraceWriter::write(const Transaction& transaction) {
  if (!trouble_.empty()) return;
  try {
    files_->lines.write(Formatter(transaction, *files_).take());
  } catch (const FailureError& error) {
    trouble_ = error.failure().message;
  }
}

}  // namespace firstlight::trace
