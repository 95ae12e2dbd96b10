#include "lab/transports/i2c/smbus_call.h"

#include <fmt/format.h>
#include <linux/i2c.h>

namespace firstlight::i2c {

namespace {

constexpr std::size_t kBlock = I2C_SMBUS_BLOCK_MAX;

SmbusPlan refuse(std::string why) { return {std::nullopt, std::move(why)}; }

/// Checks that the adapter has what the call needs, PEC included.
SmbusPlan with_function(SmbusCall call, unsigned long functionality, unsigned long needed, const char* name) {
  if ((functionality & needed) == needed) return {std::move(call), {}};
  return refuse(fmt::format("the adapter has neither plain I2C nor {} (functionality 0x{:08x})", name, functionality));
}

/// A PEC byte is left to the adapter when it can do that. @return whether `bytes` counts it no more
bool leave_pec(const I2cMessage& message, unsigned long functionality, std::size_t& bytes) {
  if (!message.pec || (functionality & I2C_FUNC_SMBUS_PEC) == 0 || bytes == 0) return false;
  --bytes;
  return true;
}

SmbusPlan plan_write(const I2cMessage& message, unsigned long functionality) {
  if (message.write.empty()) {
    SmbusCall quick;
    quick.size = I2C_SMBUS_QUICK;
    return with_function(quick, functionality, I2C_FUNC_SMBUS_QUICK, "SMBus quick");
  }
  std::size_t count = message.write.size() - 1;
  SmbusCall call;
  call.command = message.write[0];
  call.adapter_pec = leave_pec(message, functionality, count);
  call.data.assign(message.write.begin() + 1, message.write.begin() + 1 + static_cast<std::ptrdiff_t>(count));
  switch (count) {
    case 0:
      call.size = I2C_SMBUS_BYTE;
      return with_function(call, functionality, I2C_FUNC_SMBUS_WRITE_BYTE, "SMBus send byte");
    case 1:
      call.size = I2C_SMBUS_BYTE_DATA;
      return with_function(call, functionality, I2C_FUNC_SMBUS_WRITE_BYTE_DATA, "SMBus write byte");
    case 2:
      call.size = I2C_SMBUS_WORD_DATA;
      return with_function(call, functionality, I2C_FUNC_SMBUS_WRITE_WORD_DATA, "SMBus write word");
    default:
      break;
  }
  if (call.data[0] == count - 1 && (functionality & I2C_FUNC_SMBUS_WRITE_BLOCK_DATA) != 0) {
    call.data.erase(call.data.begin());
    call.size = I2C_SMBUS_BLOCK_DATA;
    return {std::move(call), {}};
  }
  if (call.adapter_pec) return refuse("the adapter has no SMBus block writes, and no other call takes a PEC");
  if (count > kBlock) return refuse(fmt::format("{} bytes are more than an SMBus adapter writes at once", count));
  call.size = I2C_SMBUS_I2C_BLOCK_DATA;
  return with_function(call, functionality, I2C_FUNC_SMBUS_WRITE_I2C_BLOCK, "I2C block writes");
}

SmbusPlan plan_block_read(const I2cMessage& read, SmbusCall call, unsigned long functionality) {
  call.most = read.read;
  if (read.extra != 0) {
    if (!read.pec || read.extra != 1 || (functionality & I2C_FUNC_SMBUS_PEC) == 0)
      return refuse("the adapter gives no bytes after an SMBus block: a part with PEC needs the quirk no_pec here");
    call.adapter_pec = true;
  }
  if (call.size == I2C_SMBUS_BLOCK_PROC_CALL)
    return with_function(call, functionality, I2C_FUNC_SMBUS_BLOCK_PROC_CALL, "SMBus block process calls");
  call.size = I2C_SMBUS_BLOCK_DATA;
  return with_function(call, functionality, I2C_FUNC_SMBUS_READ_BLOCK_DATA, "SMBus block reads");
}

SmbusPlan plan_read(const I2cMessage& write, const I2cMessage& read, unsigned long functionality) {
  SmbusCall call;
  call.read = true;
  if (write.write.empty()) return refuse("an SMBus read needs a command before it");
  call.command = write.write[0];
  if (read.block && write.write.size() >= 3 && write.write[1] == write.write.size() - 2) {
    call.size = I2C_SMBUS_BLOCK_PROC_CALL;
    call.data.assign(write.write.begin() + 2, write.write.end());
    return plan_block_read(read, std::move(call), functionality);
  }
  if (write.write.size() != 1)
    return refuse("a command of several bytes with a read after it is not SMBus, and the adapter has no plain I2C");
  if (read.block) return plan_block_read(read, std::move(call), functionality);
  std::size_t count = read.read;
  call.adapter_pec = leave_pec(read, functionality, count);
  switch (count) {
    case 0:
      return refuse("a read of no bytes");
    case 1:
      call.size = I2C_SMBUS_BYTE_DATA;
      return with_function(call, functionality, I2C_FUNC_SMBUS_READ_BYTE_DATA, "SMBus read byte");
    case 2:
      call.size = I2C_SMBUS_WORD_DATA;
      return with_function(call, functionality, I2C_FUNC_SMBUS_READ_WORD_DATA, "SMBus read word");
    default:
      break;
  }
  if (call.adapter_pec) return refuse("no SMBus call reads so many bytes with a PEC");
  if (count > kBlock) return refuse(fmt::format("{} bytes are more than an SMBus adapter reads at once", count));
  call.size = I2C_SMBUS_I2C_BLOCK_DATA;
  call.length = count;
  return with_function(call, functionality, I2C_FUNC_SMBUS_READ_I2C_BLOCK, "I2C block reads");
}

SmbusPlan plan_receive(const I2cMessage& read, unsigned long functionality) {
  if (read.block || read.read != 1) return refuse("only one byte can be read by SMBus without a command before it");
  SmbusCall call;
  call.read = true;
  call.size = I2C_SMBUS_BYTE;
  return with_function(call, functionality, I2C_FUNC_SMBUS_READ_BYTE, "SMBus receive byte");
}

bool is_read(const I2cMessage& message) { return message.block || message.read != 0; }

}  // namespace

SmbusPlan plan_smbus(const std::vector<I2cMessage>& messages, unsigned long functionality) {
  if (messages.size() == 1)
    return is_read(messages[0]) ? plan_receive(messages[0], functionality) : plan_write(messages[0], functionality);
  if (messages.size() == 2 && !is_read(messages[0]) && is_read(messages[1]))
    return plan_read(messages[0], messages[1], functionality);
  return refuse("the adapter has no plain I2C, and SMBus knows no transfer of this form");
}

}  // namespace firstlight::i2c
