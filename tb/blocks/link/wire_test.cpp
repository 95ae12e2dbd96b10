#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb/blocks/link/axi_requester.h"
#include "tb/blocks/link/axi_responder.h"
#include "tb/blocks/link/link_bench.h"
#include "tb/golden/link/wire_decoder.h"

namespace tb::blocks::link {
namespace {

/// Decodes what one side sends by the golden model.
class Tap : public Agent {
 public:
  explicit Tap(BlockBench<Vlink_end>& bench) : bench_(bench) { bench.add(*this); }
  void sample() override { decoder.observe(bench_.dut().tx_data_o, bench_.dut().tx_idle_o); }
  void drive() override {}
  golden::link::WireDecoder decoder;

 private:
  BlockBench<Vlink_end>& bench_;
};

class LinkWire : public testing::TestWithParam<unsigned> {};

TEST_P(LinkWire, IsWhatTheDocumentSays) {
  LinkBench& bench = fresh_bench();
  Tap tap(bench.side(0));
  for (unsigned l = 0; l < 4; ++l)
    if (GetParam() < 4 && l >= GetParam()) bench.channel(1).set_condition(l, SerdesChannel::Condition::electrical_idle);
  ASSERT_GE(bench.train(), 0) << bench.stories();
  ASSERT_EQ(bench.read(0, "status.width"), GetParam());
  AxiResponder memory(bench.side(1), seed(), 3);
  AxiRequester requester(bench.side(0), seed(), 3);
  auto strobed = AxiRequester::write(0x3'0000'1238, {0x1111, 0x2222});
  strobed.strb = {0x0F, 0xFF};
  requester.submit(AxiRequester::write(0x3'0000'0100, {0xA, 0xB, 0xC}));
  requester.submit(strobed);
  ASSERT_TRUE(bench.side(0).cycle_until([&] { return requester.idle(); }, 2000));
  requester.submit(AxiRequester::read(0x3'0000'0108, 2));
  ASSERT_TRUE(bench.side(0).cycle_until([&] { return requester.idle(); }, 2000));
  bench.cycle(1000);
  for (const auto& violation : tap.decoder.violations()) ADD_FAILURE() << violation;
  EXPECT_GT(tap.decoder.sets(), 10U);
  EXPECT_GT(tap.decoder.frames(), 20U);
  using Flit = golden::link::WireDecoder::Flit;
  const std::vector<Flit> expected = {
      {true, 0x0000'0100'0000'0021ULL}, {false, 0xA},    {false, 0xB},    {false, 0xC},
      {true, 0x0000'1238'0001'0111ULL}, {false, 0xFF0F}, {false, 0x1111}, {false, 0x2222},
      {true, 0x0000'0108'0000'0012ULL}};
  EXPECT_EQ(tap.decoder.flits(), expected);
}

INSTANTIATE_TEST_SUITE_P(Widths, LinkWire, testing::Values(1U, 2U, 4U),
                         [](const auto& info) { return fmt::format("x{}", info.param); });

}  // namespace
}  // namespace tb::blocks::link
