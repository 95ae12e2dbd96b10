#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "lab/core/failure.h"
#include "lab/transports/lab_provider.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::test {

constexpr Duration kMillisecond{1'000'000'000};

inline ResourcePlan resource_at(const std::string& address, const std::string& type = "scpi") {
  ResourcePlan resource;
  resource.name = "psu0";
  resource.type = type;
  resource.address = address;
  resource.where = {"bench.yaml", 4, 3};
  return resource;
}

/// Opens the address as a run does, and has `body` use it in a fiber on the wall clock.
inline void with_stream(const ResourcePlan& resource, const std::function<void(ByteStream&, Scheduler&)>& body,
                        const std::string& bench_file = "bench.yaml") {
  BenchPlan bench;
  bench.file = bench_file;
  peers::on_wall_clock([&](Scheduler& time) {
    LabProvider provider(time, bench);
    const auto stream = provider.open_stream(resource);
    body(*stream, time);
  });
}

/// What opening it throws.
inline std::optional<Failure> failure_to_open(const ResourcePlan& resource,
                                              const std::string& bench_file = "bench.yaml") {
  try {
    with_stream(
        resource, [](ByteStream&, Scheduler&) {}, bench_file);
  } catch (const FailureError& error) {
    return error.failure();
  }
  return std::nullopt;
}

}  // namespace firstlight::test
