#include "lab/drivers/scpi/line.h"

#include <fmt/format.h>

namespace firstlight::scpi {

std::string Line::channel_name(std::size_t channel) const {
  return channel < personality_.channels.size() ? personality_.channels[channel].name : std::string();
}

void Line::say(const std::string& message) {
  if (personality_.acknowledge.empty()) return session_.set(message);
  const std::string answer = session_.query(message);
  if (answer == personality_.acknowledge) return;
  throw FailureError({ErrorClass::infrastructure, "instrument_refused",
                      fmt::format("{} answered {} with \"{}\", not with \"{}\"", session_.name(), message,
                                  printable(answer), personality_.acknowledge),
                      session_.name(), message, printable(answer),
                      "a value out of range, a local lock, or a command that this model does not know"});
}

void Line::choose(std::size_t channel) {
  // Said each time: someone at the front panel may have chosen another one since.
  if (!personality_.select.empty() && !personality_.channels.empty())
    say(Exchange{{personality_.select}, {}, {}, {}, {}, {}}.messages(channel_name(channel)).front());
}

void Line::tell(const Exchange& exchange, std::size_t channel, const std::string& value) {
  const Turns::Hold hold(turns_);
  choose(channel);
  for (const std::string& message : exchange.messages(channel_name(channel), value)) say(message);
}

std::string Line::ask(const Exchange& exchange, std::size_t channel) {
  const Turns::Hold hold(turns_);
  choose(channel);
  const std::vector<std::string> messages = exchange.messages(channel_name(channel));
  for (std::size_t i = 0; i + 1 < messages.size(); ++i) say(messages[i]);
  return session_.query(messages.back());
}

}  // namespace firstlight::scpi
