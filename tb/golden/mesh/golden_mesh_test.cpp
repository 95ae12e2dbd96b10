#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tb/golden/mesh/dependencies.h"

namespace tb::golden::mesh {
namespace {

using testing::ElementsAre;

const std::vector<ChannelPlan> plans{{4, 2}, {4, 1}, {3, 2}, {2, 2}, {2, 1}};

/// Each link and each router of a topology, as something that can fail.
std::vector<std::function<void(Topology&)>> everything_that_fails(const Topology& topology) {
  std::vector<std::function<void(Topology&)>> faults;
  for (Node node = 0; node < topology.nodes(); ++node) {
    faults.emplace_back([node](Topology& t) { t.fail_router(node); });
    for (const Port port : {Port::east, Port::south})
      if (topology.wired(node, port)) faults.emplace_back([=](Topology& t) { t.fail_link(node, port); });
  }
  return faults;
}

/// What can be reached, found without any routing.
std::vector<bool> island(const Topology& topology, Node from) {
  std::vector<bool> reached(topology.nodes());
  const std::function<void(Node)> visit = [&](Node node) {
    if (reached.at(node)) return;
    reached.at(node) = true;
    for (const Port port : directions)
      if (const auto other = topology.neighbour(node, port)) visit(*other);
  };
  if (topology.alive(from)) visit(from);
  return reached;
}

void expect_sound(const Topology& topology, const Routes& routes) {
  for (Node src = 0; src < topology.nodes(); ++src) {
    const auto reached = island(topology, src);
    for (Node dst = 0; dst < topology.nodes(); ++dst) {
      const auto path = routes.path(topology, src, dst);
      ASSERT_EQ(!path.empty(), topology.alive(src) && reached.at(dst)) << src << " to " << dst;
      if (!path.empty()) {
        ASSERT_EQ(path.back(), dst);
      }
    }
  }
  for (const ChannelPlan& plan : plans) {
    const auto ring = find_ring(plan, topology, routes);
    ASSERT_FALSE(ring.has_value()) << testing::PrintToString(*ring);
  }
}

TEST(GoldenMesh, DimensionOrderGoesAlongXFirst) {
  const Topology mesh(4, 4);
  const Routes routes = dimension_order(mesh);
  EXPECT_THAT(routes.path(mesh, mesh.at(0, 0), mesh.at(2, 1)),
              ElementsAre(mesh.at(0, 0), mesh.at(1, 0), mesh.at(2, 0), mesh.at(2, 1)));
  EXPECT_EQ(routes.next(mesh, mesh.at(1, 0), mesh.at(2, 1)), Port::south);
  EXPECT_EQ(routes.next(mesh, mesh.at(2, 0), mesh.at(2, 1)), Port::local);
  const Topology torus(5, 4, true);
  const Routes around = dimension_order(torus);
  EXPECT_THAT(around.path(torus, torus.at(0, 0), torus.at(3, 0)),
              ElementsAre(torus.at(0, 0), torus.at(4, 0), torus.at(3, 0)));
  EXPECT_EQ(around.out(torus.at(0, 1), torus.at(0, 3)), Port::south) << "both ways are as long";
}

TEST(GoldenMesh, DimensionOrderMakesNoRingOfChannels) {
  for (const unsigned size : {1U, 2U, 4U, 8U}) {
    const Topology mesh(size, size);
    expect_sound(mesh, dimension_order(mesh));
  }
}

TEST(GoldenMesh, DatelinesBreakTheRingsOfATorus) {
  const Topology torus(5, 4, true);
  const Routes routes = dimension_order(torus);
  for (const ChannelPlan& plan : {ChannelPlan{4, 2}, ChannelPlan{4, 1}, ChannelPlan{2, 1}})
    EXPECT_FALSE(find_ring(plan, torus, routes).has_value());
  EXPECT_TRUE(find_ring({2, 2}, torus, routes).has_value()) << "one channel a class is not enough";
}

TEST(GoldenMesh, FindsTheRingOfRoutesThatTurnInCircles) {
  // All turn right at each corner of a 2 x 2.
  const Topology mesh(2, 2);
  Routes routes(mesh.nodes());
  const std::vector<std::pair<Node, Port>> around{{0, Port::east}, {1, Port::south}, {3, Port::west}, {2, Port::north}};
  for (const auto& [node, port] : around)
    for (Node dst = 0; dst < 4; ++dst) routes.set(node, dst, dst == node ? Port::local : port);
  const auto ring = find_ring({4, 2}, mesh, routes);
  ASSERT_TRUE(ring.has_value());
  EXPECT_EQ(ring->size(), 4U);
}

TEST(GoldenMesh, UpDownRoutesAroundEveryFaultAndEveryTwo) {
  const Topology whole(4, 4);
  const auto faults = everything_that_fails(whole);
  ASSERT_EQ(faults.size(), 40U);
  for (std::size_t a = 0; a < faults.size(); ++a) {
    for (std::size_t b = a; b < faults.size(); ++b) {  // a with itself: one fault
      Topology mesh = whole;
      faults.at(a)(mesh);
      faults.at(b)(mesh);
      expect_sound(mesh, up_down(mesh));
      ASSERT_FALSE(HasFatalFailure()) << "faults " << a << " and " << b;
    }
  }
}

TEST(GoldenMesh, UpDownRoutesOnAnythingElseToo) {
  for (const auto& whole : {Topology(8, 8), Topology(5, 4, true), Topology(8, 1), Topology(1, 1)}) {
    expect_sound(whole, up_down(whole));
    for (const auto& fail : everything_that_fails(whole)) {
      if (whole.nodes() > 32) break;
      Topology mesh = whole;
      fail(mesh);
      expect_sound(mesh, up_down(mesh));
    }
  }
}

TEST(GoldenMesh, SharesFollowTheNodesBehindAnInput) {
  const Topology mesh(4, 4);
  const auto all = shares(mesh, dimension_order(mesh));
  const Shares& at = all.at(mesh.at(2, 1));
  EXPECT_EQ(at.at(index(Port::east)).at(index(Port::west)), 2U);
  EXPECT_EQ(at.at(index(Port::east)).at(index(Port::local)), 1U);
  EXPECT_EQ(at.at(index(Port::east)).at(index(Port::north)), 0U) << "never back from y to x";
  EXPECT_EQ(at.at(index(Port::south)).at(index(Port::north)), 4U);
  const Topology large(8, 8);
  const auto crowded = shares(large, dimension_order(large)).at(large.at(4, 7));
  EXPECT_EQ(crowded.at(index(Port::local)).at(index(Port::north)), 15U) << "56 nodes";
  EXPECT_EQ(crowded.at(index(Port::local)).at(index(Port::local)), 1U);
}

}  // namespace
}  // namespace tb::golden::mesh
