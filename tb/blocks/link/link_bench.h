#pragma once

#include <Vlink_end.h>

#include "tb/blocks/link/link_pair.h"

namespace tb::blocks::link {

/// Two whole links with their AXI ports.
class LinkBench : public LinkPair<Vlink_end> {
 protected:
  void quiet(Vlink_end& dut) override;
};

/// The one bench of this program, reset.
LinkBench& fresh_bench();

}  // namespace tb::blocks::link
