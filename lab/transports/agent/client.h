#pragma once

#include <memory>
#include <string>

#include "lab/transports/agent/connection.h"

namespace firstlight::agent {

// The resources of an agent's host, as transports of this one. @param there the resource's name on the agent. Each
// throws FailureError (infrastructure) when the agent has none of that name and type, or cannot open it.

std::unique_ptr<I2cBus> open_i2c(std::shared_ptr<Connection> agent, const ResourcePlan& here, const std::string& there);
std::unique_ptr<RegisterBus> open_registers(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                            const std::string& there);
std::unique_ptr<DmaMemory> open_dma_memory(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                           const std::string& there);
std::unique_ptr<Gpio> open_gpio(std::shared_ptr<Connection> agent, const ResourcePlan& here, const std::string& there);
std::unique_ptr<Hwmon> open_hwmon(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                  const std::string& there);
std::unique_ptr<ByteStream> open_stream(std::shared_ptr<Connection> agent, const ResourcePlan& here,
                                        const std::string& there);

}  // namespace firstlight::agent
