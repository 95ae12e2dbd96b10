#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/agent/agent_fixture.h"

namespace firstlight::agent::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void on_desk(const std::function<void(Desk&)>& body) {
  peers::on_wall_clock([&](Scheduler& scheduler) {
    Desk desk(scheduler);
    body(desk);
  });
}

TEST(Agent, CarriesRegisterAccesses) {
  on_desk([](Desk& desk) {
    const auto bar = desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    EXPECT_EQ(bar->write(1, 0xdeadbeef, desk.in(500)).status, BusStatus::ok);
    const BusResult got = bar->read(1, desk.in(500));
    EXPECT_EQ(got.status, BusStatus::ok) << got.detail;
    EXPECT_EQ(got.data, 0xdeadbeefU);
    const BusResult refused = bar->read(0x666, desk.in(500));
    EXPECT_EQ(refused.status, BusStatus::slave_error);
    EXPECT_EQ(refused.detail, "SLVERR");
    EXPECT_EQ(bar->name(), "regs0");
  });
}

TEST(Agent, CarriesI2cMessagesWithTheirShape) {
  on_desk([](Desk& desk) {
    const auto bus = desk.provider->open_i2c(resource("i2c7", "i2c", "agent:host0/i2c0"));
    const I2cResult got = bus->transfer(
        0x40, {I2cMessage::writing({0x8b, 0x01}), I2cMessage::reading(2), I2cMessage::reading_block(3, 1)},
        desk.in(500));
    EXPECT_EQ(got.status, I2cStatus::ok);
    EXPECT_EQ(got.acknowledged, 2U);
    EXPECT_THAT(got.data, ElementsAre(0xa0, 0xa1, 0xb0, 0xb1, 0xb2, 0xb3));
    EXPECT_EQ(got.detail, "pec") << "the block read ends with one, the others do not";
    const I2cResult absent = bus->transfer(0x11, {I2cMessage::reading(1)}, desk.in(500));
    EXPECT_EQ(absent.status, I2cStatus::address_nack);
    EXPECT_EQ(absent.detail, "nobody at 0x11");
    EXPECT_TRUE(bus->recover(desk.in(500)));
  });
}

TEST(Agent, CarriesMemoryInPiecesThatFitIntoFrames) {
  on_desk([](Desk& desk) {
    const auto memory = desk.provider->open_dma_memory(resource("hostmem0", "dma_memory", "agent:host0/mem0"));
    EXPECT_EQ(memory->base(), 0x2'0000'0000U);
    EXPECT_EQ(memory->size(), std::uint64_t{3} << 20U);
    std::vector<std::uint8_t> out((std::size_t{5} << 19U) + 3);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    memory->write(5, out.data(), out.size());
    memory->barrier();
    EXPECT_EQ(desk.host.barriers, 1);
    std::vector<std::uint8_t> back(out.size());
    memory->read(5, back.data(), back.size());
    EXPECT_EQ(back, out);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), desk.host.memory.begin() + 5));
    EXPECT_THROW(memory->read(memory->size() - 1, back.data(), 2), std::out_of_range);
    EXPECT_THROW(memory->write(~std::uint64_t{0}, out.data(), 2), std::out_of_range);
  });
}

TEST(Agent, CarriesLinesAndSensors) {
  on_desk([](Desk& desk) {
    const auto lines = desk.provider->open_gpio(resource("gpio0", "gpio", "agent:host0/lines0"));
    EXPECT_THAT(lines->lines(), ElementsAre("por_n", "leak_n"));
    EXPECT_EQ(lines->get("por_n"), true);
    EXPECT_TRUE(lines->set("por_n", false));
    EXPECT_EQ(lines->get("por_n"), false);
    std::string detail;
    EXPECT_FALSE(lines->set("leak_n", true, &detail));
    EXPECT_EQ(detail, "leak_n is an input");
    EXPECT_EQ(lines->get("nothing", &detail), std::nullopt);
    EXPECT_EQ(detail, "no line nothing");

    const auto hwmon = desk.provider->open_hwmon(resource("hw0", "hwmon", "agent:host0/sensors0"));
    EXPECT_EQ(hwmon->chip(), "tmp464");
    EXPECT_THAT(hwmon->attributes(), ElementsAre("temp1_input", "temp2_input"));
    EXPECT_EQ(hwmon->label("temp2"), "inlet");
    EXPECT_EQ(hwmon->label("temp1"), "");
    EXPECT_EQ(hwmon->read("temp1_input", desk.in(500)).value, 41'500);
    EXPECT_EQ(hwmon->read("temp2_input", desk.in(500)).status, HwmonStatus::no_value);
  });
}

TEST(Agent, GivesEachClientAStreamOfItsOwn) {
  on_desk([](Desk& desk) {
    LabProvider other(desk.scheduler, desk.station);
    const auto mine = desk.provider->open_stream(resource("scope", "scpi", "agent:host0/scope0"));
    const auto theirs = other.open_stream(resource("scope", "scpi", "agent:host0/scope0"));
    mine->write("one\ntwo\n", desk.in(500));
    theirs->write("three\n", desk.in(500));
    EXPECT_EQ(mine->read_until('\n', desk.in(500)).data, "one\n");
    EXPECT_EQ(theirs->read_until('\n', desk.in(500)).data, "three\n");
    EXPECT_EQ(mine->read_exactly(2, desk.in(500)).data, "tw");
    EXPECT_EQ(mine->drain(), "o\n");
    const StreamResult late = theirs->read_until('\n', desk.in(1000));
    EXPECT_EQ(late.status, StreamStatus::timeout);
    EXPECT_EQ(late.detail, "no terminator") << "the agent gives up a little earlier, so that its own word arrives";
  });
}

TEST(Agent, AnswersInTheOrderInWhichAnswersAreReady) {
  on_desk([](Desk& desk) {
    const auto bar = desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    std::vector<int> order;
    std::vector<std::function<bool()>> branches;
    for (const int milliseconds : {120, 60, 1})
      branches.emplace_back([&, milliseconds] {
        EXPECT_EQ(bar->read(static_cast<std::uint64_t>(milliseconds), desk.in(1000)).status, BusStatus::ok);
        order.push_back(milliseconds);
        return true;
      });
    const Instant start = desk.scheduler.now();
    desk.scheduler.run_parallel(branches);
    EXPECT_THAT(order, ElementsAre(1, 60, 120));
    EXPECT_LT(desk.scheduler.now() - start, std::chrono::milliseconds(170)) << "they ran one after the other";
  });
}

TEST(Agent, KeepsDeadlinesThoughTheAgentDoesNot) {
  on_desk([](Desk& desk) {
    const auto bus = desk.provider->open_i2c(resource("i2c0", "i2c", "agent:host0/i2c0"));
    const Instant start = desk.scheduler.now();
    const I2cResult late = bus->transfer(0x22, {I2cMessage::reading(1)}, desk.in(100));
    EXPECT_EQ(late.status, I2cStatus::timeout);
    EXPECT_EQ(late.detail, "SCL stays low");
    EXPECT_LT(desk.scheduler.now() - start, std::chrono::milliseconds(130));

    const auto bar = desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    // Too short for the agent's own word to arrive.
    const BusResult none = bar->read(5000, desk.in(0));
    EXPECT_EQ(none.status, BusStatus::timeout);
    EXPECT_EQ(none.detail, "agent host0: reg.read of bar0: no answer before the deadline");
  });
}

TEST(Agent, DropsWhatItsClientNoLongerWaitsFor) {
  on_desk([](Desk& desk) {
    const auto bar = desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    const auto fiber = desk.scheduler.spawn("reader", [&] { bar->read(60'000, kNever); });
    while (desk.host.running == 0) desk.scheduler.sleep(std::chrono::milliseconds(1));
    const Instant start = desk.scheduler.now();
    desk.scheduler.cancel(fiber);
    EXPECT_TRUE(desk.scheduler.join(fiber, desk.in(100)));
    EXPECT_LT(desk.scheduler.now() - start, std::chrono::milliseconds(20)) << "a cancelled fiber comes free at once";
    while (desk.host.running != 0 && desk.scheduler.now() - start < std::chrono::seconds(2))
      desk.scheduler.sleep(std::chrono::milliseconds(1));
    EXPECT_EQ(desk.host.cancelled, 1);
    EXPECT_EQ(bar->read(1, desk.in(500)).status, BusStatus::ok) << "the connection lives on";
  });
}

TEST(Agent, ForgetsAClientThatGoesAway) {
  on_desk([](Desk& desk) {
    auto other = std::make_unique<LabProvider>(desk.scheduler, desk.station);
    auto bar = other->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    const auto fiber = desk.scheduler.spawn("reader", [&] { bar->read(60'000, kNever); });
    while (desk.host.running == 0) desk.scheduler.sleep(std::chrono::milliseconds(1));
    desk.scheduler.cancel(fiber);
    desk.scheduler.join(fiber, kNever);
    bar.reset();
    other.reset();
    const Instant start = desk.scheduler.now();
    while (desk.host.running != 0 && desk.scheduler.now() - start < std::chrono::seconds(2))
      desk.scheduler.sleep(std::chrono::milliseconds(1));
    EXPECT_EQ(desk.host.running, 0);
  });
}

TEST(Agent, IsToldAsLostWithWhatWasAskedOfIt) {
  on_desk([](Desk& desk) {
    const auto bar = desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0"));
    const auto memory = desk.provider->open_dma_memory(resource("hostmem0", "dma_memory", "agent:host0/mem0"));
    BusResult got;
    const auto fiber = desk.scheduler.spawn("reader", [&] { got = bar->read(60'000, kNever); });
    while (desk.host.running == 0) desk.scheduler.sleep(std::chrono::milliseconds(1));
    desk.server.reset();
    ASSERT_TRUE(desk.scheduler.join(fiber, desk.in(1000)));
    EXPECT_EQ(got.status, BusStatus::io_error);
    EXPECT_THAT(got.detail, AllOf(HasSubstr("agent host0: reg.read of bar0: the agent was lost")));
    desk.scheduler.sleep(std::chrono::milliseconds(10));
    EXPECT_EQ(desk.host.cancelled, 1) << "nobody waits for it any more";
    EXPECT_EQ(desk.host.running, 0);
    const Instant start = desk.scheduler.now();
    EXPECT_THAT(bar->read(1, desk.in(1000)).detail, HasSubstr("the agent was lost before"));
    EXPECT_LT(desk.scheduler.now() - start, std::chrono::milliseconds(20));
    std::uint8_t byte = 0;
    const Failure failure = failure_of([&] { memory->read(0, &byte, 1); });
    EXPECT_EQ(failure.error_class, ErrorClass::infrastructure);
    EXPECT_EQ(failure.symptom, "agent_lost");
    EXPECT_THAT(failure.message, AllOf(HasSubstr("mem.read of hostmem0"), HasSubstr("agent host0")));
  });
}

TEST(Agent, ServesWhatItsBenchNamesAndNothingElse) {
  on_desk([](Desk& desk) {
    const Failure unknown = failure_of([&] { desk.provider->open_i2c(resource("i2c1", "i2c", "agent:host0/i2c1")); });
    EXPECT_EQ(unknown.symptom, "agent_refused");
    EXPECT_THAT(unknown.message,
                AllOf(HasSubstr("no resource \"i2c1\" is served here"), HasSubstr("did you mean i2c0")));
    const Failure type = failure_of([&] { desk.provider->open_gpio(resource("g", "gpio", "agent:host0/i2c0")); });
    EXPECT_THAT(type.message, HasSubstr("\"i2c0\" is of type i2c here, not gpio"));
    const Failure form = failure_of([&] { desk.provider->open_i2c(resource("i2c1", "i2c", "agent:host0")); });
    EXPECT_EQ(form.error_class, ErrorClass::bench);
    const Failure agent = failure_of([&] { desk.provider->open_i2c(resource("i2c1", "i2c", "agent:host9/i2c0")); });
    EXPECT_THAT(agent.message, HasSubstr("the bench has no agent \"host9\""));
  });
}

TEST(Agent, OpensAResourceOnceAndAgainAfterAFailure) {
  on_desk([](Desk& desk) {
    desk.host.bar_missing = true;
    const auto open = [&] { return desk.provider->open_registers(resource("regs0", "registers", "agent:host0/bar0")); };
    EXPECT_THAT(failure_of(open).message, HasSubstr("no device at 03:00.0"));
    EXPECT_EQ(desk.host.opened["bar0"], 1);
    desk.host.bar_missing = false;
    EXPECT_NE(open(), nullptr);
    EXPECT_NE(open(), nullptr);
    EXPECT_EQ(desk.host.opened["bar0"], 2);
  });
}

}  // namespace
}  // namespace firstlight::agent::testing
