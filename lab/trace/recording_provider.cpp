#include "lab/trace/recording_provider.h"

#include <utility>

namespace firstlight::trace {

namespace {

using Tape = RecordingProvider::Tape;

/// Notes one access from its start to its end, whatever ends it.
class Note {
 public:
  Note(const Tape& tape, const std::string& resource, Access access, std::optional<Instant> deadline = {})
      : tape_(tape) {
    transaction_.number = tape.writer.next_number();
    transaction_.start = tape.time.now();
    transaction_.by = tape.who();
    transaction_.resource = resource;
    transaction_.access = std::move(access);
    if (deadline && *deadline != kNever) transaction_.allowed = *deadline - transaction_.start;
  }
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
  ~Note() {
    if (!answered_) transaction_.cut_off = true;
    transaction_.took = tape_.time.now() - transaction_.start;
    tape_.writer.write(transaction_);
  }

  /// Has `call` make the access, and keeps what it answers in the access's `member`.
  template <class A, class Answer, class Call>
  Answer answer(Answer A::*member, const Call& call) {
    Answer& place = std::get<A>(transaction_.access).*member;
    place = call();
    answered_ = true;
    return place;
  }
  template <class A>
  A& access() {
    return std::get<A>(transaction_.access);
  }
  void answered() { answered_ = true; }

 private:
  const Tape& tape_;
  Transaction transaction_;
  bool answered_ = false;
};

/// What every recording transport is: the name of the resource, the transport that does it, and the tape.
template <class Transport>
class Recording : public Transport {
 public:
  Recording(std::string resource, std::unique_ptr<Transport> inner, const Tape& tape)
      : resource_(std::move(resource)), inner_(std::move(inner)), tape_(tape) {}
  std::string name() const override { return inner_->name(); }

 protected:
  const std::string& resource() const { return resource_; }
  Transport& inner() const { return *inner_; }
  const Tape& tape() const { return tape_; }

 private:
  std::string resource_;
  std::unique_ptr<Transport> inner_;
  const Tape& tape_;
};

class RecordingI2c final : public Recording<I2cBus> {
 public:
  using Recording::Recording;
  I2cResult transfer(std::uint8_t address, const std::vector<I2cMessage>& messages, Instant deadline) override {
    Note note(tape(), resource(), I2cTransfer{address, messages, {}}, deadline);
    return note.answer(&I2cTransfer::result, [&] { return inner().transfer(address, messages, deadline); });
  }
  bool recover(Instant deadline) override {
    Note note(tape(), resource(), I2cRecovery{}, deadline);
    return note.answer(&I2cRecovery::freed, [&] { return inner().recover(deadline); });
  }
  std::string last_recovery() const override { return inner().last_recovery(); }
  std::shared_ptr<void> hold(Instant deadline) override { return inner().hold(deadline); }
};

class RecordingRegisters final : public Recording<RegisterBus> {
 public:
  using Recording::Recording;
  BusResult read(std::uint64_t address, Instant deadline) override {
    Note note(tape(), resource(), RegisterRead{address, {}}, deadline);
    return note.answer(&RegisterRead::result, [&] { return inner().read(address, deadline); });
  }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    Note note(tape(), resource(), RegisterWrite{address, value, {}}, deadline);
    return note.answer(&RegisterWrite::result, [&] { return inner().write(address, value, deadline); });
  }
};

class RecordingStream final : public Recording<ByteStream> {
 public:
  using Recording::Recording;
  StreamResult write(std::string_view bytes, Instant deadline) override {
    Note note(tape(), resource(), StreamWrite{std::string(bytes), {}}, deadline);
    return note.answer(&StreamWrite::result, [&] { return inner().write(bytes, deadline); });
  }
  StreamResult read_until(char terminator, Instant deadline) override {
    Note note(tape(), resource(), StreamRead{terminator, 0, {}}, deadline);
    return note.answer(&StreamRead::result, [&] { return inner().read_until(terminator, deadline); });
  }
  StreamResult read_exactly(std::size_t count, Instant deadline) override {
    Note note(tape(), resource(), StreamRead{std::nullopt, count, {}}, deadline);
    return note.answer(&StreamRead::result, [&] { return inner().read_exactly(count, deadline); });
  }
  std::string drain() override {
    Note note(tape(), resource(), StreamDrain{});
    return note.answer(&StreamDrain::bytes, [&] { return inner().drain(); });
  }
  StreamResult reopen(Instant deadline) override {
    Note note(tape(), resource(), StreamReopen{}, deadline);
    return note.answer(&StreamReopen::result, [&] { return inner().reopen(deadline); });
  }
};

class RecordingMemory final : public Recording<DmaMemory> {
 public:
  using Recording::Recording;
  std::uint64_t base() const override { return inner().base(); }
  std::uint64_t size() const override { return inner().size(); }
  void read(std::uint64_t offset, std::uint8_t* data, std::size_t count) const override {
    Note note(tape(), resource(), MemoryRead{offset, {}});
    inner().read(offset, data, count);
    note.access<MemoryRead>().bytes.assign(data, data + count);
    note.answered();
  }
  void write(std::uint64_t offset, const std::uint8_t* data, std::size_t count) override {
    Note note(tape(), resource(), MemoryWrite{offset, {data, data + count}});
    inner().write(offset, data, count);
    note.answered();
  }
  void barrier() override {
    Note note(tape(), resource(), MemoryBarrier{});
    inner().barrier();
    note.answered();
  }
};

class RecordingGpio final : public Recording<Gpio> {
 public:
  using Recording::Recording;
  std::vector<std::string> lines() const override { return inner().lines(); }
  std::optional<bool> get(const std::string& line, std::string* detail) override {
    Note note(tape(), resource(), LineGet{line, {}, {}});
    std::string said;
    const auto level = note.answer(&LineGet::level, [&] { return inner().get(line, &said); });
    note.access<LineGet>().detail = said;
    if (detail != nullptr && !said.empty()) *detail = std::move(said);
    return level;
  }
  bool set(const std::string& line, bool level, std::string* detail) override {
    Note note(tape(), resource(), LineSet{line, level, false, {}});
    std::string said;
    const bool done = note.answer(&LineSet::done, [&] { return inner().set(line, level, &said); });
    note.access<LineSet>().detail = said;
    if (detail != nullptr && !said.empty()) *detail = std::move(said);
    return done;
  }
};

class RecordingHwmon final : public Recording<Hwmon> {
 public:
  using Recording::Recording;
  std::string chip() const override { return inner().chip(); }
  std::vector<std::string> attributes() const override { return inner().attributes(); }
  HwmonResult read(const std::string& attribute, Instant deadline) override {
    Note note(tape(), resource(), HwmonRead{attribute, {}}, deadline);
    return note.answer(&HwmonRead::result, [&] { return inner().read(attribute, deadline); });
  }
};

class RecordingIpmi final : public Recording<IpmiLink> {
 public:
  using Recording::Recording;
  IpmiResult command(std::uint8_t net_fn, std::uint8_t command, const std::vector<std::uint8_t>& data,
                     Instant deadline) override {
    Note note(tape(), resource(), IpmiCommand{net_fn, command, data, {}}, deadline);
    return note.answer(&IpmiCommand::result, [&] { return inner().command(net_fn, command, data, deadline); });
  }
};

class RecordingHttp final : public Recording<HttpClient> {
 public:
  using Recording::Recording;
  HttpResult request(const std::string& method, const std::string& path, const std::string& body,
                     Instant deadline) override {
    Note note(tape(), resource(), HttpRequest{method, path, body, {}}, deadline);
    return note.answer(&HttpRequest::result, [&] { return inner().request(method, path, body, deadline); });
  }
};

class RecordingModbus final : public Recording<ModbusBus> {
 public:
  using Recording::Recording;
  ModbusResult read(std::uint8_t unit, ModbusTable table, std::uint16_t address, std::uint16_t count,
                    Instant deadline) override {
    Note note(tape(), resource(), ModbusRead{unit, table, address, count, {}}, deadline);
    return note.answer(&ModbusRead::result, [&] { return inner().read(unit, table, address, count, deadline); });
  }
  ModbusResult write(std::uint8_t unit, ModbusTable table, std::uint16_t address,
                     const std::vector<std::uint16_t>& values, Instant deadline) override {
    Note note(tape(), resource(), ModbusWrite{unit, table, address, values, {}}, deadline);
    return note.answer(&ModbusWrite::result, [&] { return inner().write(unit, table, address, values, deadline); });
  }
};

/// Wraps what was opened, and says that it was.
template <class Wrapper, class Transport>
std::unique_ptr<Transport> recorded(const ResourcePlan& resource, std::unique_ptr<Transport> inner, const Open& open,
                                    const Tape& tape) {
  Note note(tape, resource.name, open);
  note.answered();
  return std::make_unique<Wrapper>(resource.name, std::move(inner), tape);
}

}  // namespace

std::unique_ptr<I2cBus> RecordingProvider::open_i2c(const ResourcePlan& resource) {
  return recorded<RecordingI2c>(resource, inner_.open_i2c(resource), {Kind::i2c}, tape_);
}
std::unique_ptr<ByteStream> RecordingProvider::open_stream(const ResourcePlan& resource) {
  return recorded<RecordingStream>(resource, inner_.open_stream(resource), {Kind::stream}, tape_);
}
std::unique_ptr<RegisterBus> RecordingProvider::open_registers(const ResourcePlan& resource) {
  return recorded<RecordingRegisters>(resource, inner_.open_registers(resource), {Kind::registers}, tape_);
}
std::unique_ptr<DmaMemory> RecordingProvider::open_dma_memory(const ResourcePlan& resource) {
  auto memory = inner_.open_dma_memory(resource);
  const Open open{Kind::dma_memory, memory->base(), memory->size()};
  return recorded<RecordingMemory>(resource, std::move(memory), open, tape_);
}
std::unique_ptr<Gpio> RecordingProvider::open_gpio(const ResourcePlan& resource) {
  return recorded<RecordingGpio>(resource, inner_.open_gpio(resource), {Kind::gpio}, tape_);
}
std::unique_ptr<Hwmon> RecordingProvider::open_hwmon(const ResourcePlan& resource) {
  return recorded<RecordingHwmon>(resource, inner_.open_hwmon(resource), {Kind::hwmon}, tape_);
}
std::unique_ptr<IpmiLink> RecordingProvider::open_ipmi(const ResourcePlan& resource) {
  return recorded<RecordingIpmi>(resource, inner_.open_ipmi(resource), {Kind::ipmi}, tape_);
}
std::unique_ptr<HttpClient> RecordingProvider::open_http(const ResourcePlan& resource) {
  return recorded<RecordingHttp>(resource, inner_.open_http(resource), {Kind::http}, tape_);
}
std::unique_ptr<ModbusBus> RecordingProvider::open_modbus(const ResourcePlan& resource) {
  return recorded<RecordingModbus>(resource, inner_.open_modbus(resource), {Kind::modbus}, tape_);
}

}  // namespace firstlight::trace
