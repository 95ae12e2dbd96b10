#include "lab/transports/agent/client.h"
#include "lab/transports/agent/place.h"
#include "lab/transports/schemes.h"

namespace firstlight {

namespace {

template <class Transport>
using Open = std::unique_ptr<Transport> (*)(std::shared_ptr<agent::Connection>, const ResourcePlan&,
                                            const std::string&);

template <class Transport>
void add(std::vector<Scheme<Transport>>& schemes, const std::string& type, Open<Transport> open) {
  Scheme<Transport> scheme;
  scheme.type = type;
  scheme.scheme = "agent";
  scheme.form = "agent:AGENT/RESOURCE";
  scheme.doc = "A resource of the host on which an agent runs.";
  scheme.open = [open](const ResourcePlan& resource, const std::string& rest, OpenContext& context) {
    const agent::Place place = agent::place_of(resource, rest);
    return open(agent::Connection::of(place.agent, resource, context), resource, place.resource);
  };
  schemes.push_back(std::move(scheme));
}

}  // namespace

void add_agent_schemes(SchemeTable& table) {
  add<I2cBus>(table.i2c, "i2c", agent::open_i2c);
  add<ByteStream>(table.streams, "scpi", agent::open_stream);
  add<RegisterBus>(table.registers, "registers", agent::open_registers);
  add<DmaMemory>(table.dma_memories, "dma_memory", agent::open_dma_memory);
  add<Gpio>(table.gpios, "gpio", agent::open_gpio);
  add<Hwmon>(table.hwmons, "hwmon", agent::open_hwmon);
}

}  // namespace firstlight
