#include <gtest/gtest.h>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/mesh/fabrics.h"
#include "tb/blocks/mesh/traffic.h"

namespace tb::blocks {
namespace {

using golden::mesh::Node;
using golden::mesh::Port;
using golden::mesh::Topology;

/// A packet that meets no other takes one cycle a router, and one a flit.
void expect_zero_load(Fabric& fabric, unsigned length) {
  std::uint64_t took = 0;
  fabric.scoreboard().on_arrival = [&](const Packet&, std::uint64_t latency) { took = latency; };
  const Topology topology = fabric.topology();
  for (Node src = 0; src < topology.nodes(); ++src) {
    for (Node dst = 0; dst < topology.nodes(); ++dst) {
      took = 0;
      fabric.send(src, dst, (src + dst) % 2 != 0 && fabric.plan().classes == 2, length);
      ASSERT_TRUE(fabric.settle(60));
      ASSERT_EQ(took, fabric.routes().path(topology, src, dst).size() + length) << src << " to " << dst;
    }
  }
}

TEST(MeshBasic, OneCycleARouter) {
  for (const Kind kind : {Kind::two_classes, Kind::one_class, Kind::two_channels}) {
    Fabric fabric({3, 4}, plan_of(kind), routers(kind, "mesh_zero_load"), 1);
    for (const unsigned length : {1U, 4U}) expect_zero_load(fabric, length);
  }
  Fabric torus({4, 3, true}, plan_of(Kind::torus), routers(Kind::torus, "mesh_zero_load"), 1);
  expect_zero_load(torus, 8);
}

TEST(MeshBasic, OneCycleARouterByTable) {
  Topology mesh(4, 3);
  Fabric fabric(mesh, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_table"), 1);
  mesh.fail_link(mesh.at(1, 1), Port::east);
  mesh.fail_link(mesh.at(0, 0), Port::south);
  fabric.route_by_table(mesh);
  expect_zero_load(fabric, 2);
}

TEST(MeshBasic, FullRateOnOneLink) {
  // Two nodes that send to each other: a flit in every cycle each way, whatever the length.
  constexpr unsigned flits = 400;
  for (const unsigned length : {1U, 8U}) {
    Fabric fabric({2, 1}, plan_of(Kind::two_channels), routers(Kind::two_channels, "mesh_full_rate"), 1);
    std::uint64_t last = 0;
    fabric.scoreboard().on_arrival = [&](const Packet&, std::uint64_t latency) { last = latency; };
    for (unsigned i = 0; i < flits / length; ++i) {
      fabric.send(0, 1, false, length);
      fabric.send(1, 0, false, length);
    }
    ASSERT_TRUE(fabric.settle(2 * flits));
    EXPECT_EQ(last, 2 + flits);
  }
}

TEST(MeshBasic, EventsCountEveryFlit) {
  Fabric fabric({2, 2}, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_events"), 1);
  std::array<std::array<unsigned, 2>, golden::mesh::ports> sent{};
  unsigned stalled = 0;
  fabric.watch = [&](Node node, const Events& events) {
    for (unsigned p = 0; p < golden::mesh::ports; ++p)
      for (const bool response : {false, true}) {
        if (node == 0) sent.at(p).at(response) += Events::has(events.sent, static_cast<Port>(p), response);
        stalled += Events::has(events.stalled, static_cast<Port>(p), response);
        EXPECT_FALSE(Events::has(events.discarded, static_cast<Port>(p), response));
      }
  };
  for (int i = 0; i < 10; ++i) {
    fabric.send(0, 1, false, 4);
    fabric.send(0, 3, true, 3);
    fabric.send(2, 0, true, 2);
    fabric.send(2, 3, true, 8);
  }
  ASSERT_TRUE(fabric.settle(500));
  EXPECT_EQ(sent.at(index(Port::east)).at(0), 40U);
  EXPECT_EQ(sent.at(index(Port::east)).at(1), 30U);
  EXPECT_EQ(sent.at(index(Port::local)).at(1), 20U);
  EXPECT_EQ(sent.at(index(Port::south)).at(0) + sent.at(index(Port::local)).at(0), 0U);
  EXPECT_GT(stalled, 0U) << "two inputs want one output";
}

}  // namespace
}  // namespace tb::blocks
