#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/agent/server.h"
#include "lab/core/failure.h"
#include "lab/transports/lab_provider.h"
#include "tests/peers/support/peer_process.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::agent::testing {

inline constexpr const char* kToken = "0123456789abcdef-right";

/// A host with one resource of each kind, whose answers say what was asked.
class Host final : public TransportProvider {
 public:
  explicit Host(BenchTime& time) : time_(time) {}

  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan& plan) override {
    ++opened[plan.name];
    return std::make_unique<Bus>(*this);
  }
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan& plan) override {
    ++opened[plan.name];
    if (bar_missing) throw FailureError({ErrorClass::infrastructure, "no_bar", "no device at 03:00.0", "", "", "", ""});
    return std::make_unique<Registers>(*this);
  }
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan&) override { return std::make_unique<Memory>(*this); }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan&) override { return std::make_unique<Lines>(); }
  std::unique_ptr<Hwmon> open_hwmon(const ResourcePlan&) override { return std::make_unique<Chip>(); }
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan&) override { return std::make_unique<Echo>(time_); }

  std::map<std::string, int> opened;
  std::map<std::uint64_t, std::uint32_t> words;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(std::size_t{3} << 20U);
  int barriers = 0;
  int running = 0;    // register accesses under way
  int cancelled = 0;  // of them, ended by being told to
  bool bar_missing = false;

 private:
  class Bus final : public I2cBus {
   public:
    explicit Bus(Host& host) : host_(host) {}
    I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
      I2cResult result;
      if (address == 0x11) return {I2cStatus::address_nack, {}, 0, "nobody at 0x11"};
      if (address == 0x22) {  // stretches the clock
        host_.time_.sleep_until(deadline);
        return {I2cStatus::timeout, {}, 0, "SCL stays low"};
      }
      for (const I2cMessage& one : messages) {
        result.acknowledged += one.write.size();
        if (one.pec) result.detail += "pec";
        for (std::size_t i = 0; i < one.read + one.extra; ++i)
          result.data.push_back(static_cast<std::uint8_t>(one.block ? 0xb0U + i : 0xa0U + i));
      }
      return result;
    }
    bool recover(Instant) override { return true; }
    std::string name() const override { return "bus"; }

   private:
    Host& host_;
  };

  /// An access to address A takes A milliseconds.
  class Registers final : public RegisterBus {
   public:
    explicit Registers(Host& host) : host_(host) {}
    BusResult read(std::uint64_t address, Instant deadline) override {
      const Count count(host_);
      if (address == 0x666) return {BusStatus::slave_error, 0, "SLVERR"};
      wait(address, deadline);
      return {BusStatus::ok, host_.words[address], {}};
    }
    BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
      host_.words[address] = value;
      return {};
    }
    std::string name() const override { return "bar"; }

   private:
    struct Count {
      Host& host;
      bool over = false;
      explicit Count(Host& h) : host(h) { ++host.running; }
      Count(const Count&) = delete;
      Count& operator=(const Count&) = delete;
      ~Count() { --host.running; }
    };
    void wait(std::uint64_t address, Instant deadline) {
      try {
        host_.time_.sleep_until(
            std::min(deadline, host_.time_.now() + std::chrono::milliseconds(static_cast<std::int64_t>(address))));
      } catch (const Cancelled&) {
        ++host_.cancelled;
        throw;
      }
    }
    Host& host_;
  };

  class Memory final : public DmaMemory {
   public:
    explicit Memory(Host& host) : host_(host) {}
    std::uint64_t base() const override { return 0x2'0000'0000; }
    std::uint64_t size() const override { return host_.memory.size(); }
    void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
      std::copy_n(host_.memory.begin() + static_cast<std::ptrdiff_t>(offset), count, data);
    }
    void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
      std::copy_n(data, count, host_.memory.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    void barrier() override { ++host_.barriers; }
    std::string name() const override { return "memory"; }

   private:
    Host& host_;
  };

  class Lines final : public Gpio {
   public:
    std::vector<std::string> lines() const override { return {"por_n", "leak_n"}; }
    std::optional<bool> get(const std::string& line, std::string* detail) override {
      if (line == "por_n") return level_;
      if (detail != nullptr) *detail = "no line " + line;
      return std::nullopt;
    }
    bool set(const std::string& line, bool level, std::string* detail) override {
      if (line == "por_n") level_ = level;
      if (line != "por_n" && detail != nullptr) *detail = line + " is an input";
      return line == "por_n";
    }
    std::string name() const override { return "lines"; }

   private:
    bool level_ = true;
  };

  class Chip final : public Hwmon {
   public:
    std::string chip() const override { return "tmp464"; }
    std::vector<std::string> attributes() const override { return {"temp1_input", "temp2_input"}; }
    std::string label(const std::string& channel) const override { return channel == "temp2" ? "inlet" : ""; }
    HwmonResult read(const std::string& attribute, Instant) override {
      if (attribute == "temp1_input") return {HwmonStatus::ok, 41'500, {}};
      return {HwmonStatus::no_value, 0, "ENODATA"};
    }
    std::string name() const override { return "hwmon"; }
  };

  class Echo final : public ByteStream {
   public:
    explicit Echo(BenchTime& time) : time_(time) {}
    StreamResult write(std::string_view bytes, Instant) override {
      data_ += bytes;
      return {};
    }
    StreamResult read_until(char terminator, Instant deadline) override {
      const auto at = data_.find(terminator);
      if (at == std::string::npos) {
        time_.sleep_until(deadline);
        return {StreamStatus::timeout, drain(), "no terminator"};
      }
      return take(at + 1);
    }
    StreamResult read_exactly(std::size_t count, Instant) override { return take(count); }
    std::string drain() override { return std::exchange(data_, {}); }
    std::string name() const override { return "echo"; }

   private:
    StreamResult take(std::size_t count) {
      StreamResult out;
      out.data = data_.substr(0, count);
      data_.erase(0, count);
      return out;
    }
    BenchTime& time_;
    std::string data_;
  };

  BenchTime& time_;
};

inline ResourcePlan resource(const std::string& name, const std::string& type, const std::string& address) {
  ResourcePlan plan;
  plan.name = name;
  plan.type = type;
  plan.address = address;
  return plan;
}

inline std::vector<ResourcePlan> host_resources() {
  return {resource("i2c0", "i2c", "here"),        resource("bar0", "registers", "here"),
          resource("mem0", "dma_memory", "here"), resource("lines0", "gpio", "here"),
          resource("sensors0", "hwmon", "here"),  resource("scope0", "scpi", "here")};
}

/// A host with its agent, and a station that reaches it, in one process.
class Desk {
 public:
  explicit Desk(Scheduler& scheduler) : scheduler(scheduler), host(scheduler) {
    Endpoint listen;
    listen.local = true;
    listen.path = folder / "agent.sock";
    server = std::make_unique<AgentServer>(scheduler, io, host, AgentServer::Options{listen, kToken, host_resources()});
    write_token(kToken);
    station.resources.push_back(resource("host0", "agent", listen.text()));
    Value file;
    file.data = folder / "token";
    station.resources.back().params["token_file"] = file;
    provider = std::make_unique<LabProvider>(scheduler, station);
  }

  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  /// What the server had begun is cancelled with it, and unwinds through the host.
  ~Desk() {
    provider.reset();
    server.reset();
    const Instant end = scheduler.now() + std::chrono::seconds(5);
    while (host.running > 0 && scheduler.now() < end) scheduler.sleep(std::chrono::milliseconds(1));
    EXPECT_EQ(host.running, 0) << "operations that were cancelled have not ended";
  }

  void write_token(const std::string& token, const char* mode = "600") const {
    const std::string file = folder / "token";
    peers::run_program({"sh", "-c", "printf '%s\\n' '" + token + "' > " + file + " && chmod " + mode + " " + file},
                       std::chrono::seconds(5));
  }
  Instant in(int milliseconds) const { return scheduler.now() + std::chrono::milliseconds(milliseconds); }

  Scheduler& scheduler;
  peers::TemporaryFolder folder;
  IoThread io;
  Host host;
  std::unique_ptr<AgentServer> server;
  BenchPlan station;
  std::unique_ptr<LabProvider> provider;
};

/// The message of the failure that the action ends with.
template <class Action>
Failure failure_of(const Action& action) {
  try {
    action();
  } catch (const FailureError& error) {
    return error.failure();
  }
  return {};
}

}  // namespace firstlight::agent::testing
