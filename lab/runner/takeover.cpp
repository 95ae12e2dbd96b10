#include "lab/runner/takeover.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lab/runner/ledger.h"
#include "lab/runner/record_tail.h"
#include "lab/runner/recorder.h"
#include "lab/runner/safe_state.h"

namespace firstlight {

namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(10);
constexpr int kExitInfrastructure = 3;

class Takeover {
 public:
  Takeover(Scheduler& scheduler, RunListener& listener, const TakeoverRequest& request)
      : scheduler_(scheduler), request_(request) {
    listeners_.add(listener);
  }
  TakenOver run();

 private:
  void go_on_with_record();
  std::unique_ptr<LineFile> go_on_with_ledger();
  Bench* connect(const std::function<std::unique_ptr<Bench>(BenchTime&)>& how);
  std::string safe_step() const;
  void end_record(const MadeSafe& made);
  void trouble(const std::exception& error) {
    if (trouble_.empty()) trouble_ = error.what();
  }

  Scheduler& scheduler_;
  const TakeoverRequest& request_;
  Listeners listeners_;
  std::unique_ptr<Recorder> recorder_;
  std::vector<std::unique_ptr<Bench>> benches_;  // one whose connections died may still be in use below
  std::string trouble_;
};

/// Only what is needed to go on is read now: the record may be long, and the bench is hot.
void Takeover::go_on_with_record() {
  try {
    const std::uint64_t next = next_sequence_number(request_.folder);
    if (next == 0) return;  // the run died before its first line
    recorder_ = std::make_unique<Recorder>(request_.folder, next);
    listeners_.add(*recorder_);
  } catch (const std::exception& error) {
    trouble(error);
  }
}

std::unique_ptr<LineFile> Takeover::go_on_with_ledger() {
  try {
    return std::make_unique<LineFile>(request_.folder + "/ledger.jsonl", LineFile::Open::go_on);
  } catch (const std::exception& error) {
    trouble(error);
    return nullptr;
  }
}

Bench* Takeover::connect(const std::function<std::unique_ptr<Bench>(BenchTime&)>& how) {
  std::unique_ptr<Bench> bench;
  const auto done =
      scheduler_.run_bounded("connect", scheduler_.now() + kConnectTimeout, [&] { bench = how(scheduler_); });
  if (done != Scheduler::Bounded::done || bench == nullptr)
    throw FailureError({ErrorClass::infrastructure, "connect_timeout", "the bench was not connected in time", "", "",
                        "", "an instrument or a bus that does not answer"});
  benches_.push_back(std::move(bench));
  return benches_.back().get();
}

/// OCP wants each step once.
std::string Takeover::safe_step() const {
  return request_.safe_state_begun ? std::string(kSafeStateStep) + "#2" : kSafeStateStep;
}

void Takeover::end_record(const MadeSafe& made) {
  if (recorder_ == nullptr) return;
  const RecordTail tail = read_record_tail(request_.folder);
  if (tail.ended) return;
  recorder_->abandoned(tail, request_.cause.message, scheduler_.now());
  RunEnded ended;
  ended.verdict = Verdict::error;
  ended.exit_status = kExitInfrastructure;
  ended.counts = tail.counts;
  for (const auto& step : tail.open)
    if (step.kind == "verb") ++ended.counts[Verdict::aborted];
  if (tail.first_failure) {
    ended.first_failure = tail.first_failure;
  } else {
    FirstFailure first;
    first.event = {request_.cause, scheduler_.now(), 0};
    first.step = kBenchStep;
    first.id = request_.by;
    first.title = request_.by;
    for (const auto& step : tail.open)
      if (step.kind == "verb") first.during.push_back(step.id);
    ended.first_failure = first;
  }
  ended.safe = made.safe;
  ended.made_safe_by = request_.by;
  ended.at = scheduler_.now();
  ended.bench_time = ended.at.time_since_epoch();
  ended.seed = tail.seed;
  ended.reproduce = tail.command_line;
  listeners_.run_ended(ended);
}

TakenOver Takeover::run() {
  go_on_with_record();
  listeners_.logged({"", Severity::error, request_.by + " takes over: " + request_.cause.message, scheduler_.now()});
  Ledger ledger(request_.ledger, go_on_with_ledger(), listeners_, scheduler_);
  Bench* bench = nullptr;
  try {
    if (!ledger.entries().empty()) bench = connect(request_.connect);
  } catch (const std::exception& error) {
    listeners_.logged({"", Severity::error, std::string("cannot connect: ") + error.what(), scheduler_.now()});
  }
  TakenOver over;
  over.made = make_safe({scheduler_, bench, ledger, listeners_, request_.undo, request_.cause.symptom, safe_step(),
                         [this] { return connect(request_.connect_anew); }});
  try {
    end_record(over.made);
  } catch (const std::exception& error) {
    trouble(error);
  }
  over.trouble = trouble_.empty() && recorder_ ? recorder_->trouble() : trouble_;
  return over;
}

}  // namespace

TakenOver take_over(Scheduler& scheduler, RunListener& listener, const TakeoverRequest& request) {
  return Takeover(scheduler, listener, request).run();
}

}  // namespace firstlight
