#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/transports/i2c_bus.h"

namespace firstlight::i2c {

/// One SMBus call of the kernel (I2C_SMBUS) that puts the same bits on the wire as a combined transfer would.
struct SmbusCall {
  bool read = false;
  std::uint8_t command = 0;
  std::uint32_t size = 0;          // I2C_SMBUS_BYTE_DATA and its brothers
  std::vector<std::uint8_t> data;  // written; for blocks without the count
  std::size_t length = 0;          // of an I2C block read: how many bytes
  std::size_t most = 0;            // of an SMBus block read: the largest count that is taken
  bool adapter_pec = false;        // the adapter makes and checks the PEC, so that none comes with the data
};

struct SmbusPlan {
  std::optional<SmbusCall> call;
  std::string refusal;  // why the adapter cannot do it, when there is no call
};

/// For an adapter without plain I2C. PEC: where its functionality has I2C_FUNC_SMBUS_PEC, messages marked `pec` leave
/// it to the adapter; where not, the PEC travels as one more data byte if some longer call carries it, and is checked
/// above.
/// @param functionality I2C_FUNCS of the adapter
SmbusPlan plan_smbus(const std::vector<I2cMessage>& messages, unsigned long functionality);

}  // namespace firstlight::i2c
