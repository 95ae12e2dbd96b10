#include "lab/drivers/exec/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/points/identity_check.h"

namespace firstlight::exec {

namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kLongestLine = 65536;
constexpr std::size_t kMostPoints = 1000;
constexpr std::size_t kShown = 300;  // of a line, in messages

std::string shown(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  return line.size() <= kShown ? line : line.substr(0, kShown) + "...";
}

/// A reading or a setting as the program declares it: a unit, or a map of `unit`, `min`, `max`, in that unit.
struct Point {
  std::string name;
  UnitScale unit;
  std::optional<double> min;
  std::optional<double> max;
};

/// Empty when the declaration is good, else what is wrong with it.
std::string parse_point(const std::string& name, const Json& declared, Point& point) {
  point.name = name;
  const Json unit = declared.is_object() ? declared.value("unit", Json("")) : declared;
  if (!unit.is_string()) return fmt::format("\"{}\" must be a unit such as \"degC\", or an object with a unit", name);
  const auto scale = unit_scale(unit.get<std::string>());
  if (!scale) return fmt::format("\"{}\" has the unit \"{}\", which nobody knows", name, unit.get<std::string>());
  point.unit = *scale;
  for (const auto& [key, bound] : {std::pair{"min", &point.min}, std::pair{"max", &point.max}}) {
    if (!declared.is_object() || !declared.contains(key)) continue;
    if (!declared[key].is_number()) return fmt::format("\"{}\": {} is no number", name, key);
    *bound = point.unit.to_base(declared[key].get<double>()).value;
  }
  return {};
}

std::string parse_points(const Json& hello, const char* section, std::vector<Point>& into) {
  const auto found = hello.find(section);
  if (found == hello.end()) return {};
  if (!found->is_object() || found->size() > kMostPoints)
    return fmt::format("\"{}\" must be an object of at most {} names", section, kMostPoints);
  for (const auto& [name, declared] : found->items()) {
    Point point;
    const std::string wrong = parse_point(name, declared, point);
    if (!wrong.empty()) return fmt::format("{}: {}", section, wrong);
    into.push_back(std::move(point));
  }
  return {};
}

const Point* find(const std::vector<Point>& points, const std::string& name) {
  const auto found = std::find_if(points.begin(), points.end(), [&](const Point& one) { return one.name == name; });
  return found == points.end() ? nullptr : &*found;
}

std::string text_of(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

struct Program::Offer {
  std::string name;
  std::string serial_number;
  std::vector<Point> readings;
  std::vector<Point> settings;
  std::vector<std::string> outputs;

  /// Empty when the answer to hello is good.
  std::string parse(const Json& hello) {
    name = text_of(hello, "name");
    serial_number = text_of(hello, "serial_number");
    std::string wrong = parse_points(hello, "readings", readings);
    if (wrong.empty()) wrong = parse_points(hello, "settings", settings);
    if (!wrong.empty()) return wrong;
    for (const Point& setting : settings)
      if (!setting.max)
        return fmt::format("the setting \"{}\" has no max: the most that is without harm", setting.name);
    const auto found = hello.find("outputs");
    if (found == hello.end()) return {};
    if (!found->is_array() || found->size() > kMostPoints) return "\"outputs\" must be a list of names";
    for (const Json& output : *found) {
      if (!output.is_string()) return "\"outputs\" must be a list of names";
      outputs.push_back(output.get<std::string>());
    }
    return {};
  }
};

Program::Program(std::string name, std::shared_ptr<ByteStream> stream, Duration timeout,
                 std::map<std::string, std::string> expected, BenchTime& time)
    : name_(std::move(name)),
      stream_(std::move(stream)),
      timeout_(timeout),
      expected_(std::move(expected)),
      time_(time),
      turns_(time) {}
Program::~Program() = default;

void Program::fail(const std::string& symptom, const std::string& why, const std::string& sent,
                   const std::string& received, const std::string& cause) {
  throw FailureError({ErrorClass::infrastructure, symptom, fmt::format("{}: {}", name_, why), name_, shown(sent),
                      shown(received), cause});
}

// ---- lines

Json Program::exchange(Json request) {
  const std::uint64_t id = ++last_id_;
  request["id"] = id;
  const std::string line = request.dump() + "\n";
  const Instant deadline = time_.now() + timeout_;
  last_sent_ = line;
  last_received_.clear();
  stream_->drain();  // what is left of an answer that came too late
  const StreamResult written = stream_->write(line, deadline);
  if (written.status != StreamStatus::ok) {
    offer_.reset();
    fail("exec_no_answer", fmt::format("the program does not take a line: {}", written.detail), line, "",
         "the program has ended, or reads nothing");
  }
  Json answer;
  read_answer(line, id, deadline, answer);
  if (answer.value("ok", false)) return answer;
  const std::string error = text_of(answer, "error");
  fail("exec_error", error.empty() ? "the program says no, and not why" : fmt::format("the program says: {}", error),
       line, last_received_, "the program's own message says it");
}

/// Skips answers to earlier requests, which came after their time.
std::string Program::read_answer(const std::string& sent, std::uint64_t id, Instant deadline, Json& answer) {
  while (true) {
    const StreamResult got = stream_->read_until('\n', deadline);
    last_received_ = got.data;
    if (got.status == StreamStatus::timeout)
      fail("exec_timeout",
           fmt::format("no answer within {}{}", to_text(to_quantity(timeout_)),
                       got.data.empty() ? "" : " but half a line"),
           sent, got.data, "the program hangs, or does not flush its output after each line");
    if (got.status != StreamStatus::ok) {
      offer_.reset();
      fail("exec_no_answer", fmt::format("the program does not answer: {}", got.detail), sent, got.data,
           "the program has ended: run it by hand and give it the line that was sent");
    }
    if (got.data.size() > kLongestLine)
      fail("exec_garbage", fmt::format("its answer is longer than {} bytes", kLongestLine), sent, got.data,
           "an answer is one short line of JSON");
    answer = Json::parse(got.data, nullptr, false);
    if (!answer.is_object())
      fail("exec_garbage", "its answer is no JSON object", sent, got.data,
           "the program prints something else to its standard output: messages belong to standard error");
    const auto number = answer.find("id");
    if (number == answer.end() || !number->is_number_unsigned() || number->get<std::uint64_t>() > id)
      fail("exec_garbage", fmt::format("its answer does not carry the id {} of the request", id), sent, got.data,
           "each answer repeats the request's id, so that a late one is not taken for the next");
    if (number->get<std::uint64_t>() == id) return got.data;
  }
}

const Program::Offer& Program::offer() {
  if (!offer_) offer_ = std::make_unique<Offer>(say_hello());
  return *offer_;
}

Program::Offer Program::say_hello() {
  const Json hello = exchange({{"do", "hello"}, {"version", kVersion}});
  Offer offer;
  const std::string wrong = offer.parse(hello);
  if (!wrong.empty())
    fail("exec_bad_hello", fmt::format("its answer to hello cannot be used: {}", wrong), last_sent_, last_received_,
         "docs/exec.md has what the program may say");
  return offer;
}

Json Program::ask(const std::string& what, const std::string& name, std::optional<double> value) {
  Json request = {{"do", what}, {"name", name}};
  if (value) request["value"] = *value;
  return exchange(std::move(request));
}

double Program::number(const Json& answer, const std::string& what) {
  const auto value = answer.find("value");
  if (value != answer.end() && value->is_number() && std::isfinite(value->get<double>())) return value->get<double>();
  fail("implausible_reading", fmt::format("it gives no number for {}", what), last_sent_, last_received_,
       "a reading that cannot be had is an answer with \"ok\": false and an error");
}

// ---- points

std::vector<PointReading> Program::readings() {
  const Turns::Hold hold(turns_);
  std::vector<PointReading> all;
  for (const Point& point : offer().readings) all.push_back({point.name, point.unit.dimension});
  return all;
}

std::vector<PointSetting> Program::settings() {
  const Turns::Hold hold(turns_);
  std::vector<PointSetting> all;
  // One part in a thousand is what a controller rounds; anything coarser is another setting.
  constexpr double kShare = 1e-3;
  for (const Point& point : offer().settings)
    all.push_back({point.name, point.unit.dimension, point.min, point.max,
                   kShare * (*point.max - point.min.value_or(point.unit.zero))});
  return all;
}

std::vector<std::string> Program::outputs() {
  const Turns::Hold hold(turns_);
  return offer().outputs;
}

Quantity Program::read(const std::string& reading) {
  const Turns::Hold hold(turns_);
  const Point* point = find(offer().readings, reading);
  if (point == nullptr) {
    std::vector<std::string> names;
    for (const Point& one : offer().readings) names.push_back(one.name);
    const std::string near = nearest_name(reading, names);
    throw FailureError({ErrorClass::bench, "no_such_reading",
                        fmt::format("{} offers no reading \"{}\"{}", name_, reading,
                                    near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)),
                        name_, shown(last_sent_), shown(last_received_),
                        fmt::format("it offers: {}", fmt::join(names, ", "))});
  }
  const Quantity value = point->unit.to_base(number(ask("read", reading), reading));
  if ((point->min && value.value < *point->min) || (point->max && value.value > *point->max))
    fail("implausible_reading", fmt::format("it reads {} as {}, which it says cannot be", reading, to_text(value)),
         last_sent_, last_received_, "the sensor behind the program is broken or not connected");
  return value;
}

Quantity Program::setting(const std::string& name) {
  check_known_once();
  const Turns::Hold hold(turns_);
  const Point* point = find(offer().settings, name);
  if (point == nullptr)
    fail("no_such_setpoint", fmt::format("it offers no setting \"{}\"", name), last_sent_, last_received_, "");
  return point->unit.to_base(number(ask("get", name), name));
}

void Program::set(const std::string& name, const Quantity& value) {
  check_known_once();
  const Turns::Hold hold(turns_);
  const Point* point = find(offer().settings, name);
  if (point == nullptr)
    fail("no_such_setpoint", fmt::format("it offers no setting \"{}\"", name), last_sent_, last_received_, "");
  ask("set", name, point->unit.from_base(value.value));
}

bool Program::output(const std::string& name) {
  check_known_once();
  const Turns::Hold hold(turns_);
  offer();
  const Json answer = ask("state", name);
  const auto value = answer.find("value");
  if (value != answer.end() && value->is_boolean()) return value->get<bool>();
  fail("implausible_reading", fmt::format("it does not say true or false of its output {}", name), last_sent_,
       last_received_, "the answer to \"state\" has a \"value\" of true or false");
}

void Program::switch_output(const std::string& name, bool on) {
  check_known_once();
  const Turns::Hold hold(turns_);
  offer();
  ask(on ? "on" : "off", name);
}

std::map<std::string, std::string> Program::identity() {
  const Turns::Hold hold(turns_);
  std::map<std::string, std::string> fields = {{"name", offer().name}};
  if (!offer().serial_number.empty()) fields["serial_number"] = offer().serial_number;
  return fields;
}

void Program::check_known_once() {
  if (known_) return;
  check_identity(*this);
  known_ = true;
}

}  // namespace firstlight::exec
