#include <fmt/format.h>

#include <memory>
#include <utility>

#include "lab/capabilities/identity.h"
#include "lab/core/failure.h"
#include "lab/drivers/fru.h"
#include "lab/drivers/params.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

constexpr Duration kIoTimeout{100'000'000'000};
constexpr std::size_t kChunk = 32;  // of a sequential read: short enough for any adapter
constexpr int kAttempts = 3;
constexpr std::size_t kMostFru = 4096;      // areas begin within 2040 bytes and are no longer than that
constexpr std::size_t kMostOneByte = 2048;  // 24C16; larger ones take two address bytes
constexpr std::size_t kBlock = 256;         // what one address byte reaches

/// The board's identity EEPROM: 24C01 to 24C16 with one address byte, whose higher address bits are the low ones of the
/// I2C address, or a larger one with two.
class Eeprom final : public Identity {
 public:
  Eeprom(std::string name, std::shared_ptr<I2cBus> bus, std::uint8_t address, std::size_t size, bool wide,
         std::map<std::string, std::string> expected, BenchTime& time)
      : name_(std::move(name)),
        bus_(std::move(bus)),
        address_(address),
        size_(size),
        wide_(wide),
        expected_(std::move(expected)),
        time_(time) {}

  std::string part() const override { return fmt::format("{} (I2C 0x{:02x})", name_, address_); }
  std::map<std::string, std::string> expected() const override { return expected_; }

  std::map<std::string, std::string> identity() override {
    std::vector<std::uint8_t> image;
    const std::size_t size = std::min(size_, kMostFru);
    while (image.size() < size) {
      const std::vector<std::uint8_t> chunk = read(image.size(), std::min(kChunk, size - image.size()));
      image.insert(image.end(), chunk.begin(), chunk.end());
    }
    fru::Parsed parsed = fru::parse(image);
    if (parsed.error.empty()) return std::move(parsed.fields);
    throw FailureError(
        {ErrorClass::bench, "fru_invalid", fmt::format("{} holds no valid FRU: {}", part(), parsed.error), part(),
         fmt::format("read {} bytes", size),
         fmt::format(
             "{:02x}",
             fmt::join(image.begin(),
                       image.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(16, image.size())), " ")),
         "the board's identity was never written, or the memory is worn or of another size"});
  }

 private:
  std::vector<std::uint8_t> read(std::size_t offset, std::size_t count) {
    std::vector<std::uint8_t> pointer;
    if (wide_) pointer.push_back(static_cast<std::uint8_t>(offset >> 8U));
    pointer.push_back(static_cast<std::uint8_t>(offset & 0xffU));
    const auto device = static_cast<std::uint8_t>(wide_ ? address_ : address_ | (offset / kBlock));
    I2cResult result;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt > 0) time_.sleep(Duration{5'000'000'000});  // a write cycle of the memory
      result =
          bus_->transfer(device, {I2cMessage::writing(pointer), I2cMessage::reading(count)}, time_.now() + kIoTimeout);
      if (result.status == I2cStatus::ok && result.data.size() == count) return result.data;
    }
    const bool nack = result.status == I2cStatus::address_nack;
    throw FailureError(
        {ErrorClass::infrastructure, nack ? "eeprom_no_answer" : "eeprom_read",
         fmt::format("{} {} at offset {} ({} attempts)", part(), nack ? "does not acknowledge" : "cannot be read",
                     offset, kAttempts),
         part(), fmt::format("W 0x{:02x}: {:02x}; R {}", device, fmt::join(pointer, " "), count),
         fmt::format("{} bytes {}", result.data.size(), result.detail),
         nack ? "no board in the socket, no standby power, or another address" : "the I2C bus is disturbed"});
  }

  std::string name_;
  std::shared_ptr<I2cBus> bus_;
  std::uint8_t address_;
  std::size_t size_;
  bool wide_;
  std::map<std::string, std::string> expected_;
  BenchTime& time_;
};

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const auto size = static_cast<std::size_t>(integer_param(plan.params, "size").value_or(256));
  std::map<std::string, std::string> expected;
  for (const char* field : {"manufacturer", "product", "serial_number", "part_number"})
    if (const auto pattern = text_param(plan.params, field)) expected[field] = *pattern;
  const bool wide = integer_param(plan.params, "address_bytes").value_or(size > kMostOneByte ? 2 : 1) == 2;
  const auto address = static_cast<std::uint8_t>(integer_param(plan.params, "address").value_or(0x50));
  if (!wide && (address & ((size - 1) / kBlock)) != 0)
    throw_bad_param(plan.where, fmt::format("a memory of {} bytes with one address byte takes the low bits of its I2C "
                                            "address for itself: 0x{:02x} cannot be where it begins",
                                            size, address));
  const auto eeprom = std::make_shared<Eeprom>(plan.name, environment.i2c(plan.uses.at(0)), address, size, wide,
                                               std::move(expected), environment.time());
  environment.bench().keep(eeprom);
  environment.bench().offer<Identity>(plan.name, *eeprom);
}

}  // namespace

std::vector<DriverType> eeprom_drivers() {
  DriverTypeSpec spec;
  spec.driver = "eeprom";
  spec.doc = "The board's identity EEPROM, in the IPMI FRU format.";
  spec.uses = {"i2c"};
  ParamSpec address;
  address.name = "address";
  address.type = ParamType::integer;
  address.doc = "7-bit I2C address.";
  address.fallback = "0x50";
  address.min = 0x08;
  address.max = 0x77;
  ParamSpec size;
  size.name = "size";
  size.type = ParamType::integer;
  size.doc = "Bytes of the memory.";
  size.fallback = "256";
  size.min = 8;
  size.max = 65536;
  ParamSpec width;
  width.name = "address_bytes";
  width.type = ParamType::integer;
  width.doc = "How many bytes say where in the memory; by default 1 up to 2048 bytes (24C16), 2 above (24C32 and up).";
  width.min = 1;
  width.max = 2;
  spec.params = {address, size, width};
  for (const char* field : {"manufacturer", "product", "serial_number", "part_number"}) {
    ParamSpec expected;
    expected.name = field;
    expected.type = ParamType::text;
    expected.doc = fmt::format("Regular expression that the board's {} must match.", field);
    spec.params.push_back(expected);
  }
  spec.offers = {"identity"};
  return {{spec, build}};
}

}  // namespace firstlight
