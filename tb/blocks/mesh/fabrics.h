#pragma once

#include "tb/blocks/mesh/fabric.h"

namespace tb::blocks {

/// The configurations of the router that are verilated.
enum class Kind { two_classes, one_class, two_channels, torus };

golden::mesh::ChannelPlan plan_of(Kind kind);
/// Makes routers of a kind; `name` is that of their coverage files.
Fabric::Make routers(Kind kind, const std::string& name);

}  // namespace tb::blocks
