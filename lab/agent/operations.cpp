#include "lab/agent/operations.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/transports/agent/protocol.h"
#include "lab/transports/agent/remote.h"

namespace firstlight::agent {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxI2cBytes = 65536;

struct Job {
  const json& request;
  Exports& exports;
  Streams& streams;
  Instant deadline;

  /// A field of the request. Throws Refusal when it is missing or of another type.
  template <class T>
  T get(const char* field) const {
    const auto found = request.find(field);
    if (found == request.end()) throw Refusal(fmt::format("the request lacks \"{}\"", field));
    try {
      return found->get<T>();
    } catch (const json::exception&) {
      throw Refusal(fmt::format("\"{}\" of the request is not of its type", field));
    }
  }
  std::vector<std::uint8_t> bytes(const char* field) const { return bytes_in(request, field); }
  std::string of() const { return get<std::string>("of"); }
  ByteStream& stream() const {
    const auto found = streams.find(of());
    if (found == streams.end() || !found->second) throw Refusal(fmt::format("\"{}\" has not been opened", of()));
    return *found->second;
  }
};

I2cMessage i2c_message(const json& part) {
  if (!part.is_array() || part.size() != 5 || !part[0].is_binary() || !part[1].is_number_unsigned() ||
      !part[2].is_boolean() || !part[3].is_number_unsigned() || !part[4].is_boolean())
    throw Refusal("a message of an I2C transfer is [bytes to write, count to read, block, extra, pec]");
  I2cMessage message;
  message.write = part[0].get_binary();
  message.read = part[1].get<std::size_t>();
  message.block = part[2].get<bool>();
  message.extra = part[3].get<std::size_t>();
  message.pec = part[4].get<bool>();
  if (message.write.size() + message.read + message.extra > kMaxI2cBytes)
    throw Refusal(fmt::format("a message of an I2C transfer has at most {} bytes", kMaxI2cBytes));
  return message;
}

json i2c_transfer(const Job& job) {
  const auto address = job.get<unsigned>("address");
  if (address > 0x7fU) throw Refusal("an I2C address has 7 bits");
  std::vector<I2cMessage> messages;
  for (const json& part : job.get<json>("messages")) messages.push_back(i2c_message(part));
  const I2cResult result =
      job.exports.i2c(job.of()).transfer(static_cast<std::uint8_t>(address), messages, job.deadline);
  json answer = {{"status", static_cast<int>(result.status)},
                 {"data", bytes_of(result.data.data(), result.data.size())},
                 {"acknowledged", result.acknowledged}};
  if (!result.detail.empty()) answer["detail"] = result.detail;
  return answer;
}

json i2c_recover(const Job& job) { return {{"free", job.exports.i2c(job.of()).recover(job.deadline)}}; }

json bus_answer(const BusResult& result) {
  json answer = {{"status", static_cast<int>(result.status)}, {"data", result.data}};
  if (!result.detail.empty()) answer["detail"] = result.detail;
  return answer;
}

json reg_read(const Job& job) {
  return bus_answer(job.exports.registers(job.of()).read(job.get<std::uint64_t>("address"), job.deadline));
}
json reg_write(const Job& job) {
  const auto value = job.get<std::uint32_t>("data");
  return bus_answer(job.exports.registers(job.of()).write(job.get<std::uint64_t>("address"), value, job.deadline));
}

void check_range(const DmaMemory& memory, std::uint64_t offset, std::size_t count) {
  if (count > kMaxChunk) throw Refusal(fmt::format("a request moves at most {} bytes of memory", kMaxChunk));
  if (offset > memory.size() || count > memory.size() - offset)
    throw Refusal(fmt::format("{} bytes at 0x{:x} are beyond the 0x{:x} bytes of {}", count, offset, memory.size(),
                              memory.name()));
}

json mem_read(const Job& job) {
  DmaMemory& memory = job.exports.dma_memory(job.of());
  const auto offset = job.get<std::uint64_t>("offset");
  const auto count = job.get<std::size_t>("count");
  check_range(memory, offset, count);
  std::vector<std::uint8_t> data(count);
  memory.read(offset, data.data(), count);
  return {{"data", json::binary(std::move(data))}};
}
json mem_write(const Job& job) {
  DmaMemory& memory = job.exports.dma_memory(job.of());
  const auto offset = job.get<std::uint64_t>("offset");
  const auto data = job.bytes("data");
  check_range(memory, offset, data.size());
  memory.write(offset, data.data(), data.size());
  return json::object();
}
json mem_barrier(const Job& job) {
  job.exports.dma_memory(job.of()).barrier();
  return json::object();
}

json gpio_get(const Job& job) {
  std::string detail;
  const auto level = job.exports.gpio(job.of()).get(job.get<std::string>("line"), &detail);
  if (level) return {{"level", *level}};
  return {{"detail", detail}};
}
json gpio_set(const Job& job) {
  std::string detail;
  const auto line = job.get<std::string>("line");
  const bool done = job.exports.gpio(job.of()).set(line, job.get<bool>("level"), &detail);
  return {{"done", done}, {"detail", detail}};
}

json hwmon_read(const Job& job) {
  const HwmonResult result = job.exports.hwmon(job.of()).read(job.get<std::string>("attribute"), job.deadline);
  return {{"status", static_cast<int>(result.status)}, {"value", result.value}, {"detail", result.detail}};
}

json stream_answer(const StreamResult& result) {
  return {{"status", static_cast<int>(result.status)},
          {"data", bytes_of(result.data.data(), result.data.size())},
          {"detail", result.detail}};
}
json stream_write(const Job& job) {
  const auto data = job.bytes("data");
  return stream_answer(job.stream().write({reinterpret_cast<const char*>(data.data()), data.size()}, job.deadline));
}
json stream_until(const Job& job) {
  return stream_answer(job.stream().read_until(static_cast<char>(job.get<std::uint8_t>("terminator")), job.deadline));
}
json stream_exactly(const Job& job) {
  const auto count = job.get<std::size_t>("count");
  if (count > kMaxChunk) throw Refusal(fmt::format("a request reads at most {} bytes", kMaxChunk));
  return stream_answer(job.stream().read_exactly(count, job.deadline));
}
json stream_drain(const Job& job) {
  const std::string data = job.stream().drain();
  return {{"data", bytes_of(data.data(), data.size())}};
}

json list(const Job& job) { return {{"resources", job.exports.list()}}; }
json open(const Job& job) { return job.exports.open(job.of(), job.get<std::string>("type"), job.streams); }

using Operation = json (*)(const Job&);

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> all = {
      {"list", list},
      {"open", open},
      {"i2c.transfer", i2c_transfer},
      {"i2c.recover", i2c_recover},
      {"reg.read", reg_read},
      {"reg.write", reg_write},
      {"mem.read", mem_read},
      {"mem.write", mem_write},
      {"mem.barrier", mem_barrier},
      {"gpio.get", gpio_get},
      {"gpio.set", gpio_set},
      {"hwmon.read", hwmon_read},
      {"stream.write", stream_write},
      {"stream.until", stream_until},
      {"stream.exactly", stream_exactly},
      {"stream.drain", stream_drain},
  };
  return all;
}

}  // namespace

json perform(const json& request, Exports& exports, Streams& streams, Instant deadline) {
  const Job job{request, exports, streams, deadline};
  const auto name = job.get<std::string>("op");
  const auto found = operations().find(name);
  if (found == operations().end()) throw Refusal(fmt::format("there is no operation \"{}\"", name));
  return found->second(job);
}

}  // namespace firstlight::agent
