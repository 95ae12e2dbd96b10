#include "lab/trace/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "lab/core/failure.h"
#include "lab/trace/names.h"

namespace firstlight::trace {

namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

[[noreturn]] void refuse(const std::string& symptom, const std::string& message, const std::string& cause) {
  throw FailureError({ErrorClass::infrastructure, symptom, message, "", "", "", cause});
}

std::uint64_t number(const Json& json, const char* key) {
  return std::stoull(json.at(key).get<std::string>(), nullptr, 0);
}

/// Text whose code points are bytes.
std::string bytes_text(const Json& json, const char* key) {
  const std::string utf8 = json.value(key, std::string());
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    if (lead < 0x80) {
      out += utf8[i];
    } else if (i + 1 < utf8.size() && (lead & 0xfcU) == 0xc0U) {
      out += static_cast<char>(((lead & 3U) << 6U) | (static_cast<unsigned char>(utf8[++i]) & 0x3fU));
    } else {
      throw std::invalid_argument(fmt::format("\"{}\" holds what is no byte", key));
    }
  }
  return out;
}

Bytes hex(const Json& json, const char* key) {
  const std::string text = json.value(key, std::string());
  if (text.size() % 2 != 0) throw std::invalid_argument(fmt::format("\"{}\" has half a byte", key));
  Bytes out;
  for (std::size_t i = 0; i < text.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return out;
}

template <class Enum>
Enum enumeration(const Json& json, const char* key, const char* fallback) {
  const std::string text = json.value(key, std::string(fallback));
  const auto value = value_of<Enum>(text);
  if (!value) throw std::invalid_argument(fmt::format("\"{}\" is no {}", text, key));
  return *value;
}

template <class Result>
Result outcome(const Json& json) {
  Result result;
  result.status = enumeration<decltype(result.status)>(json, "status", "ok");
  result.detail = bytes_text(json, "detail");
  return result;
}

I2cMessage message_of(const Json& json) {
  I2cMessage message;
  if (json.contains("write")) {
    message.write = hex(json, "write");
  } else if (json.contains("read")) {
    message.read = json.at("read").get<std::size_t>();
  } else {
    message.read = json.at("read_block").get<std::size_t>();
    message.extra = json.value("extra", std::size_t{0});
    message.block = true;
  }
  message.pec = json.value("pec", false);
  return message;
}

I2cTransfer i2c_of(const Json& json) {
  I2cTransfer access;
  access.address = static_cast<std::uint8_t>(number(json, "address"));
  for (const Json& message : json.at("messages")) access.messages.push_back(message_of(message));
  access.result = outcome<I2cResult>(json);
  access.result.data = hex(json, "data");
  access.result.acknowledged = json.value("acknowledged", std::size_t{0});
  return access;
}

StreamRead stream_read_of(const Json& json) {
  StreamRead access;
  const std::string until = bytes_text(json, "until");
  if (!until.empty()) access.terminator = until[0];
  access.count = json.value("exactly", std::size_t{0});
  access.result = outcome<StreamResult>(json);
  access.result.data = bytes_text(json, "data");
  return access;
}

LineGet line_get_of(const Json& json) {
  LineGet access{bytes_text(json, "line"), {}, bytes_text(json, "detail")};
  if (json.contains("level")) access.level = json.at("level").get<int>() != 0;
  return access;
}

IpmiCommand ipmi_of(const Json& json) {
  IpmiCommand access{json.at("net_fn").get<std::uint8_t>(), json.at("command").get<std::uint8_t>(),
                     hex(json, "request"), outcome<IpmiResult>(json)};
  access.result.completion = json.at("completion").get<std::uint8_t>();
  access.result.data = hex(json, "data");
  return access;
}

HttpRequest http_of(const Json& json) {
  HttpRequest access{bytes_text(json, "method"), bytes_text(json, "path"), bytes_text(json, "body"),
                     outcome<HttpResult>(json)};
  access.result.code = json.at("code").get<int>();
  access.result.body = bytes_text(json, "data");
  return access;
}

ModbusResult modbus_result_of(const Json& json) {
  ModbusResult result = outcome<ModbusResult>(json);
  result.exception = json.value("exception", 0);
  result.data = json.value("data", std::vector<std::uint16_t>());
  return result;
}

ModbusRead modbus_read_of(const Json& json) {
  return {json.at("unit").get<std::uint8_t>(), enumeration<ModbusTable>(json, "table", ""),
          json.at("address").get<std::uint16_t>(), json.at("count").get<std::uint16_t>(), modbus_result_of(json)};
}

ModbusWrite modbus_write_of(const Json& json) {
  return {json.at("unit").get<std::uint8_t>(), enumeration<ModbusTable>(json, "table", ""),
          json.at("address").get<std::uint16_t>(), json.at("values").get<std::vector<std::uint16_t>>(),
          modbus_result_of(json)};
}

class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}

  Trace read() {
    std::ifstream lines(folder_ + "/bus.jsonl");
    if (!lines)
      refuse("no_trace", "there is no bus trace (bus.jsonl) in " + folder_,
             "the run was made with --no-trace, by an older version, or never connected its bench");
    load_payloads();
    std::string line;
    std::string broken;
    while (std::getline(lines, line)) {
      ++line_;
      if (!broken.empty()) refuse_line(broken);
      try {
        trace_.transactions.push_back(transaction_of(Json::parse(line)));
      } catch (const std::exception& error) {  // JSON's, or of a number that is none
        broken = error.what();
      }
    }
    if (!broken.empty()) ++trace_.unreadable_lines;
    std::stable_sort(trace_.transactions.begin(), trace_.transactions.end(),
                     [](const Transaction& a, const Transaction& b) { return a.number < b.number; });
    return std::move(trace_);
  }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    refuse("bad_trace", fmt::format("{}/bus.jsonl:{}: not a line of a bus trace: {}", folder_, line_ - 1, why),
           "the file was edited, or its disk is damaged");
  }

  void load_payloads() {
    std::ifstream in(folder_ + "/bus.bin", std::ios::binary);
    payloads_.assign(std::istreambuf_iterator<char>(in), {});
  }

  Bytes payload(const Json& json) const {
    if (!json.contains("at")) return hex(json, "bytes");
    const auto at = json.at("at").get<std::uint64_t>();
    const auto count = json.at("count").get<std::uint64_t>();
    if (at > payloads_.size() || count > payloads_.size() - at)
      throw std::out_of_range("its payload is not in bus.bin");
    const auto first = payloads_.begin() + static_cast<std::ptrdiff_t>(at);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  Access access_of(const Json& json) const {
    const std::string op = json.at("op").get<std::string>();
    static const std::map<std::string, std::function<Access(const Reader&, const Json&)>> makers = {
        {"open",
         [](const Reader&, const Json& j) -> Access {
           return Open{enumeration<Kind>(j, "kind", ""), j.contains("base") ? number(j, "base") : 0,
                       j.contains("size") ? number(j, "size") : 0};
         }},
        {"i2c", [](const Reader&, const Json& j) -> Access { return i2c_of(j); }},
        {"i2c_recover", [](const Reader&, const Json& j) -> Access { return I2cRecovery{j.at("freed").get<bool>()}; }},
        {"read",
         [](const Reader&, const Json& j) -> Access {
           RegisterRead access{number(j, "address"), outcome<BusResult>(j)};
           access.result.data = static_cast<std::uint32_t>(number(j, "data"));
           return access;
         }},
        {"write",
         [](const Reader&, const Json& j) -> Access {
           return RegisterWrite{number(j, "address"), static_cast<std::uint32_t>(number(j, "value")),
                                outcome<BusResult>(j)};
         }},
        {"memory_read",
         [](const Reader& r, const Json& j) -> Access {
           return MemoryRead{number(j, "offset"), r.payload(j)};
         }},
        {"memory_write",
         [](const Reader& r, const Json& j) -> Access {
           return MemoryWrite{number(j, "offset"), r.payload(j)};
         }},
        {"memory_barrier", [](const Reader&, const Json&) -> Access { return MemoryBarrier{}; }},
        {"stream_write",
         [](const Reader&, const Json& j) -> Access {
           return StreamWrite{bytes_text(j, "bytes"), outcome<StreamResult>(j)};
         }},
        {"stream_read", [](const Reader&, const Json& j) -> Access { return stream_read_of(j); }},
        {"stream_drain", [](const Reader&, const Json& j) -> Access { return StreamDrain{bytes_text(j, "data")}; }},
        {"stream_reopen",
         [](const Reader&, const Json& j) -> Access { return StreamReopen{outcome<StreamResult>(j)}; }},
        {"line_get", [](const Reader&, const Json& j) -> Access { return line_get_of(j); }},
        {"line_set",
         [](const Reader&, const Json& j) -> Access {
           return LineSet{bytes_text(j, "line"), j.at("level").get<int>() != 0, j.at("done").get<bool>(),
                          bytes_text(j, "detail")};
         }},
        {"hwmon_read",
         [](const Reader&, const Json& j) -> Access {
           HwmonRead access{bytes_text(j, "attribute"), outcome<HwmonResult>(j)};
           access.result.value = j.at("value").get<std::int64_t>();
           return access;
         }},
        {"ipmi", [](const Reader&, const Json& j) -> Access { return ipmi_of(j); }},
        {"http", [](const Reader&, const Json& j) -> Access { return http_of(j); }},
        {"modbus_read", [](const Reader&, const Json& j) -> Access { return modbus_read_of(j); }},
        {"modbus_write", [](const Reader&, const Json& j) -> Access { return modbus_write_of(j); }},
    };
    const auto maker = makers.find(op);
    if (maker == makers.end()) throw std::invalid_argument("no operation is named \"" + op + "\"");
    return maker->second(*this, json);
  }

  Transaction transaction_of(const Json& json) const {
    Transaction out;
    out.number = json.at("n").get<std::uint64_t>();
    out.start = Instant(Duration(json.at("t").get<std::int64_t>()));
    out.took = Duration(json.at("d").get<std::int64_t>());
    if (json.contains("allowed")) out.allowed = Duration(json.at("allowed").get<std::int64_t>());
    out.by = bytes_text(json, "by");
    out.resource = bytes_text(json, "on");
    out.cut_off = json.value("cut_off", false);
    out.access = access_of(json);
    return out;
  }

  const std::string& folder_;
  Bytes payloads_;
  Trace trace_;
  int line_ = 0;
};

}  // namespace

Trace read_trace(const std::string& folder) { return Reader(folder).read(); }

}  // namespace firstlight::trace
