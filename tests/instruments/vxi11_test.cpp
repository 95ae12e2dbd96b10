// VXI-11 through liblxi, against a server of its own on a network of its own: the portmapper's port belongs to root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/drivers/scpi/session.h"
#include "lab/transports/lab_provider.h"
#include "tests/instruments/rpc_supply.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight {
namespace {

using testing::HasSubstr;

constexpr Duration kMillisecond{1'000'000'000};

bool built_in() {
  const auto& streams = all_schemes().streams;
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& one) { return one.scheme == "vxi11" && one.missing.empty(); });
}

class Vxi11 : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string problem = instruments::enter_own_network();
    ASSERT_EQ(problem, "");
  }
  void SetUp() override {
    if (!built_in()) GTEST_SKIP() << "built without liblxi";
  }
  static void use(const std::string& address, const std::function<void(ByteStream&, Scheduler&)>& body) {
    BenchPlan plan;
    ResourcePlan resource;
    resource.name = "psu0";
    resource.type = "scpi";
    resource.address = address;
    peers::on_wall_clock([&](Scheduler& time) {
      LabProvider provider(time, plan);
      const auto stream = provider.open_stream(resource);
      body(*stream, time);
    });
  }
};

TEST_F(Vxi11, CarriesAConversation) {
  instruments::RpcSupply supply;
  use("vxi11://127.0.0.1", [](ByteStream& stream, Scheduler& time) {
    scpi::SessionOptions options;
    options.idn = "Firstlight,FL-PS1230,.*";
    scpi::Session session("psu (psu0)", stream, options, time);
    EXPECT_EQ(session.identify(), instruments::kIdentity);
    EXPECT_EQ(session.query_number("MEAS:VOLT?"), instruments::kTrueVoltage);
    session.set("VOLT 12");
    EXPECT_EQ(session.query_number("VOLT?"), 12);
  });
  EXPECT_EQ(supply.links(), 1);
}

TEST_F(Vxi11, ASilentInstrumentIsTold) {
  instruments::RpcSupply supply;
  use("vxi11://127.0.0.1/inst0", [&](ByteStream& stream, Scheduler& time) {
    scpi::SessionOptions options;
    options.timeout = 200 * kMillisecond;
    scpi::Session session("psu (psu0)", stream, options, time);
    session.identify();
    supply.fall_silent();
    const Instant begin = time.now();
    try {
      session.query("MEAS:VOLT?");
      ADD_FAILURE() << "it answered";
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().symptom, "scpi_timeout");
      EXPECT_EQ(error.failure().error_class, ErrorClass::infrastructure);
    }
    EXPECT_LT(time.now() - begin, 800 * kMillisecond);
  });
}

TEST_F(Vxi11, ACancelledFiberComesFreeAtOnce) {
  instruments::RpcSupply supply;
  supply.fall_silent();
  use("vxi11://127.0.0.1", [](ByteStream& stream, Scheduler& time) {
    const auto reader = time.spawn("reader", [&] { stream.read_until('\n', time.now() + 2000 * kMillisecond); });
    time.sleep(50 * kMillisecond);
    const Instant begin = time.now();
    time.cancel(reader);
    EXPECT_TRUE(time.join(reader, begin + 1000 * kMillisecond));
    EXPECT_LT(time.now() - begin, 100 * kMillisecond);
  });
}

TEST_F(Vxi11, AHostWhoseServiceIsGoneIsTold) {
  {
    instruments::RpcSupply supply;
    use("vxi11://127.0.0.1", [](ByteStream&, Scheduler&) {});
  }
  try {
    use("vxi11://127.0.0.1", [](ByteStream&, Scheduler&) {});
    ADD_FAILURE() << "it connected";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().error_class, ErrorClass::infrastructure);
    EXPECT_THAT(error.failure().message, HasSubstr("refused"));
    EXPECT_THAT(error.failure().likely_cause, HasSubstr("portmapper"));
  }
}

}  // namespace
}  // namespace firstlight
