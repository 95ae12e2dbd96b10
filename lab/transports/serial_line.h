#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/transports/byte_stream.h"
#include "lab/transports/schemes.h"

namespace firstlight {

struct SerialSettings {
  int baud = 9600;
  int data_bits = 8;
  std::string parity = "none";  // "even", "odd"
  int stop_bits = 1;
  std::string handshake = "none";  // "rts_cts", "xon_xoff"
};

/// From a resource's parameters.
SerialSettings serial_settings(const Value::Map& params);

/// Links below `folder` (by-id, by-path) that lead to the device, sorted. A device's number changes with the order in
/// which adapters are plugged in; these do not.
std::vector<std::string> stable_serial_names(const std::string& device, const std::string& folder = "/dev/serial");

/// Throws FailureError (bench) for a serial adapter that is named by its number, with the names that it should have:
/// otherwise a run may one day speak to another instrument. Ports that are part of the machine (/dev/ttyS0) and
/// pseudo-terminals are fine.
void refuse_numbered_serial(const ResourcePlan& resource, const std::string& device,
                            const std::string& folder = "/dev/serial");

/// Opens the line with the resource's parameters and reads nothing until someone wants to. Throws FailureError.
std::unique_ptr<ByteStream> open_serial_stream(const ResourcePlan& resource, const std::string& device,
                                               OpenContext& context);

}  // namespace firstlight
