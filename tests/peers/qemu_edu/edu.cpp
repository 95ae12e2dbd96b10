#include "tests/peers/qemu_edu/edu.h"

#include <fmt/format.h>

#include <stdexcept>

namespace firstlight::peers {

namespace {

constexpr std::uint64_t kLiveness = 0x04;
constexpr std::uint64_t kFactorial = 0x08;
constexpr std::uint64_t kStatus = 0x20;
constexpr std::uint32_t kComputing = 1;
constexpr std::uint64_t kDmaSource = 0x80;
constexpr std::uint64_t kDmaDestination = 0x88;
constexpr std::uint64_t kDmaCount = 0x90;
constexpr std::uint64_t kDmaCommand = 0x98;
constexpr std::uint32_t kStart = 1;
constexpr std::uint32_t kToHost = 2;
constexpr int kMostWaits = 5000;

FieldInfo field(const char* name, unsigned lsb, unsigned width, Access access, std::uint32_t reset = 0) {
  return {name, lsb, width, access, reset, "", 1, false, {}, "", Varies::No};
}
RegisterInfo one(const char* name, std::uint32_t offset, std::vector<FieldInfo> fields) {
  return {name, offset, 1, 4, false, "", std::move(fields)};
}

}  // namespace

const RegisterMap& edu_registers() {
  static const RegisterMap map(
      "edu",
      {{"edu",
        "QEMU's educational device.",
        Domain::Reference,
        0,
        0x100,
        {one("id", 0x00, {field("value", 0, 32, Access::Constant, kEduId)}),
         one("liveness", 0x04, {field("value", 0, 32, Access::ReadWriteHardware)}),
         one("factorial", 0x08, {field("value", 0, 32, Access::ReadWriteHardware)}),
         one("status", 0x20, {field("computing", 0, 1, Access::ReadOnly), field("interrupt", 7, 1, Access::ReadWrite)}),
         one("dma_source", 0x80, {field("address", 0, 32, Access::ReadWrite)})},
        {}}},
      {});
  return map;
}

std::uint32_t Edu::get(std::uint64_t address) {
  const BusResult result = bus_.read(address, kNever);
  if (result.status != BusStatus::ok)
    throw std::runtime_error(fmt::format("read of 0x{:x}: {}", address, result.detail));
  return result.data;
}

void Edu::put(std::uint64_t address, std::uint32_t value) {
  const BusResult result = bus_.write(address, value, kNever);
  if (result.status != BusStatus::ok)
    throw std::runtime_error(fmt::format("write of 0x{:x}: {}", address, result.detail));
}

void Edu::until_clear(std::uint64_t address, std::uint32_t bit) {
  for (int i = 0; i < kMostWaits; ++i) {
    if ((get(address) & bit) == 0) return;
    wait_();
  }
  throw std::runtime_error(fmt::format("bit 0x{:x} of 0x{:x} stays set", bit, address));
}

std::uint32_t Edu::liveness(std::uint32_t value) {
  put(kLiveness, value);
  return get(kLiveness);
}

std::uint32_t Edu::factorial(std::uint32_t n) {
  put(kFactorial, n);
  until_clear(kStatus, kComputing);
  return get(kFactorial);
}

void Edu::copy(std::uint32_t source, std::uint32_t destination, std::uint32_t count, std::uint32_t command) {
  put(kDmaSource, source);
  put(kDmaDestination, destination);
  put(kDmaCount, count);
  put(kDmaCommand, command);
  until_clear(kDmaCommand, kStart);
}

void Edu::copy_in(std::uint64_t host, std::uint32_t offset, std::uint32_t count) {
  copy(static_cast<std::uint32_t>(host), kEduBufferAddress + offset, count, kStart);
}
void Edu::copy_out(std::uint32_t offset, std::uint64_t host, std::uint32_t count) {
  copy(kEduBufferAddress + offset, static_cast<std::uint32_t>(host), count, kStart | kToHost);
}

}  // namespace firstlight::peers
