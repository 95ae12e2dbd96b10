#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/capabilities/identity.h"
#include "lab/core/bench_time.h"
#include "lab/core/turns.h"
#include "lab/drivers/points/point_device.h"
#include "lab/transports/byte_stream.h"

namespace firstlight::exec {

/// A device behind a program that takes one line of JSON and answers with one (docs/exec.md). Making one starts
/// nothing; the first call says hello, and learns what the program offers.
class Program final : public PointDevice, public Identity {
 public:
  /// @param expected what the bench declares of "name" and "serial_number"
  Program(std::string name, std::shared_ptr<ByteStream> stream, Duration timeout,
          std::map<std::string, std::string> expected, BenchTime& time);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() override;

  std::string part() const override { return name_; }
  bool described() const override { return false; }
  std::vector<PointReading> readings() override;
  std::vector<PointSetting> settings() override;
  std::vector<std::string> outputs() override;

  Quantity read(const std::string& reading) override;
  Quantity setting(const std::string& name) override;
  void set(const std::string& name, const Quantity& value) override;
  bool output(const std::string& name) override;
  void switch_output(const std::string& name, bool on) override;

  std::map<std::string, std::string> identity() override;
  std::map<std::string, std::string> expected() const override { return expected_; }

 private:
  struct Offer;

  const Offer& offer();
  Offer say_hello();
  nlohmann::json ask(const std::string& what, const std::string& name, std::optional<double> value = std::nullopt);
  nlohmann::json exchange(nlohmann::json request);
  std::string read_answer(const std::string& sent, std::uint64_t id, Instant deadline, nlohmann::json& answer);
  [[noreturn]] void fail(const std::string& symptom, const std::string& why, const std::string& sent,
                         const std::string& received, const std::string& cause);
  /// The number in "value" of an answer; what it is not is a failure.
  double number(const nlohmann::json& answer, const std::string& what);
  void check_known_once();

  std::string name_;
  std::shared_ptr<ByteStream> stream_;
  Duration timeout_;
  std::map<std::string, std::string> expected_;
  BenchTime& time_;
  Turns turns_;
  std::uint64_t last_id_ = 0;
  std::string last_sent_;
  std::string last_received_;
  std::unique_ptr<Offer> offer_;  // null until hello, and again when the program has gone
  bool known_ = false;
};

}  // namespace firstlight::exec
