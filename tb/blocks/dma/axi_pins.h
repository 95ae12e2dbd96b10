#pragma once

#include <verilated.h>

#include "tb/golden/axi/axi_types.h"

namespace tb::blocks {

/// The pins of one flat AXI4 port of a verilated model. FL_AXI_PINS(model, prefix) names them.
struct AxiPins {
  CData& aw_valid;
  CData& aw_ready;
  CData& aw_id;
  QData& aw_addr;
  CData& aw_len;
  CData& w_valid;
  CData& w_ready;
  QData& w_data;
  CData& w_strb;
  CData& w_last;
  CData& b_valid;
  CData& b_ready;
  CData& b_id;
  CData& b_resp;
  CData& ar_valid;
  CData& ar_ready;
  CData& ar_id;
  QData& ar_addr;
  CData& ar_len;
  CData& r_valid;
  CData& r_ready;
  CData& r_id;
  QData& r_data;
  CData& r_resp;
  CData& r_last;

  /// What the next rising edge sees.
  golden::axi::Cycle cycle() const {
    using golden::axi::Response;
    golden::axi::Cycle c;
    c.aw = {aw_valid != 0, aw_ready != 0, {aw_id, aw_addr, aw_len}};
    c.w = {w_valid != 0, w_ready != 0, {w_data, w_strb, w_last != 0}};
    c.b = {b_valid != 0, b_ready != 0, {b_id, static_cast<Response>(b_resp)}};
    c.ar = {ar_valid != 0, ar_ready != 0, {ar_id, ar_addr, ar_len}};
    c.r = {r_valid != 0, r_ready != 0, {r_id, r_data, static_cast<Response>(r_resp), r_last != 0}};
    return c;
  }
};

// A macro because pin names are glued from the prefix.
#define FL_AXI_PINS(model, prefix)                                                                            \
  tb::blocks::AxiPins {                                                                                       \
    (model).prefix##_aw_valid, (model).prefix##_aw_ready, (model).prefix##_aw_id, (model).prefix##_aw_addr,   \
        (model).prefix##_aw_len, (model).prefix##_w_valid, (model).prefix##_w_ready, (model).prefix##_w_data, \
        (model).prefix##_w_strb, (model).prefix##_w_last, (model).prefix##_b_valid, (model).prefix##_b_ready, \
        (model).prefix##_b_id, (model).prefix##_b_resp, (model).prefix##_ar_valid, (model).prefix##_ar_ready, \
        (model).prefix##_ar_id, (model).prefix##_ar_addr, (model).prefix##_ar_len, (model).prefix##_r_valid,  \
        (model).prefix##_r_ready, (model).prefix##_r_id, (model).prefix##_r_data, (model).prefix##_r_resp,    \
        (model).prefix##_r_last                                                                               \
  }

}  // namespace tb::blocks
