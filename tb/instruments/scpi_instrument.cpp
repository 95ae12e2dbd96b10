#include "tb/instruments/scpi_instrument.h"

#include <fmt/format.h>

#include <algorithm>

namespace tb::instruments {

using firstlight::Dimension;

namespace {

constexpr std::size_t kErrorQueue = 10;
constexpr std::size_t kInputBuffer = 65536;

// Standard event status (IEEE 488.2, 11.5.1)
constexpr std::uint8_t kOperationComplete = 0x01;
constexpr std::uint8_t kQueryError = 0x04;
constexpr std::uint8_t kDeviceError = 0x08;
constexpr std::uint8_t kExecutionError = 0x10;
constexpr std::uint8_t kCommandError = 0x20;
// Status byte (IEEE 488.2, 11.2.1; SCPI-99 volume 1, 9)
constexpr std::uint8_t kErrorAvailable = 0x04;
constexpr std::uint8_t kQuestionable = 0x08;
constexpr std::uint8_t kEventSummary = 0x20;
constexpr std::uint8_t kMasterSummary = 0x40;
constexpr std::uint8_t kOperation = 0x80;

std::uint8_t event_bit(int code) {
  if (code <= -400) return kQueryError;
  if (code <= -300) return kDeviceError;
  if (code <= -200) return kExecutionError;
  return kCommandError;
}

}  // namespace

void ScpiCall::expect(std::size_t least, std::size_t most) const {
  if (count() < least) throw scpi::Error(-109);
  if (count() > most) throw scpi::Error(-108);
}

double ScpiCall::number(std::size_t parameter, Dimension dimension, Range range) const {
  std::string word = text(parameter);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  if (word == "MIN" || word == "MINIMUM") return range.min;
  if (word == "MAX" || word == "MAXIMUM") return range.max;
  if (word == "DEF" || word == "DEFAULT") return range.fallback;
  const double value = scpi::parse_number(text(parameter), dimension);
  if (value < range.min || value > range.max) throw scpi::Error(-222);
  return value;
}

std::vector<int> ScpiCall::channels(int count, std::vector<int> fallback) const {
  if (unit_.parameters.empty() || unit_.parameters.back().front() != '(') return fallback;
  std::vector<int> list = scpi::parse_channels(unit_.parameters.back());
  for (const int channel : list)
    if (channel < 1 || channel > count) throw scpi::Error(-224, fmt::format("channel {}", channel));
  return list;
}

ScpiInstrument::ScpiInstrument(Agenda& agenda, std::string identity, const sc_core::sc_time& latency,
                               std::uint64_t seed)
    : agenda_(agenda), identity_(std::move(identity)), latency_(latency), random_(seed) {
  add_common_commands();
  add_status_commands();
}

ScpiInstrument::~ScpiInstrument() {
  agenda_.cancel(entry_);
  agenda_.cancel(operation_complete_);
}

void ScpiInstrument::command(std::string_view pattern, Arity arity, Handler handler) {
  commands_.push_back({scpi::Pattern(pattern), arity, std::move(handler)});
}

// ---- the stream

ScpiInstrument::Session::Session(ScpiInstrument& instrument, std::shared_ptr<Line> line)
    : instrument_(instrument), line_(std::move(line)) {
  instrument_.lines_.push_back(line_);
}

ScpiInstrument::Session::~Session() {
  line_->reply = nullptr;
  auto& lines = instrument_.lines_;
  lines.erase(std::find(lines.begin(), lines.end(), line_));
}

std::unique_ptr<ScpiInstrument::Session> ScpiInstrument::open_session(std::function<void(std::string)> reply) {
  auto line = std::make_shared<Line>();
  line->reply = std::move(reply);
  return std::make_unique<Session>(*this, std::move(line));
}

void ScpiInstrument::receive(Line& line, std::string_view bytes) {
  for (const char c : bytes) {
    if (c != '\n') {
      line.overrun = line.overrun || line.input.size() >= kInputBuffer;
      if (!line.overrun) line.input += c;
      continue;
    }
    if (line.overrun)
      push_error(-363, std::string(scpi::error_text(-363)));
    else
      enqueue_message(line, line.input);
    line.input.clear();
    line.overrun = false;
  }
  if (!working_) next();
}

void ScpiInstrument::enqueue_message(Line& line, std::string_view message) {
  if (message.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto own = std::find_if(lines_.begin(), lines_.end(), [&](const auto& one) { return one.get() == &line; });
  try {
    for (std::string& text : scpi::split_message(message)) work_.push_back({*own, std::move(text), false});
    work_.back().ends_message = true;
  } catch (const scpi::Error& error) {
    push_error(error.code(), error.what());
  }
}

void ScpiInstrument::next() {
  working_ = !work_.empty();
  if (!working_) return;
  entry_ = agenda_.after(latency_, [this] {
    entry_ = {};
    execute();
  });
}

void ScpiInstrument::execute() {
  const Work work = std::move(work_.front());
  work_.pop_front();
  const ScpiCall call = run(*work.line, work.text);
  if (call.overlapped() > sc_core::SC_ZERO_TIME)
    pending_until_ = std::max(pending_until_, sc_core::sc_time_stamp() + call.overlapped());
  if (call.time() == sc_core::SC_ZERO_TIME) return finish(work, call);
  entry_ = agenda_.after(call.time(), [this, work, call] {
    entry_ = {};
    finish(work, call);
  });
}

void ScpiInstrument::finish(const Work& work, const ScpiCall& call) {
  Line& line = *work.line;
  if (call.replied()) {
    if (line.has_output) line.output += ';';
    line.output += *call.replied();
    line.has_output = true;
  }
  if (work.ends_message) {
    line.path.clear();
    if (line.has_output) {
      line.output += '\n';
      line.has_output = false;
      const std::string answer = std::exchange(line.output, {});
      if (line.reply) line.reply(answer);
    }
  }
  next();
}

ScpiCall ScpiInstrument::run(Line& line, const std::string& text) {
  try {
    scpi::Unit unit = scpi::parse_unit(text);
    const std::string header = resolve(line, unit.header);
    const auto found = std::find_if(commands_.begin(), commands_.end(),
                                    [&](const Command& entry) { return entry.pattern.matches(header); });
    if (found == commands_.end()) throw scpi::Error(-113, unit.header);
    ScpiCall call(std::move(unit));
    call.expect(found->arity.least, found->arity.most);
    found->handler(call);
    return call;
  } catch (const scpi::Error& error) {
    push_error(error.code(), error.what());
    return ScpiCall({});
  }
}

// IEEE 488.2 and SCPI-99 volume 1, 6.2.4: a header without a leading colon goes on where the one before it ended.
std::string ScpiInstrument::resolve(Line& line, const std::string& header) {
  if (header.front() == '*') return header;
  std::string full = header.front() == ':' ? header.substr(1) : line.path + header;
  const auto last = full.rfind(':');
  line.path = last == std::string::npos ? std::string() : full.substr(0, last + 1);
  return full;
}

// ---- status and errors

void ScpiInstrument::push_error(int code, const std::string& message) {
  event_status_ = static_cast<std::uint8_t>(event_status_ | event_bit(code));
  if (errors_.size() < kErrorQueue) {
    errors_.emplace_back(code, message);
    return;
  }
  errors_.back() = {-350, std::string(scpi::error_text(-350))};
  event_status_ = static_cast<std::uint8_t>(event_status_ | kDeviceError);
}

std::string ScpiInstrument::pop_error() {
  if (errors_.empty()) return "0,\"No error\"";
  const auto [code, message] = errors_.front();
  errors_.pop_front();
  return fmt::format("{},\"{}\"", code, message);
}

std::uint8_t ScpiInstrument::status_byte() const {
  unsigned status = 0;
  if (!errors_.empty()) status |= kErrorAvailable;
  if ((questionable_.event & questionable_.enable) != 0) status |= kQuestionable;
  if ((event_status_ & event_enable_) != 0) status |= kEventSummary;
  if ((operation_.event & operation_.enable) != 0) status |= kOperation;
  if ((status & service_enable_) != 0) status |= kMasterSummary;
  return static_cast<std::uint8_t>(status);
}

void ScpiInstrument::set_questionable(std::uint16_t condition) {
  // Positive transitions become events.
  questionable_.event = static_cast<std::uint16_t>(questionable_.event | (condition & ~questionable_.condition));
  questionable_.condition = condition;
}

sc_core::sc_time ScpiInstrument::remaining() const {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  return pending_until_ > now ? pending_until_ - now : sc_core::SC_ZERO_TIME;
}

void ScpiInstrument::add_common_commands() {
  const auto byte = [](const ScpiCall& call) {
    return static_cast<std::uint8_t>(call.number(0, Dimension::none, {0, 255, 0}));
  };
  command("*IDN?", [this](ScpiCall& call) { call.reply(identity_); });
  command("*RST", [this](ScpiCall&) { reset_settings(); });
  command("*TST?", [](ScpiCall& call) { call.reply("0"); });
  command("*CLS", [this](ScpiCall&) {
    errors_.clear();
    event_status_ = 0;
    questionable_.event = operation_.event = 0;
    agenda_.cancel(operation_complete_);
  });
  command("*ESE", {1, 1}, [this, byte](ScpiCall& call) { event_enable_ = byte(call); });
  command("*ESE?", [this](ScpiCall& call) { call.reply(std::to_string(event_enable_)); });
  command("*ESR?",
          [this](ScpiCall& call) { call.reply(std::to_string(std::exchange(event_status_, std::uint8_t{0}))); });
  command("*SRE", {1, 1}, [this, byte](ScpiCall& call) { service_enable_ = byte(call) & 0xbfU; });
  command("*SRE?", [this](ScpiCall& call) { call.reply(std::to_string(service_enable_)); });
  command("*STB?", [this](ScpiCall& call) { call.reply(std::to_string(status_byte())); });
  command("*OPC", [this](ScpiCall&) {
    agenda_.cancel(operation_complete_);
    operation_complete_ = agenda_.after(remaining(), [this] {
      operation_complete_ = {};
      event_status_ = static_cast<std::uint8_t>(event_status_ | kOperationComplete);
    });
  });
  command("*OPC?", [this](ScpiCall& call) {
    call.take(remaining());
    call.reply("1");
  });
  command("*WAI", [this](ScpiCall& call) { call.take(remaining()); });
}

void ScpiInstrument::add_status_commands() {
  command("SYSTem:ERRor[:NEXT]?", [this](ScpiCall& call) { call.reply(pop_error()); });
  command("SYSTem:ERRor:COUNt?", [this](ScpiCall& call) { call.reply(std::to_string(errors_.size())); });
  command("SYSTem:VERSion?", [](ScpiCall& call) { call.reply("1999.0"); });
  command("STATus:PRESet", [this](ScpiCall&) { questionable_.enable = operation_.enable = 0; });
  add_event_register("STATus:QUEStionable", questionable_);
  add_event_register("STATus:OPERation", operation_);
}

void ScpiInstrument::add_event_register(const std::string& path, EventRegister& target) {
  command(path + "[:EVENt]?",
          [&target](ScpiCall& call) { call.reply(std::to_string(std::exchange(target.event, std::uint16_t{0}))); });
  command(path + ":CONDition?", [&target](ScpiCall& call) { call.reply(std::to_string(target.condition)); });
  command(path + ":ENABle", {1, 1}, [&target](ScpiCall& call) {
    target.enable = static_cast<std::uint16_t>(call.number(0, Dimension::none, {0, 32767, 0}));
  });
  command(path + ":ENABle?", [&target](ScpiCall& call) { call.reply(std::to_string(target.enable)); });
}

}  // namespace tb::instruments
