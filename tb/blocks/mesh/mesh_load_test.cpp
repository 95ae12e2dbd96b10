#include <gtest/gtest.h>

#include <cstdlib>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/mesh/fabrics.h"
#include "tb/blocks/mesh/traffic.h"

namespace tb::blocks {
namespace {

/// The nightly run measures for longer, so closer to the aims (docs/mesh.md).
bool thorough() { return std::getenv("FIRSTLIGHT_CASES") != nullptr; }

TEST(MeshLoad, UniformTrafficIsCarriedNearTheBound) {
  // The mean latency may be three times that without load.
  Fabric fabric({4, 4}, plan_of(Kind::one_class), routers(Kind::one_class, "mesh_load"), seed());
  const Effort effort = thorough() ? Effort{4000, 40000} : Effort{500, 1500};
  const double load = thorough() ? 0.865 : 0.84;
  const auto point = measure(fabric, {Pattern::uniform, 1, load}, effort, seed(), 100);
  ASSERT_TRUE(point.latency.has_value());
  EXPECT_LE(*point.latency, 3 * 4.5);
}

TEST(MeshLoad, LargeMeshIsCarriedNearTheBound) {
  if (!thorough()) GTEST_SKIP() << "takes long";
  Fabric fabric({8, 8}, plan_of(Kind::one_class), routers(Kind::one_class, "mesh_load"), seed());
  const auto point = measure(fabric, {Pattern::uniform, 1, 0.455}, {3000, 10000}, seed(), 100);
  ASSERT_TRUE(point.latency.has_value());
  EXPECT_LE(*point.latency, 3 * 7.25);
}

/// Beyond saturation: what is accepted in all, and by the node that fares worst, as shares of the bound.
void expect_no_collapse(unsigned size, Pattern pattern, double all, double least) {
  Fabric fabric({size, size}, plan_of(Kind::two_classes), routers(Kind::two_classes, "mesh_crowd"), seed());
  const double most = bound(fabric.topology(), fabric.routes(), pattern);
  const auto point =
      measure(fabric, {pattern, 1, 1.0}, thorough() ? Effort{6000, 6000} : Effort{1000, 1000}, seed(), 0);
  EXPECT_GE(point.accepted, all * most) << name(pattern);
  EXPECT_GE(point.least, least * most) << name(pattern);
}

TEST(MeshLoad, CrowdsAreServedFairly) {
  expect_no_collapse(4, Pattern::bit_complement, 0.98, 0.95);
  if (!thorough()) return;
  expect_no_collapse(4, Pattern::uniform, 0.9, 0.75);
  expect_no_collapse(8, Pattern::uniform, 0.9, 0.75);
  expect_no_collapse(8, Pattern::bit_complement, 0.95, 0.9);
  expect_no_collapse(8, Pattern::tornado, 0.9, 0.3);
}

}  // namespace
}  // namespace tb::blocks
