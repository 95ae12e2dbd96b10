// firstlight-sigrok DRIVER: what libsigrok reaches, as a program of the exec protocol (docs/exec.md).
//
//   resources: {meter0: {type: exec, address: "exec:firstlight-sigrok demo"}}

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "plugins/sigrok/device.h"

namespace {

using json = nlohmann::ordered_json;
using sigrok_plugin::Device;
using sigrok_plugin::Point;

json points(const std::vector<Point>& all) {
  json out = json::object();
  for (const Point& point : all) {
    out[point.name] = {{"unit", point.unit}};
    if (point.min) out[point.name]["min"] = *point.min;
    if (point.max) out[point.name]["max"] = *point.max;
  }
  return out;
}

class Server {
 public:
  explicit Server(std::string driver) : driver_(std::move(driver)) {}

  json answer(const json& request) {
    const std::string what = request.at("do");
    const std::string name = request.value("name", "");
    // Opened by the first word, so that starting the program touches nothing.
    if (!device_) device_ = std::make_unique<Device>(driver_, 1);
    Device& device = *device_;
    if (what == "hello")
      return {{"name", device.name()},
              {"serial_number", device.serial_number()},
              {"readings", points(device.readings())},
              {"settings", points(device.settings())},
              {"outputs", device.outputs()}};
    if (what == "read") return {{"value", device.read(name)}};
    if (what == "get") return {{"value", device.get(name)}};
    if (what == "state") return {{"value", device.output(name)}};
    if (what == "set")
      device.set(name, request.at("value").get<double>());
    else if (what == "on" || what == "off")
      device.switch_output(name, what == "on");
    else
      throw std::runtime_error("\"" + what + "\" is not known here");
    return json::object();
  }

 private:
  std::string driver_;
  std::unique_ptr<Device> device_;
};

json answered(Server& server, const std::string& line) {
  json out = json::object();
  try {
    const json request = json::parse(line);
    out["id"] = request.value("id", json());
    const json answer = server.answer(request);
    out["ok"] = true;
    out.update(answer);
  } catch (const std::exception& error) {
    out["ok"] = false;
    out["error"] = error.what();
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "firstlight-sigrok DRIVER[:conn=WHERE], as in: firstlight-sigrok demo\n";
    return 2;
  }
  Server server(argv[1]);
  for (std::string line; std::getline(std::cin, line);) std::cout << answered(server, line).dump() << std::endl;
  return 0;
}
