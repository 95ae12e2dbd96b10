#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/capabilities/identity.h"
#include "lab/capabilities/lines.h"
#include "lab/capabilities/rail.h"
#include "lab/capabilities/registers.h"
#include "lab/core/turns.h"
#include "lab/drivers/fru.h"
#include "lab/drivers/register_access.h"
#include "lab/drivers/registry.h"
#include "rtl/regs/tern_registers.h"
#include "tests/unit/drivers/fake_pmbus.h"
#include "tests/unit/drivers/fake_stream.h"

namespace firstlight {
namespace {

using test::FakeTime;
using testing::HasSubstr;
using testing::Pair;
using Bytes = std::vector<std::uint8_t>;

template <class Call>
Failure failure_of(Call call) {
  try {
    call();
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// ---- FRU

void checksum(Bytes& image, std::size_t begin, std::size_t end) {
  unsigned sum = 0;
  for (std::size_t i = begin; i + 1 < end; ++i) sum += image[i];
  image[end - 1] = static_cast<std::uint8_t>(0x100U - (sum & 0xffU));
}

void text(Bytes& area, const std::string& field) {
  area.push_back(static_cast<std::uint8_t>(0xc0U | field.size()));
  area.insert(area.end(), field.begin(), field.end());
}

Bytes fru_image() {
  Bytes board = {0x01, 0, 0, 0x40, 0x0d, 0xe6};  // format, length, language, 15076672 minutes after 1996
  text(board, "Firstlight");
  text(board, "Tern board");
  text(board, "FL-TERN-0001");
  text(board, "FL-BRD-A0");
  board.push_back(0x00);  // no FRU file
  board.push_back(0xc1);
  board.resize((board.size() + 8) / 8 * 8);
  board[1] = static_cast<std::uint8_t>(board.size() / 8);
  checksum(board, 0, board.size());
  Bytes image(256, 0xff);
  const Bytes header = {0x01, 0, 0, 1, 0, 0, 0, 0};
  std::copy(header.begin(), header.end(), image.begin());
  checksum(image, 0, 8);
  std::copy(board.begin(), board.end(), image.begin() + 8);
  return image;
}

TEST(Fru, ReadsTheBoardArea) {
  const fru::Parsed parsed = fru::parse(fru_image());
  EXPECT_EQ(parsed.error, "");
  EXPECT_THAT(parsed.fields,
              testing::UnorderedElementsAre(Pair("manufacturer", "Firstlight"), Pair("product", "Tern board"),
                                            Pair("serial_number", "FL-TERN-0001"), Pair("part_number", "FL-BRD-A0"),
                                            Pair("manufactured", "2024-08-30")));
}

TEST(Fru, DecodesPackedTexts) {
  Bytes image = fru_image();
  Bytes board = {0x01, 2,    0,    0,    0,    0,    0x83, 0x64,
                 0xc9, 0xb2, 0x42, 0x12, 0xb3, 0xc1, 0,    0};  // 6-bit "DELL", BCD plus "12-3"
  checksum(board, 0, 16);
  std::copy(board.begin(), board.end(), image.begin() + 8);
  const fru::Parsed parsed = fru::parse(image);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.fields.at("manufacturer"), "DELL");
  EXPECT_EQ(parsed.fields.at("product"), "12-3");
  EXPECT_EQ(parsed.fields.count("manufactured"), 0U);
}

TEST(Fru, EverySingleBitErrorIsFound) {
  const Bytes good = fru_image();
  const std::size_t end = 8 + std::size_t{good[9]} * 8;
  for (std::size_t bit = 0; bit < end * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_NE(fru::parse(bad).error, "") << "bit " << bit;
  }
}

TEST(Fru, NeverReadsBeyondTheImage) {
  std::uint32_t state = 20260102;
  for (int round = 0; round < 20000; ++round) {
    Bytes image(round % 97);
    for (std::uint8_t& byte : image) {
      state = state * 1664525U + 1013904223U;
      byte = static_cast<std::uint8_t>(state >> 24U);
    }
    if (image.size() >= 8) {  // past the header's checks
      image[0] = 1;
      image[3] = 1;
      checksum(image, 0, 8);
    }
    if (image.size() >= 24) {  // and the area's
      image[8] = 1;
      image[9] = 2;
      checksum(image, 8, 24);
    }
    fru::parse(image);
  }
}

TEST(Fru, TellsWhatIsWrong) {
  EXPECT_THAT(fru::parse({}).error, HasSubstr("0 bytes"));
  EXPECT_THAT(fru::parse(Bytes(256, 0xff)).error, HasSubstr("blank"));
  EXPECT_THAT(fru::parse(Bytes(256, 0x00)).error, HasSubstr("format version"));
}

// ---- turns

TEST(Turns, ThatAreFreeCostNoTime) {
  FakeTime time;
  Turns turns(time);
  { const Turns::Hold hold(turns); }
  const Turns::Hold again(turns);
  EXPECT_EQ(time.now(), Instant{});
}

// ---- registers

class FakeRegisterBus final : public RegisterBus {
 public:
  std::map<std::uint64_t, std::uint32_t> words;
  BusStatus status = BusStatus::ok;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> writes;
  bool dead = false;
  BusResult read(std::uint64_t address, Instant) override { return {status, dead ? 0xffffffffU : words[address], {}}; }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant) override {
    writes.emplace_back(address, value);
    words[address] = value;
    return {status, 0, {}};
  }
  std::string name() const override { return "regs0"; }
};

class RegistersByName : public testing::Test {
 protected:
  RegistersByName()
      : bus(std::make_shared<FakeRegisterBus>()),
        access("host", bus, tern_registers(), "chip.id", from_seconds(0.1), time) {
    bus->words[address("chip.id")] = 0xF1A57E51;
  }
  static std::uint32_t address(const std::string& name) { return tern_registers().find(name).found->address; }
  FakeTime time;
  std::shared_ptr<FakeRegisterBus> bus;
  RegisterAccess access;
};

TEST_F(RegistersByName, ReadFieldsAndWholeRegisters) {
  EXPECT_EQ(access.read("chip.id"), 0xF1A57E51U);
  EXPECT_EQ(access.read("chip.id.part"), 0x7E51U);
  bus->words[address("thermal.zone[2]")] = 0x0f380000U;
  EXPECT_EQ(access.read_number("thermal.zone[2].temperature"), -200);
}

TEST_F(RegistersByName, WriteAFieldAndKeepItsNeighbours) {
  bus->words[address("power.rails")] = 0x000c041fU;
  access.write("power.rails.deglitch", 7);
  EXPECT_EQ(bus->words[address("power.rails")], 0x000c071fU);
}

TEST_F(RegistersByName, DoNotPulseOrClearNeighbours) {
  const std::uint32_t at = address("power.ctrl");
  bus->words[at] = 0xffU | (1U << 9U);  // as if pulses read as ones
  access.write("power.ctrl.auto_start", 1);
  EXPECT_EQ(bus->writes.back().second, (1U << 8U) | (1U << 9U));
  bus->words[address("power.irq_status")] = 0xf;
  access.write("power.irq_status.running", 1);
  EXPECT_EQ(bus->writes.back().second, 2U);
}

TEST_F(RegistersByName, RefuseWhatCannotBe) {
  EXPECT_EQ(failure_of([&] { access.read("power.statos"); }).symptom, "no_such_register");
  EXPECT_EQ(failure_of([&] { access.write("power.rails.required", 0x20); }).symptom, "register_bad_write");
  EXPECT_EQ(failure_of([&] { access.write("power.status.state", 1); }).symptom, "register_bad_write");
  EXPECT_EQ(failure_of([&] { access.write_number("thermal.trip[0].limit", 5000); }).symptom, "register_bad_write");
  EXPECT_TRUE(bus->writes.empty());
}

TEST_F(RegistersByName, ErrorsHaveTheirClass) {
  const std::map<BusStatus, std::pair<std::string, ErrorClass>> expected = {
      {BusStatus::slave_error, {"register_slave_error", ErrorClass::dut}},
      {BusStatus::decode_error, {"register_decode_error", ErrorClass::dut}},
      {BusStatus::timeout, {"register_timeout", ErrorClass::infrastructure}},
      {BusStatus::io_error, {"register_io", ErrorClass::infrastructure}}};
  for (const auto& [status, what] : expected) {
    bus->status = status;
    const Failure failure = failure_of([&] { access.read("dma0.ctrl"); });
    EXPECT_EQ(failure.symptom, what.first);
    EXPECT_EQ(failure.error_class, what.second);
    EXPECT_THAT(failure.message, HasSubstr("dma0.ctrl"));
  }
}

TEST_F(RegistersByName, AllOnesAreCrossChecked) {
  bus->words[address("chip.scratch")] = 0xffffffffU;
  EXPECT_EQ(access.read("chip.scratch"), 0xffffffffU) << "it may really hold that";
  bus->dead = true;
  EXPECT_EQ(failure_of([&] { access.read("chip.scratch"); }).symptom, "register_bus_dead");
}

// ---- a whole bench

class FakeEepromBus final : public I2cBus {
 public:
  Bytes image = fru_image();
  bool absent = false;
  I2cResult transfer(std::uint8_t, const std::vector<I2cMessage>& messages, Instant) override {
    if (absent) return {I2cStatus::address_nack, {}, 0, {}};
    const std::size_t at = messages[0].write.at(0);
    return {I2cStatus::ok,
            Bytes(image.begin() + static_cast<std::ptrdiff_t>(at),
                  image.begin() + static_cast<std::ptrdiff_t>(at + messages[1].read)),
            1,
            {}};
  }
  bool recover(Instant) override { return true; }
  std::string name() const override { return "i2c0"; }
};

class FakeGpio final : public Gpio {
 public:
  std::map<std::string, bool> levels = {{"pg", true}, {"leak_n", true}};
  bool readable = true;
  std::vector<std::string> lines() const override { return {"pg", "leak_n"}; }
  std::optional<bool> get(const std::string& line, std::string* detail) override {
    if (readable) return levels.at(line);
    if (detail != nullptr) *detail = "adapter gone";
    return std::nullopt;
  }
  bool set(const std::string&, bool, std::string*) override { return false; }
  std::string name() const override { return "gpio0"; }
};

class Provider final : public TransportProvider {
 public:
  int opened = 0;
  FakeEepromBus* eeprom = nullptr;
  FakeGpio* gpio = nullptr;
  std::unique_ptr<I2cBus> open_i2c(const ResourcePlan&) override {
    ++opened;
    auto bus = std::make_unique<FakeEepromBus>();
    eeprom = bus.get();
    return bus;
  }
  std::unique_ptr<ByteStream> open_stream(const ResourcePlan&) override { throw std::logic_error("unused"); }
  std::unique_ptr<RegisterBus> open_registers(const ResourcePlan&) override {
    return std::make_unique<FakeRegisterBus>();
  }
  std::unique_ptr<DmaMemory> open_dma_memory(const ResourcePlan&) override { throw std::logic_error("unused"); }
  std::unique_ptr<Gpio> open_gpio(const ResourcePlan&) override {
    auto lines = std::make_unique<FakeGpio>();
    gpio = lines.get();
    return lines;
  }
};

Value texts(const std::vector<std::string>& list) {
  Value::List values;
  for (const std::string& one : list) values.push_back(Value{one, {}});
  return {values, {}};
}

BenchPlan plan_of(std::vector<std::string> lines) {
  BenchPlan plan;
  for (const auto& [name, type] :
       std::map<std::string, std::string>{{"i2c0", "i2c"}, {"gpio0", "gpio"}, {"regs0", "registers"}}) {
    ResourcePlan resource;
    resource.name = name;
    resource.type = type;
    plan.resources.push_back(resource);
  }
  const auto driver = [&](const char* name, const char* type, const char* resource, Value::Map params) {
    DriverPlan one;
    one.name = name;
    one.driver = type;
    one.uses = {resource};
    one.params = std::move(params);
    plan.drivers.push_back(one);
  };
  driver("vr", "pmbus", "i2c0", {{"address", {std::int64_t{0x40}, {}}}});
  driver("board", "eeprom", "i2c0", {{"address", {std::int64_t{0x50}, {}}}, {"size", {std::int64_t{256}, {}}}});
  driver("lines", "gpio", "gpio0", {{"lines", texts(lines)}});
  driver("host", "registers", "regs0", {});
  RailPlan rail;
  rail.name = "vdd";
  rail.driver = "vr";
  rail.nominal = Voltage(1);
  rail.max = Voltage(1.1);
  rail.pgood_line = "lines.pg";
  plan.rails.push_back(rail);
  return plan;
}

TEST(Registry, BuildsABenchAndSharesResources) {
  FakeTime time;
  Provider provider;
  Bench bench(plan_of({"pg", "leak_n"}), time);
  build_drivers(bench, provider);
  EXPECT_EQ(provider.opened, 1) << "the bus is shared";
  EXPECT_EQ(bench.get<Identity>("board").identity().at("serial_number"), "FL-TERN-0001");
  EXPECT_TRUE(bench.get<Lines>().level("pg"));
  EXPECT_EQ(bench.measurable("lines.leak_n").read().value, 1);
  EXPECT_EQ(bench.rail("vdd").power_good_pin(), true);
  EXPECT_THAT(bench.measurable_names(),
              testing::IsSupersetOf({"vdd.voltage", "vdd.current", "vdd.power", "vr.pec_errors", "lines.pg"}));
  EXPECT_TRUE(bench.has<Registers>());
}

TEST(Registry, TellsBrokenBoardParts) {
  FakeTime time;
  Provider provider;
  Bench bench(plan_of({"pg"}), time);
  build_drivers(bench, provider);
  provider.eeprom->image[20] ^= 1U;
  EXPECT_EQ(failure_of([&] { bench.get<Identity>("board").identity(); }).symptom, "fru_invalid");
  provider.eeprom->absent = true;
  EXPECT_EQ(failure_of([&] { bench.get<Identity>("board").identity(); }).symptom, "eeprom_no_answer");
  provider.gpio->readable = false;
  EXPECT_EQ(failure_of([&] { bench.get<Lines>().level("pg"); }).symptom, "line_unreadable");
  EXPECT_EQ(failure_of([&] { bench.get<Lines>().level("leak_n"); }).symptom, "no_such_line");
  EXPECT_EQ(failure_of([&] { bench.get<Lines>().drive("pg", false); }).symptom, "line_not_driven");
}

TEST(Registry, RefusesLinesThatTheBoardLacks) {
  FakeTime time;
  Provider provider;
  Bench bench(plan_of({"pg", "leek_n"}), time);
  EXPECT_THAT(failure_of([&] { build_drivers(bench, provider); }).message, HasSubstr("did you mean \"leak_n\"?"));
}

TEST(Registry, RefusesUnknownQuirks) {
  FakeTime time;
  Provider provider;
  BenchPlan plan = plan_of({"pg"});
  plan.drivers[0].params["quirks"] = {Value::Map{{"min_gab", {std::string("500 us"), {}}}}, {"b.yaml", 7, 3}};
  plan.drivers[0].params["quirks"].where = {"b.yaml", 7, 3};
  Bench bench(plan, time);
  EXPECT_THAT(failure_of([&] { build_drivers(bench, provider); }).message, HasSubstr("did you mean \"min_gap\"?"));
}

}  // namespace
}  // namespace firstlight
