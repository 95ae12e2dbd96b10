#include "lab/transports/agent/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "lab/transports/agent/protocol.h"
#include "lab/transports/agent/remote.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

using Kind = Connection::Answer::Kind;

class AgentI2c final : public I2cBus {
 public:
  explicit AgentI2c(Remote remote) : remote_(std::move(remote)) {}

  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
    json parts = json::array();
    for (const I2cMessage& one : messages)
      parts.push_back({bytes_of(one.write.data(), one.write.size()), one.read, one.block, one.extra, one.pec});
    const auto answer = remote_.ask("i2c.transfer", {{"address", address}, {"messages", std::move(parts)}}, deadline);
    I2cResult result;
    if (answer.kind != Kind::answered) {
      result.status = Remote::status_of(answer.kind, I2cStatus::timeout, I2cStatus::io_error);
      result.detail = answer.detail;
      return result;
    }
    const json& got = *answer.content;
    result.status = Remote::status_of(got, I2cStatus::io_error, I2cStatus::io_error);
    result.data = bytes_in(got, "data");
    result.acknowledged = got.value("acknowledged", std::size_t{0});
    result.detail = got.value("detail", "");
    return result;
  }

  bool recover(Instant deadline) override {
    const auto answer = remote_.ask("i2c.recover", json::object(), deadline);
    return answer.kind == Kind::answered && answer.content->value("free", false);
  }
  std::string name() const override { return remote_.name(); }

 private:
  Remote remote_;
};

class AgentRegisters final : public RegisterBus {
 public:
  explicit AgentRegisters(Remote remote) : remote_(std::move(remote)) {}

  BusResult read(std::uint64_t address, Instant deadline) override {
    return result_of(remote_.ask("reg.read", {{"address", address}}, deadline));
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    return result_of(remote_.ask("reg.write", {{"address", address}, {"data", value}}, deadline));
  }
  std::string name() const override { return remote_.name(); }

 private:
  static BusResult result_of(const Connection::Answer& answer) {
    if (answer.kind != Kind::answered)
      return {Remote::status_of(answer.kind, BusStatus::timeout, BusStatus::io_error), 0, answer.detail};
    const json& got = *answer.content;
    return {Remote::status_of(got, BusStatus::io_error, BusStatus::io_error), got.value("data", 0U),
            got.value("detail", "")};
  }

  Remote remote_;
};

class AgentDmaMemory final : public DmaMemory {
 public:
  explicit AgentDmaMemory(Remote remote)
      : remote_(std::move(remote)),
        base_(remote_.opened().value("base", std::uint64_t{0})),
        size_(remote_.opened().value("size", std::uint64_t{0})) {}

  std::uint64_t base() const override { return base_; }
  std::uint64_t size() const override { return size_; }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
    check(offset, count);
    for (std::size_t done = 0; done < count;) {
      const std::size_t part = std::min(kMaxChunk, count - done);
      const json got = remote_.demand("mem.read", {{"offset", offset + done}, {"count", part}}, kWithin);
      const auto bytes = bytes_in(got, "data");
      if (bytes.size() != part)
        throw FailureError({ErrorClass::infrastructure, "agent_answer",
                            fmt::format("the agent sent {} of the {} bytes of {} that were asked for", bytes.size(),
                                        part, remote_.name()),
                            remote_.name(), "mem.read", "", "another version of the agent"});
      std::copy(bytes.begin(), bytes.end(), data + done);
      done += part;
    }
  }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
    check(offset, count);
    for (std::size_t done = 0; done < count;) {
      const std::size_t part = std::min(kMaxChunk, count - done);
      remote_.demand("mem.write", {{"offset", offset + done}, {"data", bytes_of(data + done, part)}}, kWithin);
      done += part;
    }
  }
  void barrier() override { remote_.demand("mem.barrier", json::object(), kWithin); }
  std::string name() const override { return remote_.name(); }

 private:
  static constexpr Duration kWithin = std::chrono::seconds(5);

  void check(std::uint64_t offset, std::size_t count) const {
    if (offset > size_ || count > size_ - offset)
      throw std::out_of_range(
          fmt::format("{} bytes at 0x{:x} are beyond the 0x{:x} bytes of {}", count, offset, size_, remote_.name()));
  }

  Remote remote_;
  std::uint64_t base_;
  std::uint64_t size_;
};

class AgentGpio final : public Gpio {
 public:
  explicit AgentGpio(Remote remote)
      : remote_(std::move(remote)), lines_(remote_.opened().value("lines", std::vector<std::string>{})) {}

  std::vector<std::string> lines() const override { return lines_; }
  std::optional<bool> get(const std::string& line, std::string* detail) override {
    const auto answer = remote_.ask("gpio.get", {{"line", line}}, remote_.time().now() + kWithin);
    if (answer.kind == Kind::answered && answer.content->contains("level"))
      return answer.content->value("level", false);
    tell(answer, detail);
    return std::nullopt;
  }
  bool set(const std::string& line, bool level, std::string* detail) override {
    const auto answer = remote_.ask("gpio.set", {{"line", line}, {"level", level}}, remote_.time().now() + kWithin);
    if (answer.kind == Kind::answered && answer.content->value("done", false)) return true;
    tell(answer, detail);
    return false;
  }
  std::string name() const override { return remote_.name(); }

 private:
  static constexpr Duration kWithin = std::chrono::seconds(2);

  static void tell(const Connection::Answer& answer, std::string* detail) {
    if (detail != nullptr)
      *detail = answer.kind == Kind::answered ? answer.content->value("detail", "") : answer.detail;
  }

  Remote remote_;
  std::vector<std::string> lines_;
};

class AgentHwmon final : public Hwmon {
 public:
  explicit AgentHwmon(Remote remote) : remote_(std::move(remote)) {}

  std::string chip() const override { return remote_.opened().value("chip", ""); }
  std::vector<std::string> attributes() const override {
    return remote_.opened().value("attributes", std::vector<std::string>{});
  }
  std::string label(const std::string& channel) const override {
    const auto labels = remote_.opened().find("labels");
    return labels == remote_.opened().end() ? std::string() : labels->value(channel, "");
  }
  HwmonResult read(const std::string& attribute, Instant deadline) override {
    const auto answer = remote_.ask("hwmon.read", {{"attribute", attribute}}, deadline);
    if (answer.kind != Kind::answered)
      return {Remote::status_of(answer.kind, HwmonStatus::timeout, HwmonStatus::io_error), 0, answer.detail};
    const json& got = *answer.content;
    return {Remote::status_of(got, HwmonStatus::io_error, HwmonStatus::io_error), got.value("value", std::int64_t{0}),
            got.value("detail", "")};
  }
  std::string name() const override { return remote_.name(); }

 private:
  Remote remote_;
};

class AgentStream final : public ByteStream {
 public:
  explicit AgentStream(Remote remote) : remote_(std::move(remote)) {}

  StreamResult write(std::string_view bytes, Instant deadline) override {
    return result_of(remote_.ask("stream.write", {{"data", bytes_of(bytes.data(), bytes.size())}}, deadline));
  }
  StreamResult read_until(char terminator, Instant deadline) override {
    return result_of(remote_.ask("stream.until", {{"terminator", static_cast<unsigned char>(terminator)}}, deadline));
  }
  StreamResult read_exactly(std::size_t count, Instant deadline) override {
    return result_of(remote_.ask("stream.exactly", {{"count", count}}, deadline));
  }
  std::string drain() override {
    const auto answer = remote_.ask("stream.drain", json::object(), remote_.time().now() + kDrainWithin);
    return answer.kind == Kind::answered ? text_in(*answer.content, "data") : std::string();
  }
  std::string name() const override { return remote_.name(); }

 private:
  static constexpr Duration kDrainWithin = std::chrono::seconds(2);

  static StreamResult result_of(const Connection::Answer& answer) {
    if (answer.kind == Kind::lost) return {StreamStatus::closed, {}, answer.detail};
    if (answer.kind != Kind::answered)
      return {Remote::status_of(answer.kind, StreamStatus::timeout, StreamStatus::io_error), {}, answer.detail};
    const json& got = *answer.content;
    return {Remote::status_of(got, StreamStatus::io_error, StreamStatus::io_error), text_in(got, "data"),
            got.value("detail", "")};
  }

  Remote remote_;
};

}  // namespace

std::unique_ptr<I2cBus> open_i2c(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                 const std::string& there) {
  return std::make_unique<AgentI2c>(Remote(std::move(agent), here, there));
}
std::unique_ptr<RegisterBus> open_registers(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                            const std::string& there) {
  return std::make_unique<AgentRegisters>(Remote(std::move(agent), here, there));
}
std::unique_ptr<DmaMemory> open_dma_memory(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                           const std::string& there) {
  return std::make_unique<AgentDmaMemory>(Remote(std::move(agent), here, there));
}
std::unique_ptr<Gpio> open_gpio(std::shared_ptr<Connection> agent, const ResourcePlan& here, const std::string& there) {
  return std::make_unique<AgentGpio>(Remote(std::move(agent), here, there));
}
std::unique_ptr<Hwmon> open_hwmon(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                  const std::string& there) {
  return std::make_unique<AgentHwmon>(Remote(std::move(agent), here, there));
}
std::unique_ptr<ByteStream> open_stream(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                        const std::string& there) {
  return std::make_unique<AgentStream>(Remote(std::move(agent), here, there));
}

}  // namespace firstlight::agent
