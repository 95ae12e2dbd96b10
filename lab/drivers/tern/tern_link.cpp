#include "lab/drivers/tern/tern_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {

constexpr double kLaneBitsPerCycle = 16;
constexpr std::uint32_t kAllLanes = 0xF;
constexpr std::uint64_t kLaneBits = 16;      // of a word
constexpr std::uint32_t kMostEyeWords = 24;  // log2
constexpr std::uint32_t kPhaseMask = 0x3F;
constexpr std::uint32_t kOffsetMask = 0x7F;
constexpr std::uint32_t kTraceEntries = 64;
constexpr std::uint32_t kTraceEntryBytes = 8;

const char* const kCounters[] = {"crc_errors",      "framing_errors",    "sequence_errors",
                                 "rx_overflows",    "alignment_losses",  "deskew_overflows",
                                 "recoveries",      "detect_timeouts",   "polling_timeouts",
                                 "config_timeouts", "recovery_timeouts", "unexpected_sets",
                                 "bridge_timeouts", "bridge_refusals",   "sessions_lost",
                                 "stale_responses", "dropped_flits",     "tx_flits",
                                 "rx_flits",        "replays",           "naks",
                                 "replay_timeouts", "duplicates",        "retrains",
                                 "hot_resets"};

/// Names as the field writes them; the register map spells them in lower case.
std::string state_text(std::string name) {
  if (name == "configuration") return "CONFIG";
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string indexed(const char* name, int index) { return fmt::format("link.{}[{}]", name, index); }

}  // namespace

TernLink::TernLink(std::string name, Registers& near, Registers* far, TernClock clock)
    : name_(std::move(name)), near_(near), far_(far), clock_(clock) {}

Registers& TernLink::far() {
  if (far_ != nullptr) return *far_;
  Failure failure;
  failure.error_class = ErrorClass::bench;
  failure.symptom = "no_link_partner";
  failure.message = fmt::format("{}: the other end of the link cannot be reached", name_);
  failure.part = part();
  failure.likely_cause = "the bench file names no `partner` for the driver";
  throw FailureError(failure);
}

void TernLink::enable() {
  if (far_ != nullptr) far_->write("link.ctrl.enable", 1);
  near_.write("link.command.clear_trace", 1);
  near_.write("link.ctrl.enable", 1);
}

void TernLink::disable() {
  near_.write("link.ctrl.enable", 0);
  quiet_far("link.ctrl.enable");
}

void TernLink::quiet_far(const std::string& reg) {
  if (far_ == nullptr) return;
  try {
    far_->write(reg, 0);
  } catch (const FailureError&) {
    // Turning off must not depend on the other end: one that does not answer has nothing of ours to turn off.
  }
}

void TernLink::retrain() { near_.write("link.command.retrain", 1); }

LaneStatus TernLink::lane(int index) {
  const std::string reg = indexed("lane_status", index);
  const Fields status(near_, reg, near_.read(reg));
  LaneStatus out;
  out.lane = index;
  out.present = status["signal"] != 0;
  out.locked = status["locked"] != 0;
  out.active = status["active"] != 0;
  out.inverted = status["inverted"] != 0;
  out.mapped_from = status["heard"] != 0 ? static_cast<int>(status["lane"]) : -1;
  out.skew = static_cast<int>(status["deskew"]);
  out.errors = near_.read(indexed("lane_errors", index));
  return out;
}

std::string TernLink::reason(const std::string& state, const std::string& failure) const {
  static const std::map<std::string, std::string> kWords = {
      {"no_receiver", "no lane shows a signal from the other end: it is off, absent, or the cable is open"},
      {"polling_timeout",
       "no lane found its bit and word alignment: too many bit errors, or something else than a Tern talks"},
      {"config_timeout", "the two ends did not agree on lanes and width"},
      {"session_conflict", "the two ends did not agree whether the session before the training goes on"},
      {"recovery_timeout", "no lane came back in RECOVERY"},
      {"lane_map", "the lanes arrive in an order that is neither straight nor reversed: wrong cable or swapped pairs"},
      {"reversal_refused", "the lanes arrive reversed, and ctrl.allow_reversal is 0"},
      {"no_common_lane", "no lane works in both directions"},
      {"deskew_overflow", "the lanes are too far apart in time"},
      {"crc_errors", "too many CRC errors: the bit error ratio is too high"},
      {"alignment_lost", "a lane lost its alignment"},
      {"signal_lost", "a lane lost its signal"},
      {"retry_limit", "training failed as often as limits.retry allows"},
      {"recovery_limit", "the link fell back as often as limits.recovery allows"},
      {"replay_limit", "frames were sent again as often as replay_timing.limit allows, and none was acknowledged"}};
  const auto it = kWords.find(failure);
  if (it != kWords.end()) return it->second;
  return failure.empty() || failure == "none" ? fmt::format("still in {}", state) : failure;
}

LinkStatus TernLink::status() {
  const Fields status(near_, "link.status", near_.read("link.status"));
  LinkStatus out;
  out.state = state_text(status.name("state"));
  out.up = status["up"] != 0;
  out.width = static_cast<int>(status["width"]);
  out.reversed = status["reversed"] != 0;
  out.recoveries = near_.read("link.recoveries");
  for (int i = 0; i < lane_count(); ++i) out.lanes.push_back(lane(i));
  if (!out.up) out.reason = reason(out.state, status.name("last_failure"));
  out.text = fmt::format("link.status {:#010x}: {} by {}, last failure {}", status.raw(), out.state,
                         status.name("cause"), status.name("last_failure"));
  return out;
}

std::vector<LinkTransition> TernLink::trace() {
  const Fields status(near_, "link.trace_status", near_.read("link.trace_status"));
  const std::uint32_t entries = std::min(status["entries"], kTraceEntries);
  const std::uint32_t next = status["next"];
  const Fields link_status(near_, "link.status");
  const RegisterLookup base = near_.map().find("link.trace[0]");
  std::vector<LinkTransition> out;
  std::uint32_t start = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint32_t slot = (next + kTraceEntries - entries + i) % kTraceEntries;
    const std::uint32_t address = base.found->address + slot * kTraceEntryBytes;
    const std::uint32_t stamp = near_.read_at(address);
    const std::uint32_t word = near_.read_at(address + 4);
    if (i == 0) start = stamp;
    LinkTransition transition;
    transition.time = clock_.core_seconds(stamp - start);  // the 32-bit clock may wrap between entries
    transition.from = state_text(link_status.name("state", (word >> 8U) & 7U));
    transition.to = state_text(link_status.name("state", word & 7U));
    transition.reason = link_status.name("cause", (word >> 16U) & 0x1FU);
    out.push_back(transition);
  }
  return out;
}

Duration TernLink::training_limit() {
  const Fields detect(near_, "link.detect_timing", near_.read("link.detect_timing"));
  const Fields polling(near_, "link.polling_timing", near_.read("link.polling_timing"));
  const Fields config(near_, "link.config_timing", near_.read("link.config_timing"));
  const Fields limits(near_, "link.limits", near_.read("link.limits"));
  const double one = static_cast<double>(detect["timeout"]) + detect["settle"] + polling["timeout"] +
                     polling["settle"] + config["config_timeout"] + config["recovery_timeout"];
  return clock_.core_cycles(one * (1.0 + limits["retry"]));
}

std::vector<std::pair<std::string, std::uint64_t>> TernLink::counters() {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const char* name : kCounters) out.emplace_back(name, near_.read(fmt::format("link.{}", name)));
  for (int i = 0; i < lane_count(); ++i)
    out.emplace_back(fmt::format("lane_errors[{}]", i), near_.read(indexed("lane_errors", i)));
  return out;
}

void TernLink::clear_counters() {
  near_.write("link.command.clear_counters", 1);
  if (far_ != nullptr) far_->write("link.command.clear_counters", 1);
}

void TernLink::start_prbs(PrbsPattern pattern) {
  const Fields ctrl(near_, "link.prbs_ctrl");
  const char* const names[] = {"prbs7", "prbs15", "prbs31"};
  const std::uint32_t value = ctrl.place("tx_enable", kAllLanes) | ctrl.place("rx_enable", kAllLanes) |
                              ctrl.place("select", ctrl.value_of("select", names[static_cast<int>(pattern)]));
  near_.write("link.prbs_ctrl", value);
  try {
    far().write("link.prbs_ctrl", value);
  } catch (const FailureError& error) {
    if (error.failure().error_class != ErrorClass::infrastructure) throw;
    Failure failure = error.failure();
    failure.symptom = "link_partner_absent";
    failure.message = fmt::format("the other end of {} does not answer: {}", part(), error.failure().message);
    failure.part = part() + " partner";
    failure.likely_cause = "nothing is plugged in at the far end of the link, or it has no power";
    throw FailureError(failure);
  }
}

void TernLink::stop_prbs() {
  near_.write("link.prbs_ctrl", 0);
  quiet_far("link.prbs_ctrl");
}

void TernLink::clear_prbs() { near_.write("link.prbs_command.clear", 1); }

void TernLink::inject_prbs_errors(int lane, int count) {
  const Fields inject(near_, indexed("prbs_inject", lane));
  far().write(indexed("prbs_inject", lane), inject.place("errors", static_cast<std::uint32_t>(count)));
}

std::vector<PrbsResult> TernLink::prbs() {
  near_.write("link.prbs_command.snapshot", 1);
  std::vector<PrbsResult> out;
  for (int i = 0; i < lane_count(); ++i) {
    const std::string reg = indexed("prbs_status", i);
    const Fields status(near_, reg, near_.read(reg));
    const std::uint64_t low = near_.read(indexed("prbs_bits_lo", i));
    const std::uint64_t high = near_.read(indexed("prbs_bits_hi", i));
    PrbsResult result;
    result.lane = i;
    result.locked = status["locked"] != 0;
    result.inverted = status["inverted"] != 0;
    result.present = status["signal"] != 0;
    result.lock_losses = status["lock_losses"];
    result.bits = (high << 32U) | low;
    result.errors = near_.read(indexed("prbs_errors", i));
    out.push_back(result);
  }
  return out;
}

EyeGrid TernLink::eye_grid() const { return {-32, 31, 1.0 / 64, -64, 63, 4e-3}; }

void TernLink::start_eye(int lane, int phase, int offset, std::uint64_t bits) {
  std::uint32_t words = 0;
  while (words < kMostEyeWords && (kLaneBits << words) < bits) ++words;
  const Fields ctrl(near_, "link.eye_ctrl");
  near_.write("link.eye_ctrl", ctrl.place("lane", static_cast<std::uint32_t>(lane)) |
                                   ctrl.place("phase", static_cast<std::uint32_t>(phase) & kPhaseMask) |
                                   ctrl.place("offset", static_cast<std::uint32_t>(offset) & kOffsetMask) |
                                   ctrl.place("words", words));
  near_.write("link.eye_command.go", 1);
}

std::optional<EyeCount> TernLink::eye() {
  const Fields status(near_, "link.eye_status", near_.read("link.eye_status"));
  if (status["done"] == 0) return std::nullopt;
  return EyeCount{near_.read("link.eye_bits"), near_.read("link.eye_errors")};
}

double TernLink::lane_rate() const { return kLaneBitsPerCycle * clock_.core.base() / clock_.time_scale; }

}  // namespace firstlight::tern
