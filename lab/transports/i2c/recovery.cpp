#include "lab/transports/i2c/recovery.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace firstlight::i2c {

namespace {

constexpr int kClocks = 9;                  // NXP UM10204, 3.1.16: the most that a part can have left to shift out
constexpr Duration kHalfClock{10'000'000};  // at least; a GPIO call takes longer
constexpr Duration kAfterBind{20'000'000'000};

/// Writes to a file of sysfs. @return what went wrong
std::string write_sysfs(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.flush();
  return out ? std::string() : fmt::format("{} cannot be written (it needs root, or a udev rule)", file.string());
}

}  // namespace

bool Recovery::sda_low() const { return plan_.sda && plan_.sda.gpio->get(plan_.sda.line) == std::optional(false); }

std::string Recovery::drive(const RecoveryLine& line, bool level) const {
  std::string detail;
  if (line.gpio->set(line.line, level, &detail)) return {};
  return fmt::format("{} of {} cannot be driven: {}", line.line, line.gpio->name(), detail);
}

std::string Recovery::clocks() {
  if (!plan_.scl || !plan_.sda) return "needs scl_line and sda_line";
  std::string wrong = drive(plan_.sda, true);
  for (int i = 0; i < kClocks && wrong.empty(); ++i) {
    if (i > 0 && !sda_low()) break;
    wrong = drive(plan_.scl, false);
    time_.sleep(kHalfClock);
    if (wrong.empty()) wrong = drive(plan_.scl, true);
    time_.sleep(kHalfClock);
  }
  // STOP: SDA rises while SCL is high. Whatever failed, both lines are let go.
  for (const auto& [line, level] : {std::pair{&plan_.sda, false}, {&plan_.scl, true}, {&plan_.sda, true}}) {
    const std::string also = drive(*line, level);
    if (wrong.empty()) wrong = also;
    time_.sleep(kHalfClock);
  }
  return wrong;
}

std::string Recovery::hold_clock() {
  if (!plan_.scl) return "needs scl_line";
  // SMBus 3.1, 3.1.1: a part resets its interface when SCL is low for 25 to 35 ms; some need far longer.
  std::string wrong = drive(plan_.scl, false);
  try {
    if (wrong.empty()) time_.sleep(plan_.hold);
  } catch (...) {
    drive(plan_.scl, true);
    throw;
  }
  const std::string also = drive(plan_.scl, true);
  return wrong.empty() ? also : wrong;
}

std::string Recovery::pulse_reset() {
  if (!plan_.reset) return "needs reset_line";
  std::string wrong = drive(plan_.reset, false);
  try {
    time_.sleep(kHalfClock * 10);
  } catch (...) {
    drive(plan_.reset, true);
    throw;
  }
  const std::string also = drive(plan_.reset, true);
  return wrong.empty() ? also : wrong;
}

std::string Recovery::rebind(const std::function<void()>& reopen) {
  namespace fs = std::filesystem;
  if (plan_.adapter_folder.empty()) return "the adapter's place in sysfs is not known";
  const fs::path parent = fs::path(plan_.adapter_folder).parent_path();
  std::error_code error;
  const fs::path driver = fs::canonical(parent / "driver", error);
  if (error) return fmt::format("{} has no driver that could be unbound", parent.string());
  const std::string device = parent.filename().string();
  std::string wrong;
  time_.offload([&] { wrong = write_sysfs(driver / "unbind", device); });
  if (!wrong.empty()) return wrong;
  time_.offload([&] { wrong = write_sysfs(driver / "bind", device); });
  if (!wrong.empty()) return wrong + "; the adapter is unbound now";
  time_.sleep(kAfterBind);  // udev makes the device file again
  reopen();
  return {};
}

std::string Recovery::run_step(const std::string& step, const std::function<void()>& reopen) {
  if (step == "clocks") return clocks();
  if (step == "hold_clock") return hold_clock();
  if (step == "reset") return pulse_reset();
  return rebind(reopen);
}

bool Recovery::run(Instant deadline, const std::function<bool()>& is_free, const std::function<void()>& reopen) {
  ++runs_;
  report_.clear();
  const auto note = [&](const std::string& step, const std::string& outcome) {
    report_ += fmt::format("{}{}: {}", report_.empty() ? "" : "; ", step, outcome);
  };
  for (const std::string& step : plan_.steps) {
    if (time_.now() >= deadline) {
      note(step, "no time left");
      return false;
    }
    const std::string wrong = run_step(step, reopen);
    if (!wrong.empty()) {
      note(step, wrong);
    } else if (sda_low()) {
      note(step, "SDA stays low");
    } else if (!is_free()) {
      note(step, "the bus still does not work");
    } else {
      ++worked_[step];
      note(step, fmt::format("freed the bus ({} of {} recoveries by it)", worked_[step], runs_));
      return true;
    }
  }
  return false;
}

}  // namespace firstlight::i2c
