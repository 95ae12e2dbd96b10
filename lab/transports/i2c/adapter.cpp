#include "lab/transports/i2c/adapter.h"

#include <fmt/format.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "lab/core/failure.h"
#include "lab/transports/i2c/errors.h"
#include "lab/transports/i2c/smbus_call.h"

namespace firstlight::i2c {

namespace {

constexpr std::size_t kMostMessages = I2C_RDWR_IOCTL_MAX_MSGS;
constexpr std::size_t kMostBytes = 8192;    // of one message, in i2c-dev
constexpr unsigned long kTimeoutUnit = 10;  // ms

bool is_read(const I2cMessage& message) { return message.block || message.read != 0; }

I2cResult failed(const Fault& fault) { return {fault.status, {}, 0, fault.text}; }
I2cResult refused(std::string why) { return {I2cStatus::io_error, {}, 0, std::move(why)}; }

std::size_t bytes_written(const std::vector<I2cMessage>& messages) {
  std::size_t count = 0;
  for (const I2cMessage& message : messages) count += message.write.size();
  return count;
}

/// The buffers of a combined transfer, as I2C_RDWR wants them.
class Combined {
 public:
  Combined(std::uint8_t address, const std::vector<I2cMessage>& messages) : given_(messages) {
    buffers_.reserve(messages.size());
    for (const I2cMessage& message : messages) {
      std::vector<std::uint8_t>& buffer = buffers_.emplace_back(message.write);
      unsigned flags = 0;
      if (message.block) {
        // The kernel wants room for the largest block, and in the first byte how many bytes come beside the counted
        // ones.
        flags = I2C_M_RD | I2C_M_RECV_LEN;
        buffer.assign(1 + I2C_SMBUS_BLOCK_MAX + message.extra, 0);
        buffer[0] = static_cast<std::uint8_t>(1 + message.extra);
      } else if (message.read != 0) {
        flags = I2C_M_RD;
        buffer.assign(message.read, 0);
      }
      i2c_msg raw{};
      raw.addr = address;
      raw.flags = static_cast<__u16>(flags);
      raw.len = static_cast<__u16>(buffer.size());
      raw.buf = buffer.data();
      raw_.push_back(raw);
    }
    call_.msgs = raw_.data();
    call_.nmsgs = static_cast<__u32>(raw_.size());
  }

  i2c_rdwr_ioctl_data* call() { return &call_; }

  I2cResult result() const {
    I2cResult result;
    result.acknowledged = bytes_written(given_);
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (!is_read(given_[i])) continue;
      std::size_t count = given_[i].read;
      if (given_[i].block) {
        if (buffers_[i][0] > std::min<std::size_t>(given_[i].read, I2C_SMBUS_BLOCK_MAX))
          return refused(
              fmt::format("a block of {} bytes came where {} at most were due", buffers_[i][0], given_[i].read));
        count = 1U + buffers_[i][0] + given_[i].extra;
      }
      result.data.insert(result.data.end(), buffers_[i].begin(),
                         buffers_[i].begin() + static_cast<std::ptrdiff_t>(count));
    }
    return result;
  }

 private:
  const std::vector<I2cMessage>& given_;
  std::vector<std::vector<std::uint8_t>> buffers_;
  std::vector<i2c_msg> raw_;
  i2c_rdwr_ioctl_data call_{};
};

/// The PEC that the adapter has checked and taken away, put back where the driver looks for it (SMBus 3.1, 6.4.1.1).
std::uint8_t crc8(std::uint8_t crc, std::uint8_t byte) {
  unsigned value = crc ^ byte;
  for (int bit = 0; bit < 8; ++bit) value = ((value << 1U) ^ ((value & 0x80U) != 0 ? 0x07U : 0U)) & 0xffU;
  return static_cast<std::uint8_t>(value);
}

std::uint8_t checked_pec(std::uint8_t address, const std::vector<std::uint8_t>& written,
                         const std::vector<std::uint8_t>& read) {
  std::uint8_t crc = crc8(0, static_cast<std::uint8_t>(address << 1U));
  for (const std::uint8_t byte : written) crc = crc8(crc, byte);
  crc = crc8(crc, static_cast<std::uint8_t>((unsigned{address} << 1U) | 1U));
  for (const std::uint8_t byte : read) crc = crc8(crc, byte);
  return crc;
}

i2c_smbus_data smbus_data_of(const SmbusCall& call) {
  i2c_smbus_data data{};
  switch (call.size) {
    case I2C_SMBUS_BYTE_DATA:
      if (!call.read) data.byte = call.data[0];
      break;
    case I2C_SMBUS_WORD_DATA:
      if (!call.read) data.word = static_cast<__u16>(call.data[0] | (static_cast<unsigned>(call.data[1]) << 8U));
      break;
    case I2C_SMBUS_BLOCK_DATA:
    case I2C_SMBUS_BLOCK_PROC_CALL:
    case I2C_SMBUS_I2C_BLOCK_DATA:
      data.block[0] = static_cast<__u8>(call.read && call.data.empty() ? call.length : call.data.size());
      std::copy(call.data.begin(), call.data.end(), data.block + 1);
      break;
    default:
      break;
  }
  return data;
}

std::vector<std::uint8_t> bytes_of(const SmbusCall& call, const i2c_smbus_data& data) {
  switch (call.size) {
    case I2C_SMBUS_BYTE:
    case I2C_SMBUS_BYTE_DATA:
      return {data.byte};
    case I2C_SMBUS_WORD_DATA:
      return {static_cast<std::uint8_t>(data.word & 0xffU), static_cast<std::uint8_t>(data.word >> 8U)};
    case I2C_SMBUS_I2C_BLOCK_DATA:
      return {data.block + 1, data.block + 1 + std::min<std::size_t>(data.block[0], call.length)};
    default:
      return {data.block, data.block + 1 + std::min<std::size_t>(data.block[0], I2C_SMBUS_BLOCK_MAX)};
  }
}

bool is_block(const SmbusCall& call) {
  return call.size == I2C_SMBUS_BLOCK_DATA || call.size == I2C_SMBUS_BLOCK_PROC_CALL;
}

}  // namespace

Adapter::Adapter(std::unique_ptr<DeviceFile> file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
  const int error = file_->control(I2C_FUNCS, static_cast<void*>(&functionality_));
  if (error < 0)
    throw FailureError({ErrorClass::infrastructure, "i2c_open", fmt::format("{} is no I2C adapter", name_), name_,
                        "ioctl I2C_FUNCS", fault_of(-error).text, "the address names another kind of device"});
}

void Adapter::limit_to(std::chrono::milliseconds limit) {
  const unsigned long units = std::max<unsigned long>(1, static_cast<unsigned long>(limit.count()) / kTimeoutUnit);
  if (units == timeout_) return;
  if (file_->control(I2C_TIMEOUT, units) >= 0) timeout_ = units;
}

bool Adapter::claim(std::uint8_t address, I2cResult& result) {
  if (claimed_ == address) return true;
  const int error = file_->control(I2C_SLAVE, static_cast<unsigned long>(address));
  if (error >= 0) {
    claimed_ = address;
    free_.insert(address);
    return true;
  }
  claimed_ = -1;
  result =
      error == -EBUSY
          ? refused(fmt::format("a driver of the kernel has 0x{:02x} on {}, and would talk to the part between our "
                                "transfers: unbind it (its link `driver` under /sys/bus/i2c/devices says which)",
                                address, name_))
          : failed(fault_of(-error));
  return false;
}

I2cResult Adapter::transfer(std::uint8_t address, const std::vector<I2cMessage>& messages,
                            std::chrono::milliseconds limit) {
  if (messages.empty() || messages.size() > kMostMessages)
    return refused(fmt::format("a transfer of {} messages; Linux takes 1 to {}", messages.size(), kMostMessages));
  for (const I2cMessage& message : messages)
    if (message.write.size() > kMostBytes || message.read > kMostBytes)
      return refused(fmt::format("Linux takes messages of at most {} bytes", kMostBytes));
  limit_to(limit);
  if ((functionality_ & I2C_FUNC_I2C) == 0) return smbus(address, messages);

  I2cResult busy;
  if (free_.count(address) == 0 && !claim(address, busy)) return busy;
  const bool block = messages.back().block;
  if (block && (functionality_ & I2C_FUNC_SMBUS_READ_BLOCK_DATA) == 0) return block_in_two(address, messages);
  return combined(address, messages);
}

I2cResult Adapter::combined(std::uint8_t address, const std::vector<I2cMessage>& messages) {
  Combined combined(address, messages);
  const int error = file_->control(I2C_RDWR, static_cast<void*>(combined.call()));
  return error < 0 ? failed(fault_of(-error)) : combined.result();
}

I2cResult Adapter::block_in_two(std::uint8_t address, std::vector<I2cMessage> messages) {
  // An adapter that cannot learn the length on the way: read the count alone, then all of it.
  const I2cMessage block = messages.back();
  messages.back() = I2cMessage::reading(1);
  const I2cResult counted = combined(address, messages);
  if (counted.status != I2cStatus::ok) return counted;
  const std::size_t count = counted.data.back();
  if (count > block.read)
    return refused(fmt::format("a block of {} bytes came where {} at most were due", count, block.read));
  messages.back() = I2cMessage::reading(1 + count + block.extra);
  return combined(address, messages);
}

I2cResult Adapter::smbus(std::uint8_t address, const std::vector<I2cMessage>& messages) {
  const SmbusPlan plan = plan_smbus(messages, functionality_);
  if (!plan.call) return refused(plan.refusal);
  const SmbusCall& call = *plan.call;
  I2cResult result;
  if (!claim(address, result)) return result;
  if (call.adapter_pec != adapter_pec_) {
    const int error = file_->control(I2C_PEC, static_cast<unsigned long>(call.adapter_pec ? 1 : 0));
    if (error < 0) return failed(fault_of(-error));
    adapter_pec_ = call.adapter_pec;
  }
  i2c_smbus_data data = smbus_data_of(call);
  i2c_smbus_ioctl_data raw{};
  raw.read_write = call.read ? I2C_SMBUS_READ : I2C_SMBUS_WRITE;
  raw.command = call.command;
  raw.size = call.size;
  raw.data = call.size == I2C_SMBUS_QUICK || (call.size == I2C_SMBUS_BYTE && !call.read) ? nullptr : &data;
  const int error = file_->control(I2C_SMBUS, static_cast<void*>(&raw));
  if (error < 0) return failed(fault_of(-error));
  result.acknowledged = bytes_written(messages);
  if (!call.read) return result;
  result.data = bytes_of(call, data);
  if (is_block(call) && result.data[0] > call.most)
    return refused(fmt::format("a block of {} bytes came where {} at most were due", result.data[0], call.most));
  if (call.adapter_pec) result.data.push_back(checked_pec(address, messages.front().write, result.data));
  return result;
}

}  // namespace firstlight::i2c
