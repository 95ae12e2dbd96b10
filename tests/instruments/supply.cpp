#include "tests/instruments/supply.h"

namespace firstlight::instruments {

std::string Supply::answer(const std::string& command) {
  static const std::map<std::string, std::string> fixed = {
      {"*IDN?", kIdentity},  {"*OPC?", "1"},        {"*ESR?", "0"},           {"MEAS:VOLT?", kReading},
      {"MEAS:CURR?", "1.5"}, {"MEAS:POW?", "18.0"}, {"VOLT:PROT:TRIP?", "0"}, {"CURR:PROT:TRIP?", "0"}};
  if (command == "SYST:ERR?") {
    if (errors.empty()) return "0,\"No error\"";
    std::string first = errors.front();
    errors.pop_front();
    return first;
  }
  if (command == "*CLS") errors.clear();
  const auto found = fixed.find(command);
  if (found != fixed.end()) return found->second;
  if (!command.empty() && command.back() == '?') return settings[command.substr(0, command.size() - 1)];
  const auto space = command.find(' ');
  if (space != std::string::npos) {
    const std::string value = command.substr(space + 1);
    settings[command.substr(0, space)] = value == "ON" ? "1" : value == "OFF" ? "0" : value;
  }
  return {};
}

void serve(Line& line, Supply& supply, const Manner& manner, const std::function<void(Line&, Supply&)>& greet) {
  if (greet) greet(line, supply);
  while (line.open()) {
    const auto command = line.read_line();
    if (!command) return;
    ++supply.asked[*command];
    if (manner && manner(line, supply, *command)) continue;
    const std::string answer = supply.answer(*command);
    if (!answer.empty() && !line.send(answer + "\n")) return;
  }
}

Manner says(const std::string& command, const std::string& bytes) {
  return [=](Line& line, Supply&, const std::string& asked) { return asked == command && (line.send(bytes), true); };
}

Manner says_once(const std::string& command, const std::string& bytes) {
  return [=](Line& line, Supply& supply, const std::string& asked) {
    return asked == command && supply.asked[command] == 1 && (line.send(bytes), true);
  };
}

Manner slow(const std::string& command, std::chrono::milliseconds pause, int times) {
  return [=](Line& line, Supply& supply, const std::string& asked) {
    if (asked == command && supply.asked[command] <= times) line.pause(pause);
    return false;
  };
}

Manner silent(const std::string& command) {
  return [=](Line&, Supply&, const std::string& asked) { return asked == command; };
}

Manner breaks_off(const std::string& command, std::size_t bytes, bool reset) {
  return [=](Line& line, Supply& supply, const std::string& asked) {
    if (asked != command || supply.connection != 0) return false;
    line.send((supply.answer(asked) + "\n").substr(0, bytes));
    reset ? line.reset() : line.close();
    return true;
  };
}

Manner drips(const std::string& command, std::chrono::milliseconds pause) {
  return [=](Line& line, Supply& supply, const std::string& asked) {
    if (asked != command) return false;
    for (const char c : supply.answer(asked) + "\n") {
      line.send(std::string(1, c));
      line.pause(pause);
    }
    return true;
  };
}

Manner floods(const std::string& command, const std::string& bytes) {
  return [=](Line& line, Supply&, const std::string& asked) {
    if (asked != command) return false;
    std::string chunk;
    while (chunk.size() < 16384) chunk += bytes;
    while (line.send(chunk)) continue;
    return true;
  };
}

}  // namespace firstlight::instruments
