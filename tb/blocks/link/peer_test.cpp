#include <Vlink_end.h>
#include <Vtern_peer.h>
#include <gtest/gtest.h>

#include "rtl/regs/tern_registers.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/blocks/link/axi_requester.h"
#include "tb/blocks/register_port.h"

namespace tb::blocks::link {
namespace {

/// One access on a flat register port of the peer.
template <class Pins>
class FlatPort : public Agent {
 public:
  FlatPort(BlockBench<Vtern_peer>& bench, Pins pins) : bench_(bench), pins_(pins) { bench.add(*this); }
  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t value) {
    pins_.request(bench_.dut(), write, address, value);
    done_ = false;
    EXPECT_TRUE(bench_.cycle_until([&] { return done_; }, 100)) << "no answer";
    EXPECT_FALSE(error_) << "address " << address;
    return rdata_;
  }
  void sample() override {
    const auto answer = pins_.answer(bench_.dut());
    if (!answer.ready) return;
    done_ = true;
    error_ = answer.error;
    rdata_ = answer.rdata;
  }
  void drive() override {
    if (done_) pins_.release(bench_.dut());
  }

 private:
  BlockBench<Vtern_peer>& bench_;
  Pins pins_;
  bool done_ = false;
  bool error_ = false;
  std::uint32_t rdata_ = 0;
};

struct Answer {
  bool ready;
  bool error;
  std::uint32_t rdata;
};
struct LinkPins {
  void request(Vtern_peer& p, bool write, std::uint32_t address, std::uint32_t value) const {
    p.link_reg_valid_i = 1;
    p.link_reg_write_i = write;
    p.link_reg_addr_i = address & 0xFFFU;
    p.link_reg_wdata_i = value;
    p.link_reg_strb_i = 0xF;
  }
  Answer answer(const Vtern_peer& p) const {
    return {p.link_reg_valid_i && p.link_reg_ready_o, p.link_reg_error_o != 0, p.link_reg_rdata_o};
  }
  void release(Vtern_peer& p) const { p.link_reg_valid_i = 0; }
};
struct SramPins {
  void request(Vtern_peer& p, bool write, std::uint32_t address, std::uint32_t value) const {
    p.sram_reg_valid_i = 1;
    p.sram_reg_write_i = write;
    p.sram_reg_addr_i = address & 0xFFFU;
    p.sram_reg_wdata_i = value;
    p.sram_reg_strb_i = 0xF;
  }
  Answer answer(const Vtern_peer& p) const {
    return {p.sram_reg_valid_i && p.sram_reg_ready_o, p.sram_reg_error_o != 0, p.sram_reg_rdata_o};
  }
  void release(Vtern_peer& p) const { p.sram_reg_valid_i = 0; }
};
struct WindowPins {
  void request(Vtern_peer& p, bool write, std::uint32_t address, std::uint32_t value) const {
    p.sram_win_valid_i = 1;
    p.sram_win_write_i = write;
    p.sram_win_addr_i = static_cast<SData>(address);
    p.sram_win_wdata_i = value;
    p.sram_win_strb_i = 0xF;
  }
  Answer answer(const Vtern_peer& p) const {
    return {p.sram_win_valid_i && p.sram_win_ready_o, p.sram_win_error_o != 0, p.sram_win_rdata_o};
  }
  void release(Vtern_peer& p) const { p.sram_win_valid_i = 0; }
};

std::uint32_t address_of(std::string_view name) { return firstlight::tern_registers().find(name).found->address; }

/// Lanes of a link to those of the peer, straight.
class Cable : public Agent {
 public:
  Cable(BlockBench<Vlink_end>& near, BlockBench<Vtern_peer>& far) : near_(near), far_(far) { near.add(*this); }
  void sample() override {}
  void drive() override {
    far_.dut().link_rx_data_i = near_.dut().tx_data_o;
    far_.dut().link_rx_idle_i = near_.dut().tx_idle_o;
    near_.dut().rx_data_i = far_.dut().link_tx_data_o;
    near_.dut().rx_idle_i = far_.dut().link_tx_idle_o;
  }

 private:
  BlockBench<Vlink_end>& near_;
  BlockBench<Vtern_peer>& far_;
};

TEST(TernPeer, TrainsAndServesItsSram) {
  BlockBench<Vlink_end> near("near");
  BlockBench<Vtern_peer> far("far");
  RegisterPort<Vlink_end> registers(near);
  FlatPort<LinkPins> link(far, {});
  FlatPort<SramPins> sram(far, {});
  FlatPort<WindowPins> window(far, {});
  Cable cable(near, far);
  AxiRequester requester(near, seed(), 4);
  near.dut().rst_ni = 0;
  far.dut().rst_ni = 0;
  near.cycle(8);
  near.dut().rst_ni = 1;
  far.dut().rst_ni = 1;
  near.cycle(20000);  // the SRAM fills itself after a reset

  link.access(true, address_of("link.ctrl"), 0xB);
  registers.write("link.ctrl.enable", 1);
  ASSERT_TRUE(near.cycle_until([&] { return registers.read("link.status.up") != 0; }, 500));
  EXPECT_NE(link.access(false, address_of("link.status"), 0) & 8U, 0U) << "the peer is up too";
  EXPECT_EQ(sram.access(false, address_of("sram.corrected_count"), 0), 0U);

  Dice dice(seed());
  std::vector<std::uint64_t> data(16);
  for (unsigned burst = 0; burst < 20; ++burst) {
    const std::uint64_t offset = 128ULL * dice.below(512);
    for (auto& d : data) d = dice.bits();
    const auto write = requester.submit(AxiRequester::write(0x3'0000'0000 + offset, data));
    ASSERT_TRUE(near.cycle_until([&] { return requester.idle(); }, 2000));
    const auto read = requester.submit(AxiRequester::read(0x3'0000'0000 + offset, 16));
    ASSERT_TRUE(near.cycle_until([&] { return requester.idle(); }, 2000));
    EXPECT_TRUE(requester.access(write).okay());
    EXPECT_TRUE(requester.access(read).okay());
    EXPECT_EQ(requester.access(read).data, data);
    EXPECT_EQ(window.access(false, static_cast<std::uint32_t>(offset + 4), 0), data[0] >> 32) << "seen from the peer";
  }
  for (const auto& violation : requester.checker().violations()) ADD_FAILURE() << violation;
}

}  // namespace
}  // namespace tb::blocks::link
