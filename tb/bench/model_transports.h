#pragma once

#include <memory>
#include <string>

#include "lab/transports/byte_stream.h"
#include "lab/transports/dma_memory.h"
#include "lab/transports/gpio.h"
#include "lab/transports/i2c_bus.h"
#include "lab/transports/register_bus.h"
#include "tb/board/board.h"
#include "tb/chip/external_memory.h"
#include "tb/chip/tern_chip.h"

namespace tb {

// The wires of the model as the lab's transports: each call hands its bytes or bits to the device, and its fiber waits
// in bench time until the device has answered or the deadline has passed. The devices outlive the transports.

std::unique_ptr<firstlight::I2cBus> model_i2c(std::string name, instruments::I2cBusModel& bus,
                                              firstlight::BenchTime& time);
std::unique_ptr<firstlight::ByteStream> model_stream(std::string name, instruments::ScpiInstrument& instrument,
                                                     firstlight::BenchTime& time);
std::unique_ptr<firstlight::Gpio> model_gpio(std::string name, const board::Board& board);
std::unique_ptr<firstlight::DmaMemory> model_dma_memory(std::string name, ExternalMemory& memory, std::uint64_t base);

/// Bits that the wires add to a word on its way to one register: a fault of the bus.
struct WordFault {
  bool active = false;
  std::uint32_t address = 0;
  std::uint32_t set_bits = 0;
};
std::unique_ptr<firstlight::RegisterBus> model_host_port(std::string name, TernChip& chip, firstlight::BenchTime& time,
                                                         WordFault fault);
std::unique_ptr<firstlight::RegisterBus> model_partner_port(std::string name, LinkPartner& partner,
                                                            firstlight::BenchTime& time);

}  // namespace tb
