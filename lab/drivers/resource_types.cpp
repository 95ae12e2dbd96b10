#include <utility>

#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

ParamSpec text(std::string name, std::string doc) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.doc = std::move(doc);
  return spec;
}

ParamSpec choice(std::string name, std::vector<std::string> choices, std::string fallback, std::string doc) {
  ParamSpec spec = text(std::move(name), std::move(doc));
  spec.type = ParamType::enumeration;
  spec.choices = std::move(choices);
  spec.fallback = std::move(fallback);
  return spec;
}

ParamSpec number(std::string name, std::string fallback, double min, double max, std::string doc) {
  ParamSpec spec = text(std::move(name), std::move(doc));
  spec.type = ParamType::integer;
  spec.fallback = std::move(fallback);
  spec.min = min;
  spec.max = max;
  return spec;
}

ParamSpec idn() {
  return text("idn", "Regular expression that the whole *IDN? answer must match before anything else is sent.");
}

ParamSpec gpio_line_names() {
  ParamSpec names = text(
      "line_names", "Names for lines that the kernel has none for, by offset: `{por_n: 3}`. Adapters on USB need it.");
  names.type = ParamType::map;
  return names;
}

std::vector<ParamSpec> dma_memory_params() {
  ParamSpec iova = number("iova", "0x1000000", 0, 1e18, "vfio: bus address that the chip sees the memory at.");
  return {
      iova, number("address_bits", "64", 12, 64, "How many bits of bus address the chip's DMA has."),
      text("device",
           "hugepages: the PCI device that reaches them, as in pci:, to make sure that no IOMMU translates for it.")};
}

/// A secret is named, never written: by the file or the environment variable that holds it.
ParamSpec secret_file(const std::string& what) {
  return text(what + "_file", "File that holds the " + what + " (mode 0600); its first line is taken.");
}
ParamSpec secret_env(const std::string& what) {
  return text(what + "_env", "Environment variable that holds the " + what + ".");
}

std::vector<ParamSpec> serial_params() {
  return {number("baud", "9600", 50, 4'000'000, "Serial lines: symbols a second."),
          number("data_bits", "8", 5, 8, "Serial lines: data bits."),
          choice("parity", {"none", "even", "odd"}, "none", "Serial lines: parity."),
          number("stop_bits", "1", 1, 2, "Serial lines: stop bits."),
          choice("handshake", {"none", "rts_cts", "xon_xoff"}, "none", "Serial lines: flow control.")};
}

std::vector<ParamSpec> i2c_params() {
  ParamSpec mux =
      text("mux",
           "The mux before the parts, which Firstlight turns itself: `{address: 0x70, channel: 2}`, with "
           "`kind: mux` when it codes the channel's number (PCA9547) instead of a bit a channel (PCA9548), and "
           "`behind: {...}` when it is behind another one. A mux that the kernel has is a bus of its own.");
  mux.type = ParamType::map;
  ParamSpec recovery =
      choice("recovery", {"clocks", "hold_clock", "reset", "rebind"}, "",
             "How a stuck bus is freed, step by step until it is: up to nine clocks and a STOP by "
             "scl_line and sda_line; SCL held low; reset_line; the adapter's driver unbound and bound.");
  recovery.type = ParamType::list;
  recovery.element = ParamType::enumeration;
  ParamSpec hold = text("recovery_hold", "How long `hold_clock` holds SCL low.");
  hold.type = ParamType::quantity;
  hold.dimension = Dimension::time;
  hold.fallback = "150 ms";
  hold.min = 0;
  hold.max = 2;
  return {mux,
          recovery,
          hold,
          text("scl_line", "A line that reaches SCL beside the adapter: `GPIO RESOURCE.LINE`."),
          text("sda_line", "The same for SDA."),
          text("reset_line", "A line that resets the mux, or the parts, when it is low.")};
}

std::vector<ParamSpec> with(std::vector<ParamSpec> first, std::vector<ParamSpec> then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace

std::vector<ResourceTypeSpec> resource_type_specs() {
  return {
      {"i2c",
       "An I2C bus: `/dev/i2c-4`, `i2c:ADAPTER NAME` or `i2c:/sys/devices/...` (names and places outlast a boot, "
       "numbers "
       "do not), or one of an agent's host, `agent:host0/i2c0`.",
       i2c_params()},
      {"scpi",
       "An instrument that speaks SCPI: `tcp://psu-3:5025`, `serial:/dev/serial/by-id/...`, `vxi11://psu-3`, "
       "`usbtmc:VENDOR:PRODUCT:SERIAL`.",
       with({idn()}, serial_params())},
      {"registers",
       "The chip's host port: 32-bit accesses by byte address. `pci:0000:03:00.0/bar0`, `pci:1e0f:0011/bar0`, "
       "`pci:.../config`, `uio:tern/0`.",
       {text("pci_id", "pci: VENDOR:DEVICE (hexadecimal) that must sit at the address; another is refused.")}},
      {"dma_memory", "Host memory that the chip's DMA reaches: `hugepages:16 MiB`, `vfio:0000:03:00.0,16 MiB`.",
       dma_memory_params()},
      {"gpio",
       "Digital lines of the board: `gpio:LABEL`, or `gpio:LABEL@PLACE` where several chips have the label.",
       {gpio_line_names()}},
      {"agent",
       "An agent on the DUT's host (`firstlight agent`), whose own resources are reached through it: "
       "`tcp://dut-host:5099`.",
       {secret_file("token"), secret_env("token")}},
      {"hwmon",
       "A chip of the Linux hwmon class: `hwmon:NAME`, `hwmon:NAME@DEVICE` where several have the name, or the path of "
       "its device in sysfs.",
       {}},
      {"ipmi",
       "A BMC by IPMI over LAN: `lan://bmc-3:623`.",
       {text("user", "The BMC's user."), secret_file("password"), secret_env("password"),
        choice("version", {"auto", "2.0", "1.5"}, "auto",
               "IPMI version of the session: 2.0 is RMCP+, encrypted; auto takes 1.5 where a BMC has no 2.0."),
        choice("privilege", {"user", "operator", "admin"}, "operator",
               "Asked for with the session: `user` reads, `operator` also switches.")}},
      {"redfish",
       "A BMC by Redfish: `https://bmc-3`. Its certificate is checked.",
       {text("user", "The BMC's user."), secret_file("password"), secret_env("password"),
        text("ca_file", "Certificates (PEM) that are trusted instead of the system's."),
        choice("auth", {"basic", "session"}, "basic",
               "`basic` sends user and password with each request; `session` logs in and sends a token. A service has "
               "few sessions, and one of a run that was killed stays until it expires.")}},
      {"modbus", "A Modbus server: `tcp://chiller-1:502`, or `rtu:/dev/serial/by-id/...`.", serial_params()},
      {"exec",
       "A program that reads one line of JSON and writes one: `exec:scripts/my_chamber.py`, relative to the bench "
       "file.",
       {}},
  };
}

}  // namespace firstlight
