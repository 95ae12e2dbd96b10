#include "tb/blocks/link/link_bench.h"

#include "tb/blocks/link/one_bench.h"

namespace tb::blocks::link {

void LinkBench::quiet(Vlink_end& dut) {
  dut.s_aw_valid_i = 0;
  dut.s_w_valid_i = 0;
  dut.s_ar_valid_i = 0;
  dut.s_b_ready_i = 0;
  dut.s_r_ready_i = 0;
  dut.m_aw_ready_i = 0;
  dut.m_w_ready_i = 0;
  dut.m_b_valid_i = 0;
  dut.m_ar_ready_i = 0;
  dut.m_r_valid_i = 0;
}

LinkBench& fresh_bench() { return OneBench<LinkBench>::fresh(); }

}  // namespace tb::blocks::link
