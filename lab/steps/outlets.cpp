#include "lab/steps/outlets.h"

#include <fmt/format.h>

#include <vector>

#include "lab/core/failure.h"

namespace firstlight::steps {

std::string outlet_of(Switch& device, const std::string& driver, const std::string& named) {
  if (!named.empty()) return named;
  const std::vector<std::string> outlets = device.outlets();
  if (outlets.size() == 1) return outlets.front();
  throw FailureError({ErrorClass::sequence,
                      "which_outlet",
                      fmt::format("{} has {} outlets, and none is named: {}", driver.empty() ? "the switch" : driver,
                                  outlets.size(), fmt::join(outlets, ", ")),
                      driver,
                      {},
                      {},
                      "name one by `outlet`; what feeds a rail (`fed_by`) is a driver with one outlet"});
}

}  // namespace firstlight::steps
