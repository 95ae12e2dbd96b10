#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/bench_time.h"
#include "lab/transports/provider.h"

namespace firstlight {

class IoThread;

/// What opening a resource may need besides its plan.
struct OpenContext {
  BenchTime& time;
  IoThread& io;
  const BenchPlan& bench;
  /// Connections that several resources share (one agent carries many), by the name of the resource that they are.
  std::map<std::string, std::shared_ptr<void>>& shared;
};

/// One way to reach one type of resource: what comes before the first ':' of its address.
template <class Transport>
struct Scheme {
  std::string type;     // of the resource: "scpi"
  std::string scheme;   // "tcp"; "file" for an address that is an absolute path
  std::string form;     // "tcp://HOST:PORT", for help and messages
  std::string doc;      // one sentence
  std::string missing;  // why this build does not have it ("built without liblxi"); empty when it has
  /// One program at a time: a second opener would take what the first one waits for (a serial line).
  bool exclusive = false;
  /// @param rest the address after "scheme:" and the slashes that follow it; for "file" the whole path. Throws
  /// FailureError (infrastructure), or (bench) when the address is not of the form.
  std::function<std::unique_ptr<Transport>(const ResourcePlan&, const std::string& rest, OpenContext&)> open = {};
};

/// Every way to reach hardware that Firstlight knows, whether this build has it or not.
struct SchemeTable {
  std::vector<Scheme<I2cBus>> i2c;
  std::vector<Scheme<ByteStream>> streams;
  std::vector<Scheme<RegisterBus>> registers;
  std::vector<Scheme<DmaMemory>> dma_memories;
  std::vector<Scheme<Gpio>> gpios;
  std::vector<Scheme<Hwmon>> hwmons;
  std::vector<Scheme<IpmiLink>> ipmi;
  std::vector<Scheme<HttpClient>> http;
  std::vector<Scheme<ModbusBus>> modbus;
};

const SchemeTable& all_schemes();

/// True when only one program at a time may have the resource open.
bool is_exclusive(const ResourcePlan& resource);

/// "tcp://psu-3:5025" is {"tcp", "psu-3:5025"}, "/dev/i2c-4" is {"file", "/dev/i2c-4"}, "serial:/dev/x" is {"serial",
/// "/dev/x"}.
struct Address {
  std::string scheme;
  std::string rest;
};
Address parse_address(const std::string& text);

// One family a file; each adds its rows.
void add_socket_schemes(SchemeTable& table);
void add_serial_schemes(SchemeTable& table);
void add_usbtmc_schemes(SchemeTable& table);
void add_vxi11_schemes(SchemeTable& table);
void add_exec_schemes(SchemeTable& table);
void add_agent_schemes(SchemeTable& table);
void add_i2c_dev_schemes(SchemeTable& table);
void add_pci_schemes(SchemeTable& table);
void add_uio_schemes(SchemeTable& table);
void add_host_memory_schemes(SchemeTable& table);
void add_gpio_schemes(SchemeTable& table);
void add_hwmon_schemes(SchemeTable& table);
void add_ipmi_schemes(SchemeTable& table);
void add_http_schemes(SchemeTable& table);
void add_modbus_schemes(SchemeTable& table);

}  // namespace firstlight
