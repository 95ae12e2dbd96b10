#include "tb/blocks/link/flit_traffic.h"

#include <gtest/gtest.h>

namespace tb::blocks::link {

Traffic::Traffic(FlitBench& bench, ReplayTap& tap, std::uint64_t seed, unsigned idle_in, unsigned sink_idle_in)
    : bench(bench),
      tap(tap),
      sources{FlitSource(bench.side(0), seed * 2 + 11, idle_in), FlitSource(bench.side(1), seed * 2 + 12, idle_in)},
      sinks{FlitSink(bench.side(1), seed * 2 + 11, sink_idle_in), FlitSink(bench.side(0), seed * 2 + 12, sink_idle_in)},
      watch_{Watch(bench.side(0)), Watch(bench.side(1))} {}

std::uint32_t Traffic::count(const char* counter) {
  return bench.read(0, fmt::format("{}.count", counter)) + bench.read(1, fmt::format("{}.count", counter));
}

void Traffic::set_error_rate(double rate) {
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned l = 0; l < 4; ++l) bench.channel(side).set_bit_error_rate(l, rate);
}

void Traffic::finish(std::uint64_t limit) {
  for (FlitSource& source : sources) source.stop();
  for (FlitSink& sink : sinks) sink.set_idle_in(0);
  const auto arrived = [&] {
    for (unsigned d = 0; d < 2; ++d)
      if (!sources[d].done() || sinks[d].flits() != sources[d].flits()) return false;
    return true;
  };
  const std::uint64_t begin = bench.cycles();
  while (!arrived() && bench.cycles() - begin < limit) bench.cycle(50);
  EXPECT_TRUE(arrived()) << sources[0].flits() << " sent, " << sinks[0].flits() << " arrived; " << sources[1].flits()
                         << " sent, " << sinks[1].flits() << " arrived\n"
                         << bench.stories();
  bench.cycle(1000);  // nothing comes twice
  check();
}

void Traffic::check() {
  for (unsigned d = 0; d < 2; ++d) {
    for (const std::string& violation : sinks[d].violations()) ADD_FAILURE() << "direction " << d << ": " << violation;
    EXPECT_EQ(sinks[d].flits(), sources[d].flits());
    for (unsigned t = 0; t < 3; ++t) EXPECT_EQ(sinks[d].packets(t), sources[d].packets(t)) << "class " << t;
  }
  EXPECT_GT(tap.checker().new_frames(), 0U) << "the golden replay saw nothing";
  for (const std::string& violation : tap.checker().violations()) ADD_FAILURE() << violation;
}

void Traffic::switch_off() {
  for (FlitSource& source : sources) source.switch_off();
  for (FlitSink& sink : sinks) sink.switch_off();
  for (unsigned side = 0; side < 2; ++side) {
    bench.dut(side).f_valid_i = 0;
    bench.dut(side).q_pop_i = 0;
  }
}

void Traffic::drain() {
  for (unsigned i = 0; i < 300; ++i) {
    for (unsigned side = 0; side < 2; ++side) bench.dut(side).q_pop_i = bench.dut(side).q_valid_o;
    bench.cycle();
  }
  for (unsigned side = 0; side < 2; ++side) bench.dut(side).q_pop_i = 0;
}

}  // namespace tb::blocks::link
