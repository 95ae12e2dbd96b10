#include "tb/chip/axi_bridge.h"

#include <cstring>

#include "tb/chip/models.h"

namespace tb {
namespace {

constexpr unsigned kBeatBytes = 8;
constexpr std::size_t kMaxReads = 16;
constexpr std::size_t kMaxWrites = 16;
enum Response : unsigned { kOkay = 0, kSlvErr = 2, kDecErr = 3 };

}  // namespace

AxiBridge::AxiBridge(const sc_core::sc_module_name& name, Vtern& dut, std::array<Window, kWindows> windows,
                     std::uint64_t seed)
    : sc_module(name),
      hbm_socket("hbm_socket"),
      host_socket("host_socket"),
      dut_(dut),
      windows_(windows),
      lanes_(seed) {}

bool AxiBridge::over_lanes(std::uint64_t address) const {
  return address >= windows_[0].base && address - windows_[0].base < windows_[0].bytes;
}

void AxiBridge::reset() {
  reads_.clear();
  write_addresses_.clear();
  write_data_ = {};
  finished_data_.clear();
  responses_.clear();
  drive();
}

void AxiBridge::sample(const sc_core::sc_time& ahead, const sc_core::sc_time& cycle) {
  ahead_ = ahead;
  cycle_ = cycle;
  ++now_;
  sample_read();
  sample_write();
}

unsigned AxiBridge::transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t count,
                              const std::uint8_t* enable, std::uint64_t& ready) {
  ready = now_ + 1;
  for (std::size_t i = 0; i < kWindows; ++i) {
    const Window& window = windows_[i];
    if (address < window.base || address - window.base >= window.bytes) continue;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address - window.base);
    payload.set_data_ptr(data);
    payload.set_data_length(static_cast<unsigned>(count));
    payload.set_streaming_width(static_cast<unsigned>(count));
    // TLM wants a plain pointer, and the target only reads through it.
    payload.set_byte_enable_ptr(const_cast<std::uint8_t*>(enable));
    payload.set_byte_enable_length(enable != nullptr ? static_cast<unsigned>(count) : 0);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = ahead_;
    (i == 0 ? hbm_socket : host_socket)->b_transport(payload, delay);
    if (delay > ahead_) ready = now_ + static_cast<std::uint64_t>((delay - ahead_) / cycle_);
    switch (payload.get_response_status()) {
      case tlm::TLM_OK_RESPONSE:
        return kOkay;
      case tlm::TLM_ADDRESS_ERROR_RESPONSE:
        return kDecErr;
      default:
        return kSlvErr;
    }
  }
  return kDecErr;
}

void AxiBridge::sample_read() {
  if (dut_.m_axi_rvalid_i && dut_.m_axi_rready_o) {
    ReadBurst& burst = reads_.front();
    ++beats_read_;
    if (++burst.next == burst.data.size()) reads_.pop_front();
  }
  if (dut_.m_axi_arvalid_o && dut_.m_axi_arready_i) {
    ReadBurst burst;
    burst.id = dut_.m_axi_arid_o;
    burst.data.resize(dut_.m_axi_arlen_o + 1U);
    std::vector<std::uint8_t> bytes(burst.data.size() * kBeatBytes);
    const std::uint64_t address = dut_.m_axi_araddr_o / kBeatBytes * kBeatBytes;
    burst.by_lanes = over_lanes(address);
    burst.response = transport(tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size(), nullptr, burst.ready);
    std::memcpy(burst.data.data(), bytes.data(), bytes.size());
    reads_.push_back(std::move(burst));
  }
}

void AxiBridge::sample_write() {
  if (dut_.m_axi_bvalid_i && dut_.m_axi_bready_o) responses_.pop_front();
  if (dut_.m_axi_awvalid_o && dut_.m_axi_awready_i)
    write_addresses_.push_back(
        {dut_.m_axi_awaddr_o / kBeatBytes * kBeatBytes, dut_.m_axi_awid_o, dut_.m_axi_awlen_o + 1U});
  if (dut_.m_axi_wvalid_o && dut_.m_axi_wready_i) {
    for (unsigned i = 0; i < kBeatBytes; ++i) {
      write_data_.bytes.push_back(static_cast<std::uint8_t>(dut_.m_axi_wdata_o >> (8 * i)));
      write_data_.enable.push_back((dut_.m_axi_wstrb_o >> i) & 1U ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
    }
    write_data_.flips.push_back(lanes_.write_flips(dut_.hbm_wr_delay_o, beats_written_));
    ++beats_written_;
    if (dut_.m_axi_wlast_o) {
      finished_data_.push_back(std::move(write_data_));
      write_data_ = {};
    }
  }
  while (!finished_data_.empty() && !write_addresses_.empty()) finish_write();
}

void AxiBridge::finish_write() {
  const Burst burst = write_addresses_.front();
  WriteData& data = finished_data_.front();
  WriteResponse response{burst.id, kSlvErr, now_ + 1};
  if (over_lanes(burst.address))
    for (std::size_t i = 0; i < data.bytes.size(); ++i)
      data.bytes[i] ^= static_cast<std::uint8_t>(data.flips[i / kBeatBytes] >> (8 * (i % kBeatBytes)));
  if (data.bytes.size() == burst.beats * kBeatBytes)
    response.response = transport(tlm::TLM_WRITE_COMMAND, burst.address, data.bytes.data(), data.bytes.size(),
                                  data.enable.data(), response.ready);
  responses_.push_back(response);
  write_addresses_.pop_front();
  finished_data_.pop_front();
}

void AxiBridge::drive() {
  dut_.m_axi_arready_i = reads_.size() < kMaxReads;
  const bool room = write_addresses_.size() < kMaxWrites && responses_.size() < kMaxWrites;
  dut_.m_axi_awready_i = room;
  dut_.m_axi_wready_i = finished_data_.size() < kMaxWrites;
  drive_read();
  const bool respond = !responses_.empty() && responses_.front().ready <= now_ + 1;
  dut_.m_axi_bvalid_i = respond;
  if (respond) {
    dut_.m_axi_bid_i = static_cast<std::uint8_t>(responses_.front().id & 0xFU);
    dut_.m_axi_bresp_i = static_cast<std::uint8_t>(responses_.front().response & 3U);
  }
}

void AxiBridge::drive_read() {
  const bool valid = !reads_.empty() && reads_.front().ready <= now_ + 1;
  dut_.m_axi_rvalid_i = valid;
  if (!valid) return;
  const ReadBurst& burst = reads_.front();
  dut_.m_axi_rid_i = static_cast<std::uint8_t>(burst.id & 0xFU);
  const std::uint64_t flips = burst.by_lanes ? lanes_.read_flips(dut_.hbm_rd_delay_o, beats_read_) : 0;
  dut_.m_axi_rdata_i = burst.data[burst.next] ^ flips;
  dut_.m_axi_rresp_i = static_cast<std::uint8_t>(burst.response & 3U);
  dut_.m_axi_rlast_i = burst.next + 1 == burst.data.size();
}

}  // namespace tb
