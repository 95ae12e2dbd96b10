#include <gtest/gtest.h>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/mesh/fabrics.h"
#include "tb/blocks/mesh/traffic.h"
#include "tests/support/random_part.h"

namespace tb::blocks {
namespace {

using golden::mesh::directions;
using golden::mesh::Node;
using golden::mesh::Port;
using golden::mesh::Topology;

/// How many flits each test delivers: FIRSTLIGHT_CASES, else what suits a change.
std::uint64_t cases() { return firstlight::test::cases(15'000); }

/// Traffic of all sorts in turn, now with quick sinks and now with slow ones, until enough flits have arrived.
void deliver(Fabric& fabric, std::uint64_t flits, Dice& dice, bool any_pattern = true) {
  constexpr std::array<unsigned, 6> lengths{1, 1, 2, 4, 8, 30};
  const std::uint64_t enough = fabric.scoreboard().flits_arrived() + flits;
  while (fabric.scoreboard().flits_arrived() < enough) {
    const Pattern pattern = any_pattern ? patterns.at(dice.below(patterns.size())) : Pattern::uniform;
    const Load load{pattern, lengths.at(dice.below(lengths.size())), 0.05 * (1 + dice.below(20))};
    fabric.slow_sinks = dice.coin() ? 0 : 1 + dice.below(4);
    Traffic traffic(fabric, load, dice.bits());
    for (unsigned i = 0; i < 300; ++i) {
      traffic.cycle();
      fabric.cycle();
    }
    if (dice.coin()) continue;
    fabric.slow_sinks = 0;
    ASSERT_TRUE(fabric.settle(200'000)) << "deadlock: " << name(load.pattern) << ", packets of " << load.length;
  }
  fabric.slow_sinks = 0;
  ASSERT_TRUE(fabric.settle(200'000)) << "deadlock";
}

class MeshRandom : public testing::TestWithParam<Kind> {};

TEST_P(MeshRandom, LosesNothingAndKeepsTheOrder) {
  const Kind kind = GetParam();
  Fabric fabric({4, 4, kind == Kind::torus}, plan_of(kind), routers(kind, "mesh_random"), seed());
  Dice dice(seed());
  deliver(fabric, cases(), dice);
  EXPECT_EQ(fabric.scoreboard().packets_lost(), 0U);
  EXPECT_EQ(fabric.scoreboard().packets_arrived(), fabric.scoreboard().packets_sent());
}

INSTANTIATE_TEST_SUITE_P(Kinds, MeshRandom,
                         testing::Values(Kind::two_classes, Kind::one_class, Kind::two_channels, Kind::torus));

/// Kills one or two links or routers of a mesh.
Topology wounded(Topology mesh, Dice& dice) {
  for (unsigned n = 1 + dice.below(2); n > 0;) {
    const Node node = dice.below(mesh.nodes());
    const Port port = directions.at(dice.below(4));
    if (dice.one_in(3))
      mesh.fail_router(node);
    else if (mesh.wired(node, port))
      mesh.fail_link(node, port);
    else
      continue;
    --n;
  }
  return mesh;
}

TEST(MeshFaults, DeliversAroundWhatIsDead) {
  const Topology whole(4, 4);
  Fabric fabric(whole, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_dead"), seed());
  Dice dice(seed() + 1);
  for (std::uint64_t flits = 0; flits < cases(); flits = fabric.scoreboard().flits_arrived()) {
    fabric.route_by_table(wounded(whole, dice));
    deliver(fabric, std::max<std::uint64_t>(1500, cases() / 200), dice, false);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(fabric.scoreboard().packets_arrived() + fabric.scoreboard().packets_lost(),
            fabric.scoreboard().packets_sent());
}

TEST(MeshFaults, ALinkCutInTheMidstOfTrafficLosesOnlyWhatPassesIt) {
  const Topology whole(4, 4);
  Dice dice(seed() + 2);
  std::uint64_t flits = 0;
  std::uint64_t lost = 0;
  unsigned discarded = 0;
  Fabric fabric(whole, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_cut"), seed());
  fabric.watch = [&](Node, const Events& events) { discarded += events.discarded != 0; };
  while (flits < cases()) {
    Traffic traffic(fabric, {Pattern::uniform, 1 + dice.below(12), 0.6}, dice.bits());
    const unsigned moment = 20 + dice.below(200);
    for (unsigned i = 0; i < 400; ++i) {
      traffic.cycle();
      fabric.cycle();
      if (i != moment) continue;
      const Node node = dice.below(whole.nodes());
      const Port port = directions.at(dice.below(4));
      if (whole.wired(node, port)) fabric.cut(node, port);
    }
    ASSERT_TRUE(fabric.settle(100'000)) << "deadlock";
    lost += fabric.scoreboard().packets_lost();
    flits += fabric.scoreboard().flits_arrived();
    fabric.reset();
  }
  EXPECT_GT(lost, 0U);
  EXPECT_GT(discarded, 0U);
}

TEST(MeshFaults, WhatCannotBeReachedIsDiscardedAtOnce) {
  Topology mesh(3, 3);
  Fabric fabric(mesh, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_unreachable"), seed());
  mesh.fail_router(mesh.at(1, 1));
  fabric.route_by_table(mesh);
  unsigned discarded = 0;
  fabric.watch = [&](Node node, const Events& events) {
    if (node == 0) discarded += Events::has(events.discarded, Port::local, true);
  };
  for (int i = 0; i < 20; ++i) fabric.send(0, mesh.at(1, 1), true, 5);
  fabric.send(0, mesh.at(2, 2), true, 5);
  ASSERT_TRUE(fabric.settle(200));
  EXPECT_EQ(discarded, 20U);
  EXPECT_EQ(fabric.scoreboard().packets_lost(), 20U);
  EXPECT_EQ(fabric.scoreboard().packets_arrived(), 1U);
}

}  // namespace
}  // namespace tb::blocks
