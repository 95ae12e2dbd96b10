#include "tests/instruments/ways.h"

#include <utility>

namespace firstlight::instruments {

namespace {

using namespace std::chrono_literals;
using Ways = std::vector<Way>;

constexpr const char* kVoltage = "MEAS:VOLT?";

Outcome right() {
  Outcome outcome;
  outcome.right = true;
  return outcome;
}
Outcome fails(std::string symptom, std::string received, std::string cause) {
  return {false, ErrorClass::infrastructure, std::move(symptom), std::move(received), std::move(cause)};
}
Outcome wrong_bench(std::string symptom, std::string received, std::string cause) {
  return {false, ErrorClass::bench, std::move(symptom), std::move(received), std::move(cause)};
}

/// An answer to the question for a voltage that is none.
Way bad_reading(std::string name, const std::string& bytes, std::string received, std::string cause) {
  return {std::move(name),
          Wish::read_voltage,
          says(kVoltage, bytes),
          fails("scpi_bad_answer", std::move(received), std::move(cause)),
          0,
          true};
}

Ways of_connections() {
  const auto hang_up = [](Line& line, Supply&) { line.close(); };
  const auto reset = [](Line& line, Supply&) {
    line.pause(30ms);
    line.reset();
  };
  Ways ways;
  ways.push_back({"refuses the connection", Wish::connect, {}, fails("connect_failed", "refused", "nothing listens")});
  ways.back().listens = false;
  ways.push_back({"accepts and closes", Wish::read_voltage, {}, fails("scpi_connection", "", "one program at a time")});
  ways.back().greet = hang_up;
  ways.push_back({"accepts and resets", Wish::read_voltage, {}, fails("scpi_connection", "", "switched off")});
  ways.back().greet = reset;
  ways.push_back({"closes while nobody asks", Wish::read_voltage,
                  [](Line& line, Supply& supply, const std::string& command) {
                    if (command != kVoltage || supply.connection != 0) return false;
                    line.send(std::string(kReading) + "\n");
                    line.close();
                    return true;
                  },
                  fails("scpi_connection", "closed", "switched off"), 0, false, 2});
  for (std::size_t bytes = 0; bytes <= std::string(kReading).size(); ++bytes)
    ways.push_back({"closes after " + std::to_string(bytes) + " bytes of an answer", Wish::read_voltage,
                    breaks_off(kVoltage, bytes),
                    fails("scpi_connection", std::string(kReading).substr(0, bytes), "switched off")});
  ways.push_back({"resets within an answer", Wish::read_voltage, breaks_off(kVoltage, 2, true),
                  fails("scpi_connection", "", "switched off")});
  ways.push_back({"closes within its identity", Wish::read_voltage, breaks_off("*IDN?", 9),
                  fails("scpi_connection", "Firstligh", "switched off")});
  ways.push_back({"closes after a setting", Wish::set_voltage, breaks_off("*OPC?", 0),
                  fails("scpi_connection", "nothing", "switched off")});
  return ways;
}

Ways of_restarts() {
  const auto closes_first = breaks_off(kVoltage, 0);
  Ways ways;
  ways.push_back({"restarts within a run", Wish::read_voltage,
                  [=](Line& line, Supply& supply, const std::string& command) {
                    if (supply.connection > 0 && supply.asked["*ESR?"] <= 1 && command == "*ESR?")
                      return line.send("128\n"), true;
                    return closes_first(line, supply, command);
                  },
                  fails("scpi_restarted", "128", "those after power-on"), 2, false, 2});
  ways.push_back({"comes back after a glitch of the network", Wish::read_voltage, closes_first, right(), 2, false, 2});
  ways.push_back({"comes back as another one", Wish::read_voltage,
                  [=](Line& line, Supply& supply, const std::string& command) {
                    if (supply.connection > 0 && command == "*IDN?")
                      return line.send("Firstlight,FL-PS1230,SN0002,1.0\n"), true;
                    return closes_first(line, supply, command);
                  },
                  wrong_bench("scpi_wrong_identity", "SN0002", "exchanged"), 2, false, 2});
  ways.push_back(
      {"closes again and again", Wish::read_voltage,
       [](Line& line, Supply&, const std::string& command) { return command == kVoltage && (line.close(), true); },
       fails("scpi_connection", "", "switched off"), 6, false, 3});
  return ways;
}

Ways of_identities() {
  const auto greets = [](std::string bytes) {
    return [bytes = std::move(bytes)](Line& line, Supply&) { line.send(bytes); };
  };
  Ways ways;
  ways.push_back({"wakes slowly", Wish::read_voltage, slow("*IDN?", 300ms), right(), 2, true});
  ways.push_back({"wakes too slowly", Wish::read_voltage, slow("*IDN?", 900ms),
                  fails("scpi_timeout", "nothing", "hangs"), 2, true});
  ways.push_back(
      {"never answers", Wish::read_voltage, silent("*IDN?"), fails("scpi_timeout", "nothing", "off"), 2, true});
  ways.push_back({"is another model", Wish::switch_on, says("*IDN?", "Firstlight,FL-DM6500,SN0007,2.1\n"),
                  wrong_bench("scpi_wrong_identity", "FL-DM6500", "another instrument"), 1, true});
  ways.push_back({"has another serial number", Wish::switch_on, says("*IDN?", "Firstlight,FL-PS1230,SN0002,1.0\n"),
                  wrong_bench("scpi_wrong_identity", "SN0002", "exchanged"), 1, true});
  ways.push_back({"says nothing of itself", Wish::read_voltage, says("*IDN?", "\n"),
                  fails("scpi_bad_answer", "", "empty line"), 1, true});
  ways.push_back({"is a web server", Wish::read_voltage,
                  says("*IDN?", "HTTP/1.1 400 Bad Request\r\n\r\n<html>Bad Request</html>\r\n"),
                  fails("scpi_bad_answer", "HTTP/1.1 400", "port is wrong"), 1});
  ways.push_back(
      {"is an SSH server", Wish::read_voltage, silent("*IDN?"), fails("scpi_timeout", "SSH-2.0", "port is wrong"), 2});
  ways.back().outcome.or_symptom = "scpi_bad_answer";
  ways.back().greet = greets("SSH-2.0-OpenSSH_9.2\r\n");
  ways.push_back({"speaks Telnet", Wish::read_voltage, silent("*IDN?"), fails("scpi_timeout", "\\xff", "Telnet"), 2});
  ways.back().greet = greets("\xff\xfd\x18\xff\xfd\x20");
  ways.push_back({"greets whoever connects", Wish::read_voltage, {}, right(), 1, true});
  ways.back().greet = greets("Power supply ready\r\n");
  ways.push_back({"greets late", Wish::read_voltage,
                  says_once("*IDN?", std::string("Power supply ready\r\n") + kIdentity + "\n"), right(), 1, true});
  ways.push_back({"has another baud rate", Wish::read_voltage, says("*IDN?", "\x86\xe6\x1e\xfe\x98\n"),
                  fails("scpi_bad_answer", "\\x86\\xe6", "baud rate"), 1, true});
  return ways;
}

Ways of_silence() {
  Ways ways;
  ways.push_back({"takes a question and never answers", Wish::read_voltage, silent(kVoltage),
                  fails("scpi_timeout", "nothing", "does not know the command"), 1, true});
  ways.push_back(
      {"answers half", Wish::read_voltage, says(kVoltage, "12."), fails("scpi_timeout", "12.", "broke off"), 1, true});
  ways.push_back({"answers late", Wish::read_voltage,
                  [](Line& line, Supply& supply, const std::string& command) {
                    if (command != kVoltage || supply.asked[kVoltage] > 1) return false;
                    line.pause(400ms);
                    line.send("99.9\n");
                    return true;
                  },
                  fails("scpi_timeout", "nothing", "hangs"), 1, true});
  ways.push_back({"answers slowly", Wish::read_voltage, slow(kVoltage, 120ms, 100), right(), 1, true});
  ways.push_back({"answers a byte at a time", Wish::read_voltage, drips(kVoltage, 5ms), right(), 1, true});
  ways.push_back({"answers a byte at a time, too slowly", Wish::read_voltage, drips(kVoltage, 90ms),
                  fails("scpi_timeout", "12", "broke off"), 1, true});
  ways.push_back({"ends lines with a carriage return", Wish::read_voltage, says(kVoltage, "12.01\r"),
                  fails("scpi_timeout", "12.01\\x0d", "line end"), 1, true});
  ways.push_back({"ends lines with a semicolon", Wish::read_voltage, says(kVoltage, "12.01;"),
                  fails("scpi_timeout", "12.01;", "line end"), 1, true});
  ways.push_back({"ends lines with a NUL", Wish::read_voltage, says(kVoltage, std::string("12.01\0", 6)),
                  fails("scpi_timeout", "12.01\\x00", "line end"), 1, true});
  ways.push_back({"sends garbage without an end", Wish::read_voltage, says(kVoltage, "\x11\x92\xff~"),
                  fails("scpi_timeout", "\\x92", "broke off"), 1, true});
  return ways;
}

Ways of_line_ends() {
  const auto reads = [](std::string name, const std::string& bytes) {
    return Way{std::move(name), Wish::read_voltage, says(kVoltage, bytes), right(), 0, true};
  };
  return {reads("ends lines with CR LF", "12.01\r\n"), reads("ends lines with LF CR", "12.01\n\r"),
          reads("pads with spaces", "  12.01\t \n"), reads("writes exponents", "+1.20100E+01\n")};
}

Ways of_readings() {
  Ways ways = {
      bad_reading("writes a decimal comma", "12,01\n", "12,01", "decimal comma"),
      bad_reading("writes a unit", "12.01 V\n", "12.01 V", "dialect"),
      bad_reading("groups digits", "1,201.0\n", "1,201.0", "dialect"),
      bad_reading("has no reading (9.91E37)", "9.91E37\n", "9.91E37", "no reading"),
      bad_reading("is overloaded (9.9E37)", "+9.90000000E+37\n", "E+37", "overload"),
      bad_reading("says nan", "nan\n", "nan", "no reading"),
      bad_reading("says -INF", "-INF\n", "-INF", "overload"),
      bad_reading("says OVLD", "OVLD\n", "OVLD", "dialect"),
      bad_reading("sends an empty line", "\n", "", "empty line"),
      bad_reading("has NULs in an answer", std::string("12\0.01\n", 7), "12\\x00.01", "noise"),
      bad_reading("pads with NULs", std::string("12.01\0\0\n", 8), "\\x00", "noise"),
      bad_reading("sets the eighth bit", "\xb1\xb2\xae\xb0\xb1\n", "\\xb1\\xb2", "parity"),
      bad_reading("sends a byte order mark",
                  "\xef\xbb\xbf"
                  "12.01\n",
                  "\\xef", "noise"),
      bad_reading("sends garbage", "\x02\x7f\x1c\xfe\n", "\\x02", "noise"),
      bad_reading("answers another question", std::string(kIdentity) + "\n", "FL-PS1230", "dialect"),
      bad_reading("answers with an error", "-113,\"Undefined header\"\n", "-113", "dialect"),
      bad_reading("answers two questions in one line", "12.01;1.5\n", "12.01;1.5", "several answers"),
  };
  ways.push_back({"echoes what it gets", Wish::read_voltage,
                  [](Line& line, Supply&, const std::string& command) { return line.send(command + "\n"), false; },
                  fails("scpi_bad_answer", kVoltage, "echo"), 1, true});
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"reads twelve million volts", "1.2E+07\n"}, {"reads minus ten kilovolts", "-10000\n"}})
    ways.push_back({name, Wish::read_voltage, says(kVoltage, bytes),
                    fails("scpi_impossible", bytes.substr(0, 3), "bytes were lost"), 0, true});
  return ways;
}

Ways of_too_many_answers() {
  Ways ways;
  ways.push_back({"answers twice", Wish::read_voltage, says_once(kVoltage, "12.01\n12.01\n"),
                  fails("scpi_extra_answer", "12.01\\x0a12.01", "earlier question"), 0, true});
  ways.push_back({"answers twice, differently", Wish::read_voltage, says_once(kVoltage, "99.9\n12.01\n"),
                  fails("scpi_extra_answer", "99.9", "earlier question"), 0, true});
  ways.push_back({"repeats an answer later", Wish::read_voltage,
                  [](Line& line, Supply& supply, const std::string& command) {
                    if (command != kVoltage || supply.asked[kVoltage] > 1) return false;
                    line.send("12.01\n");
                    line.pause(30ms);
                    line.send("99.9\n");
                    return true;
                  },
                  right(), 1, true});
  ways.push_back({"reports without being asked", Wish::read_voltage,
                  [](Line& line, Supply& supply, const std::string& command) {
                    if (command != kVoltage) return false;
                    line.send(supply.answer(command) + "\n");
                    for (int i = 0; i < 3; ++i) {
                      line.pause(15ms);
                      line.send("99.9\n");
                    }
                    return true;
                  },
                  fails("scpi_extra_answer", "99.9", "unasked"), 3, true, 2});
  ways.push_back({"sends an answer without an end", Wish::read_voltage, floods(kVoltage, "12"),
                  fails("scpi_connection", "12121212", "never ends"), 2});
  ways.push_back({"sends answers without an end", Wish::read_voltage, floods(kVoltage, "99.9\n"),
                  fails("scpi_extra_answer", "99.9", "earlier question"), 1});
  return ways;
}

Ways of_settings() {
  const auto errors = [](std::deque<std::string> queue) {
    return [queue = std::move(queue)](Line&, Supply& supply, const std::string& command) {
      if (command == "VOLT 12") supply.errors = queue;
      return false;
    };
  };
  Ways ways;
  ways.push_back({"refuses a setting", Wish::set_voltage, errors({"-222,\"Data out of range\""}),
                  fails("scpi_error", "-222,\"Data out of range\"", "out of range"), 0, true});
  ways.push_back({"has its error queue full", Wish::set_voltage,
                  errors({"-113,\"Undefined header\"", "-350,\"Queue overflow\""}),
                  fails("scpi_error", "-350", "overflowed"), 0, true});
  ways.push_back({"has errors without an end", Wish::set_voltage, says("SYST:ERR?", "-100,\"Command error\"\n"),
                  fails("scpi_error", "-100", "overflowed"), 1, true});
  ways.push_back({"does not know the error queue", Wish::set_voltage, silent("SYST:ERR?"),
                  fails("scpi_timeout", "nothing", "does not know"), 1, true});
  ways.push_back({"answers the error queue with nonsense", Wish::set_voltage, says("SYST:ERR?", "none\n"),
                  fails("scpi_bad_answer", "none", "dialect"), 0, true});
  ways.push_back({"never ends an operation", Wish::set_voltage, silent("*OPC?"),
                  fails("scpi_timeout", "nothing", "hangs"), 1, true});
  ways.push_back({"says that an operation goes on", Wish::set_voltage, says("*OPC?", "0\n"),
                  fails("scpi_bad_answer", "0", "dialect"), 0, true});
  ways.push_back({"acknowledges what has no answer", Wish::set_voltage,
                  [](Line& line, Supply&, const std::string& command) {
                    if (command == "VOLT 12") line.send("OK\n");
                    if (command == "*OPC?") line.pause(30ms);
                    return false;
                  },
                  fails("scpi_bad_answer", "OK", "dialect"), 0, true});
  ways.push_back({"is busy for a while", Wish::set_voltage, slow("*OPC?", 150ms), right(), 1, true});
  ways.push_back({"writes +1 and +0", Wish::set_voltage,
                  [](Line& line, Supply&, const std::string& command) {
                    if (command == "*OPC?") return line.send("+1\n"), true;
                    if (command == "SYST:ERR?") return line.send("+0,\"No error\"\n"), true;
                    return false;
                  },
                  right(), 0, true});
  ways.push_back({"forgets a setting", Wish::set_voltage, says("VOLT?", "5\n"),
                  wrong_bench("instrument_readback", "5", "remote lock"), 0, true});
  ways.push_back({"does not switch on", Wish::switch_on, says("OUTP?", "0\n"),
                  wrong_bench("instrument_readback", "", "protection"), 0, true});
  ways.push_back({"does not know its own state", Wish::switch_on, says("OUTP?", "2\n"),
                  fails("scpi_bad_answer", "2", "dialect"), 0, true});
  ways.push_back({"writes ON", Wish::switch_on, says("OUTP?", "ON\n"), right(), 0, true});
  return ways;
}

Ways of_blocks() {
  const auto block = [](std::string name, const std::string& bytes, Outcome outcome, int waits = 0) {
    return Way{std::move(name), Wish::read_block, says("CURV?", bytes), std::move(outcome), waits, true};
  };
  Ways ways = {
      block("has line feeds in a block", "#16ab\ncd\n\n", right()),
      block("ends a block with CR LF", "#16ab\ncd\n\r\n", right()),
      block("breaks off within a block", "#16ab\nc", fails("scpi_timeout", "ab\\x0ac", "broke off"), 1),
      block("ends a block too early", "#3999abc\n", fails("scpi_timeout", "abc", ""), 1),
      block("sends a block without a length", "#0ab\ncd\n", fails("scpi_bad_answer", "#0", "")),
      block("sends a block of a gigabyte", "#9999999999ab", fails("scpi_bad_answer", "999999999", "")),
      block("sends no block", "12.01\n", fails("scpi_bad_answer", "12", "")),
      block("sends a block with a crooked length", "#2x6abcdef\n", fails("scpi_bad_answer", "x6", "")),
      block("sends more than a block", "#16ab\ncd\nxyz\n", fails("scpi_bad_answer", "x", "")),
  };
  ways.push_back({"closes within a block", Wish::read_block,
                  [](Line& line, Supply&, const std::string& command) {
                    return command == "CURV?" && (line.send("#16ab"), line.close(), true);
                  },
                  fails("scpi_connection", "ab", "switched off")});
  return ways;
}

}  // namespace

std::vector<Way> all_ways() {
  Ways all;
  for (const auto& some : {of_connections(), of_restarts(), of_identities(), of_silence(), of_line_ends(),
                           of_readings(), of_too_many_answers(), of_settings(), of_blocks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace firstlight::instruments
