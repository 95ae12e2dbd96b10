#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/golden/mesh/channels.h"

namespace tb::golden::mesh {

/// Looks for a ring among the dependencies between virtual channels (Dally and Seitz, 1987): a packet that waits in one
/// channel for another makes an edge, for every source, destination and class. None: no deadlock. Else the channels of
/// a ring, for people.
std::optional<std::vector<std::string>> find_ring(const ChannelPlan& plan, const Topology& topology,
                                                  const Routes& routes);

}  // namespace tb::golden::mesh
