#include "tb/blocks/mesh/fabrics.h"

#include "Vmesh_bench_one_class.h"
#include "Vmesh_bench_top.h"
#include "Vmesh_bench_torus.h"
#include "Vmesh_bench_two_channels.h"

namespace tb::blocks {

golden::mesh::ChannelPlan plan_of(Kind kind) {
  switch (kind) {
    case Kind::one_class:
      return {4, 1};
    case Kind::two_channels:
      return {2, 2};
    default:
      return {4, 2};
  }
}

Fabric::Make routers(Kind kind, const std::string& name) {
  return [=](golden::mesh::Node node) -> std::unique_ptr<RouterModel> {
    const std::string file = name + "_" + std::to_string(node);
    switch (kind) {
      case Kind::two_classes:
        return std::make_unique<VerilatedRouter<Vmesh_bench_top>>(file);
      case Kind::one_class:
        return std::make_unique<VerilatedRouter<Vmesh_bench_one_class>>(file);
      case Kind::two_channels:
        return std::make_unique<VerilatedRouter<Vmesh_bench_two_channels>>(file);
      default:
        return std::make_unique<VerilatedRouter<Vmesh_bench_torus>>(file);
    }
  };
}

}  // namespace tb::blocks
