#include "lab/drivers/scpi/personality_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "lab/document/names.h"
#include "lab/document/reader.h"

namespace firstlight::scpi {

namespace {

constexpr std::int64_t kMostChannels = 1000;

const Value* given(const Value::Map& params, const std::string& name) {
  const auto found = params.find(name);
  return found == params.end() || !found->second.is_set() ? nullptr : &found->second;
}

std::string text_in(const Value::Map& params, const std::string& name) {
  const Value* value = given(params, name);
  return value == nullptr ? std::string() : value->text();
}

std::vector<std::string> texts_in(const Value::Map& params, const std::string& name) {
  std::vector<std::string> out;
  if (const Value* value = given(params, name))
    for (const Value& item : value->list()) out.push_back(item.text());
  return out;
}

std::string unless_none(const std::string& text) { return text == "none" ? std::string() : text; }

class PersonalityReader {
 public:
  explicit PersonalityReader(Diagnostics& diagnostics) : reader_(diagnostics, names_) {}

  void read(const Document& document);
  Personality take() { return std::move(result_); }

 private:
  void read_session(const Value::Map& params);
  void read_verified(const Place& place);
  void read_channels(const Place& place);
  void read_counted(const Place& place);
  void read_named(const Place& place);
  Ranges read_ranges(const Place& place);
  void read_commands(const Place& place);
  void check_missing(const Place& place);
  Exchange read_exchange(const Purpose& purpose, const Place& place);
  void read_map(const Place& place, Exchange& exchange);
  void check_exchange(const Purpose& purpose, const Exchange& exchange, const Place& place);
  void check_regex(const Place& place, const std::string& text);

  NameTable names_;
  Reader reader_;
  Personality result_;
  const KindSpec* kind_ = nullptr;
};

void PersonalityReader::read(const Document& document) {
  MapReader top(reader_, {&document.root, ""}, "a personality");
  if (!top.valid()) return;
  const Value::Map params = top.params(personality_params());
  result_.name = text_in(params, "personality");
  result_.kind = text_in(params, "kind");
  result_.doc = text_in(params, "doc");
  kind_ = find_kind(result_.kind);
  read_session(params);
  if (const Entry* idn = document.root.find("idn")) check_regex({&idn->value, "idn"}, result_.session.idn);
  if (const auto verified = top.require("verified")) read_verified(*verified);
  const auto channels = top.find("channels");
  const auto ranges = top.find("ranges");
  const auto commands = top.require("commands");
  top.finish();
  if (kind_ == nullptr) return;  // without its kind nothing below can be judged
  if (ranges) result_.ranges = read_ranges(*ranges);
  if (channels) read_channels(*channels);
  if (!channels && kind_->needs_channels)
    reader_.error({&document.root, ""}, fmt::format("a {} needs `channels`: how many it has", kind_->name));
  if (commands) read_commands(*commands);
}

void PersonalityReader::read_session(const Value::Map& params) {
  SessionOptions& session = result_.session;
  session.idn = text_in(params, "idn");
  session.identify = text_in(params, "identify");
  const std::string end = text_in(params, "line_end");
  session.line_end = end == "cr" ? "\r" : end == "crlf" ? "\r\n" : "\n";
  session.terminator = text_in(params, "answer_end") == "cr" ? '\r' : '\n';
  const auto time = [&](const char* name, Duration& into) {
    if (const Value* value = given(params, name)) into = to_duration(value->quantity());
  };
  time("timeout", session.timeout);
  time("first_timeout", session.first_timeout);
  time("pacing", session.pacing);
  if (const Value* opc = given(params, "opc_after_set")) session.opc_after_set = opc->boolean();
  if (const Value* events = given(params, "event_status")) session.event_status = events->boolean();
  session.error_query = unless_none(text_in(params, "errors"));
  session.check_errors = !session.error_query.empty();
  session.clear = unless_none(text_in(params, "clear"));
  result_.acknowledge = text_in(params, "acknowledge");
  result_.select = text_in(params, "select");
}

void PersonalityReader::read_verified(const Place& place) {
  MapReader map(reader_, place, "`verified`");
  if (!map.valid()) return;
  const Value::Map params = map.params(verified_params());
  result_.source = text_in(params, "source");
  result_.hardware = unless_none(text_in(params, "hardware"));
  map.finish();
}

// ---- channels and ranges

void PersonalityReader::read_channels(const Place& place) {
  if (place->is_list()) return read_named(place);
  read_counted(place);
}

void PersonalityReader::read_counted(const Place& place) {
  std::optional<std::int64_t> count;
  std::int64_t first = 1;
  Place where = place;
  if (place->is_map()) {
    MapReader map(reader_, place, "`channels`");
    if (const auto given_count = map.require("count")) {
      where = *given_count;
      count = reader_.integer(*given_count);
    }
    if (const auto given_first = map.find("first")) first = reader_.integer(*given_first).value_or(1);
    map.finish();
  } else {
    count = reader_.integer(place);
  }
  if (!count) return;
  if (*count < 1 || *count > kMostChannels)
    return reader_.error(where, fmt::format("a number of channels is 1 to {}, found {}", kMostChannels, *count));
  for (std::int64_t i = 0; i < *count; ++i) result_.channels.push_back({std::to_string(first + i), {}});
}

void PersonalityReader::read_named(const Place& place) {
  for (const Place& item : reader_.items(place)) {
    MapReader map(reader_, item, "a channel");
    if (!map.valid()) continue;
    ChannelPlan channel;
    channel.name = map.required_text("name").value_or("");
    if (const auto ranges = map.find("ranges")) channel.ranges = read_ranges(*ranges);
    map.finish();
    for (const ChannelPlan& other : result_.channels)
      if (other.name == channel.name) reader_.error(item, fmt::format("there is a channel `{}` already", channel.name));
    result_.channels.push_back(std::move(channel));
  }
}

Ranges PersonalityReader::read_ranges(const Place& place) {
  Ranges out;
  MapReader map(reader_, place, "`ranges`");
  if (!map.valid()) return out;
  for (const auto& [setting, dimension] : kind_->settings) {
    const auto found = map.find(setting);
    if (!found) continue;
    MapReader bounds(reader_, *found, fmt::format("the range of the {}", setting));
    if (!bounds.valid()) continue;
    const Value::Map params = bounds.params(range_params(dimension));
    bounds.finish();
    Range& range = out[setting];
    const auto quantity = [&](const char* name) -> std::optional<Quantity> {
      const Value* value = given(params, name);
      return value == nullptr ? std::nullopt : std::optional(value->quantity());
    };
    range = {quantity("min"), quantity("max"), quantity("resolution")};
    if (range.min && range.max && range.min->value > range.max->value)
      reader_.error(*found, fmt::format("the least, {}, is above the most, {}", firstlight::to_text(*range.min),
                                        firstlight::to_text(*range.max)));
    if (range.resolution && range.resolution->value <= 0) reader_.error(*found, "a resolution is above 0");
  }
  map.finish();
  return out;
}

// ---- commands

void PersonalityReader::read_commands(const Place& place) {
  MapReader map(reader_, place, fmt::format("`commands` of a {}", kind_->name));
  if (!map.valid()) return;
  for (const Purpose& purpose : kind_->purposes)
    if (const auto found = map.find(purpose.name)) result_.exchanges[purpose.name] = read_exchange(purpose, *found);
  map.finish();
  check_missing(place);
}

void PersonalityReader::check_missing(const Place& place) {
  for (const Purpose& purpose : kind_->purposes) {
    if (place->find(purpose.name) != nullptr) continue;
    if (purpose.required)
      reader_.error(place, fmt::format("the commands of a {} lack `{}`: {}", kind_->name, purpose.name, purpose.doc));
    // A setting that cannot be asked back cannot be proved.
    const std::string setting = "set_" + purpose.name.substr(std::min<std::size_t>(4, purpose.name.size()));
    if (!purpose.required && purpose.name.rfind("get_", 0) == 0 && place->find(setting) != nullptr)
      reader_.error(place, fmt::format("`{}` needs `{}`, by which it is read back", setting, purpose.name));
  }
}

Exchange PersonalityReader::read_exchange(const Purpose& purpose, const Place& place) {
  Exchange exchange;
  if (place->is_map())
    read_map(place, exchange);
  else
    for (const Place& item : reader_.items(place))
      if (const auto text = reader_.text(item)) exchange.send.push_back(*text);
  check_exchange(purpose, exchange, place);
  return exchange;
}

void PersonalityReader::read_map(const Place& place, Exchange& exchange) {
  MapReader map(reader_, place, "a command");
  const Value::Map params = map.params(exchange_params());
  exchange.send = texts_in(params, "send");
  exchange.answer = text_in(params, "answer");
  exchange.on = texts_in(params, "on");
  exchange.off = texts_in(params, "off");
  if (const Value* bits = given(params, "bits"))
    for (const Value& bit : bits->list()) exchange.bits.push_back(static_cast<int>(bit.integer()));
  NumberFormat& number = exchange.number;
  if (const Value* digits = given(params, "digits")) {
    number.kind = NumberFormat::Kind::fixed;
    number.digits = static_cast<int>(digits->integer());
  }
  if (text_in(params, "number") == "hex16") number.kind = NumberFormat::Kind::hex16;
  if (const Value* scale = given(params, "scale")) number.scale = scale->quantity().value;
  if (number.scale == 0) reader_.error(place, "`scale` must not be 0");
  if (const Entry* answer = place->find("answer"))
    check_regex({&answer->value, place.path + ".answer"}, exchange.answer);
  map.finish();
}

void PersonalityReader::check_regex(const Place& place, const std::string& text) {
  try {
    const std::regex regex(text);
  } catch (const std::regex_error& error) {
    reader_.error(place, fmt::format("\"{}\" is no regular expression (ECMAScript): {}", text, error.what()));
  }
}

void PersonalityReader::check_exchange(const Purpose& purpose, const Exchange& exchange, const Place& place) {
  if (exchange.send.empty()) return;
  const auto holds = [&](const char* what) {
    return std::any_of(exchange.send.begin(), exchange.send.end(),
                       [&](const std::string& message) { return message.find(what) != std::string::npos; });
  };
  if (purpose.kind == PurposeKind::setting && !holds("{}"))
    reader_.error(place, fmt::format("`{}` must hold {{}} where the value goes", purpose.name));
  if (purpose.kind != PurposeKind::setting && holds("{}"))
    reader_.error(place, fmt::format("`{}` takes no value; did you mean {{channel}}?", purpose.name));
  const std::size_t channels = result_.channels.size();
  if (channels > 1 && purpose.by_channel && result_.select.empty() && !holds("{channel}") && exchange.bits.size() < 2)
    reader_.error(place, fmt::format("`{}` must hold {{channel}}: the instrument has {} channels and no `select`",
                                     purpose.name, channels));
  if (exchange.bits.size() > 1 && exchange.bits.size() != channels)
    reader_.error(place, fmt::format("`bits` of `{}` are one for all channels or one for each of the {}, found {}",
                                     purpose.name, channels, exchange.bits.size()));
}

}  // namespace

std::optional<Personality> read_personality(const Document& document, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.list().size();
  PersonalityReader reader(diagnostics);
  reader.read(document);
  if (diagnostics.list().size() == before) return reader.take();
  return std::nullopt;
}

}  // namespace firstlight::scpi
