#include "tb/blocks/tensor/bus_port.h"

#include <algorithm>
#include <stdexcept>

namespace tb::blocks::tensor {

namespace {

using golden::axi::Address;
using golden::axi::Response;
using golden::axi::WriteBeat;

constexpr unsigned kLongest = 256;  // beats
constexpr unsigned kOurs = 1;       // tags
constexpr unsigned kDisturbance = 2;

Address address(unsigned id, unsigned partition, unsigned word, std::size_t beats) {
  const std::uint64_t byte = std::uint64_t{partition} * 16384 + std::uint64_t{word} * 8;
  return {static_cast<std::uint8_t>(id), byte, static_cast<std::uint8_t>(beats - 1)};
}

std::size_t ours(const std::vector<AxiManagerAgent::Burst>& bursts) {
  return static_cast<std::size_t>(
      std::count_if(bursts.begin(), bursts.end(), [](const auto& burst) { return burst.tag == kOurs; }));
}

const AxiManagerAgent::Burst& first_of_ours(const std::vector<AxiManagerAgent::Burst>& bursts) {
  return *std::find_if(bursts.begin(), bursts.end(), [](const auto& burst) { return burst.tag == kOurs; });
}

}  // namespace

BusPort::BusPort(BlockBench<Model>& bench) : axi("bus", FL_AXI_PINS(bench.dut(), s), seed() + 77), bench_(bench) {
  bench.add(*this);
  bench.add(axi);
}

void BusPort::settle() {
  axi.finished_reads.clear();
  axi.finished_writes.clear();
}

BusPort::Answer BusPort::read(unsigned partition, unsigned word) {
  settle();
  axi.read(address(0, partition, word, 1), kOurs);
  if (!bench_.cycle_until([this] { return ours(axi.finished_reads) == 1; }, 20000))
    throw std::runtime_error("no answer on the data bus");
  const auto& answer = first_of_ours(axi.finished_reads).answers.front();
  return {answer.data, answer.resp != Response::okay};
}

BusPort::Answer BusPort::write(unsigned partition, unsigned word, std::uint64_t data, unsigned strobes) {
  settle();
  axi.write(address(0, partition, word, 1), {WriteBeat{data, static_cast<std::uint8_t>(strobes), true}}, kOurs);
  if (!bench_.cycle_until([this] { return ours(axi.finished_writes) == 1; }, 20000))
    throw std::runtime_error("no answer on the data bus");
  return {0, first_of_ours(axi.finished_writes).response.resp != Response::okay};
}

std::vector<std::uint64_t> BusPort::read_words(unsigned partition, unsigned first, unsigned count) {
  settle();
  std::size_t bursts = 0;
  for (unsigned done = 0; done < count; done += kLongest, ++bursts)
    axi.read(address(0, partition, first + done, std::min(kLongest, count - done)), kOurs);
  if (!bench_.cycle_until([&] { return ours(axi.finished_reads) == bursts; }, 100000))
    throw std::runtime_error("no answer on the data bus");
  std::vector<std::uint64_t> out;
  for (const auto& burst : axi.finished_reads)
    for (const auto& beat : burst.answers) {
      if (burst.tag != kOurs) continue;
      if (beat.resp != Response::okay) throw std::runtime_error("a word cannot be read");
      out.push_back(beat.data);
    }
  return out;
}

void BusPort::write_words(unsigned partition, unsigned first, const std::vector<std::uint64_t>& words) {
  settle();
  std::size_t bursts = 0;
  for (std::size_t done = 0; done < words.size(); done += kLongest, ++bursts) {
    const std::size_t count = std::min<std::size_t>(kLongest, words.size() - done);
    std::vector<WriteBeat> beats;
    for (std::size_t i = 0; i < count; ++i) beats.push_back({words[done + i], 0xff, i + 1 == count});
    axi.write(address(0, partition, first + static_cast<unsigned>(done), count), std::move(beats), kOurs);
  }
  if (!bench_.cycle_until([&] { return ours(axi.finished_writes) == bursts; }, 100000))
    throw std::runtime_error("no answer on the data bus");
  for (const auto& burst : axi.finished_writes)
    if (burst.response.resp != Response::okay) throw std::runtime_error("a word cannot be written");
}

void BusPort::drive() {
  if (!disturb_ || axi.waiting() + axi.open() >= 4 || dice_.one_in(4)) return;
  axi.read(address(1, dice_.below(16), dice_.below(2048), 1), kDisturbance);
  auto& done = axi.finished_reads;
  done.erase(std::remove_if(done.begin(), done.end(), [](const auto& burst) { return burst.tag != kOurs; }),
             done.end());
}

}  // namespace tb::blocks::tensor
