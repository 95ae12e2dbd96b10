#include "lab/replay/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace firstlight::replay {

namespace {

using trace::Transaction;

/// Reads further apart are two looks at a thing and not a wait for it.
constexpr Duration kWidestPollGap = std::chrono::milliseconds(500);
constexpr Duration kShortestGap = std::chrono::microseconds(100);
constexpr Duration kUsualGap = std::chrono::milliseconds(1);
/// For accesses without a deadline of their own, so that a replay ends.
constexpr Duration kLongestAccess = std::chrono::seconds(10);

/// What a read asks, such that equal texts are equal questions; nothing for what is no read, or would change something
/// when it is made again.
std::optional<std::string> question_of(const Transaction& transaction) {
  struct Visitor {
    using Text = std::optional<std::string>;
    Text operator()(const trace::RegisterRead& access) const { return fmt::format("{:x}", access.address); }
    Text operator()(const trace::MemoryRead& access) const {
      return fmt::format("{:x}+{}", access.offset, access.bytes.size());
    }
    Text operator()(const trace::LineGet& access) const { return access.line; }
    Text operator()(const trace::HwmonRead& access) const { return access.attribute; }
    Text operator()(const trace::ModbusRead& access) const {
      return fmt::format("{} {} {}+{}", access.unit, static_cast<int>(access.table), access.address, access.count);
    }
    Text operator()(const trace::I2cTransfer& access) const {
      std::string text = fmt::format("{:x}", access.address);
      bool reads = false;
      for (const auto& message : access.messages) {
        reads = reads || message.read != 0 || message.block;
        text += fmt::format(" {:02x}/{}", fmt::join(message.write, ""), message.read);
      }
      if (!reads) return {};
      return text;
    }
    Text operator()(const trace::Open&) const { return {}; }
    Text operator()(const trace::I2cRecovery&) const { return {}; }
    Text operator()(const trace::RegisterWrite&) const { return {}; }
    Text operator()(const trace::MemoryWrite&) const { return {}; }
    Text operator()(const trace::MemoryBarrier&) const { return {}; }
    Text operator()(const trace::StreamWrite&) const { return {}; }
    Text operator()(const trace::StreamRead&) const { return {}; }
    Text operator()(const trace::StreamDrain&) const { return {}; }
    Text operator()(const trace::StreamReopen&) const { return {}; }
    Text operator()(const trace::LineSet&) const { return {}; }
    Text operator()(const trace::IpmiCommand&) const { return {}; }
    Text operator()(const trace::HttpRequest&) const { return {}; }
    Text operator()(const trace::ModbusWrite&) const { return {}; }
  };
  auto text = std::visit(Visitor{}, transaction.access);
  if (text) *text = transaction.resource + " " + *text;
  return text;
}

/// Emptying a stream and asking an instrument for a measurement change nothing.
bool changes_something(const Transaction& transaction) {
  if (const auto* write = std::get_if<trace::StreamWrite>(&transaction.access))
    return !Judge::asks_for_a_reading(write->bytes);
  return !std::holds_alternative<trace::StreamDrain>(transaction.access);
}

/// Interlocks and monitors look at the same things all the time: theirs are no waits.
bool only_watches(const std::string& by) { return by.rfind("interlock ", 0) == 0 || by.rfind("monitor ", 0) == 0; }

}  // namespace

Player::Player(Scheduler& scheduler, TransportProvider& provider, const BenchPlan& bench, Judge& judge,
               std::vector<Transaction> record, PlayOptions options)
    : scheduler_(scheduler),
      judge_(judge),
      record_(std::move(record)),
      questions_(record_.size()),
      polls_(record_.size()),
      options_(options),
      wires_(provider, bench),
      completed_(scheduler.make_event()) {
  find_questions();
  find_polls();
}

void Player::find_questions() {
  std::map<std::string, std::size_t> sent;  // the last message to each stream
  for (std::size_t i = 0; i < record_.size(); ++i) {
    const Transaction& transaction = record_[i];
    questions_[i].text = question_of(transaction);
    if (std::holds_alternative<trace::StreamWrite>(transaction.access)) sent[transaction.resource] = i;
    if (!std::holds_alternative<trace::StreamRead>(transaction.access)) continue;
    const auto asked = sent.find(transaction.resource);
    if (asked == sent.end()) continue;
    const auto& message = std::get<trace::StreamWrite>(record_[asked->second].access).bytes;
    if (!Judge::asks_for_a_reading(message)) continue;
    questions_[i] = {transaction.resource + " " + message, asked->second};
  }
}

/// A poll is a read that one fiber repeats while it changes nothing.
void Player::find_polls() {
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> segments;  // by fiber, then by question
  for (std::size_t i = 0; i < record_.size(); ++i) {
    const Transaction& transaction = record_[i];
    if (only_watches(transaction.by) || transaction.cut_off) continue;
    auto& segment = segments[transaction.by];
    if (questions_[i].text)
      segment[*questions_[i].text].push_back(i);
    else if (changes_something(transaction))
      close_segment(segment);
  }
  for (auto& [by, segment] : segments) close_segment(segment);
}

void Player::close_segment(std::map<std::string, std::vector<std::size_t>>& segment) {
  for (const auto& [question, reads] : segment) {
    std::size_t first = 0;  // of the poll that goes on
    for (std::size_t i = 1; i <= reads.size(); ++i) {
      if (i < reads.size() && record_[reads[i]].start - record_[reads[i - 1]].end() <= kWidestPollGap) {
        polls_[reads[i - 1]].is_last = false;
        polls_[reads[i]].repeated = true;
        polls_[reads[i]].first = reads[first];
        polls_[reads[i]].length = record_[reads[i]].start - record_[reads[first]].start;
        polls_[reads[i]].gap = record_[reads[i]].start - record_[reads[i - 1]].end();
      } else {
        first = i;
      }
    }
  }
  segment.clear();
}

Outcome Player::play() {
  scheduler_.run([this] { main(); });
  return std::move(outcome_);
}

bool Player::over(Instant target) const { return outcome_.difference || (options_.until && target > *options_.until); }

void Player::main() {
  for (const Transaction& transaction : record_)
    if (const auto* open = std::get_if<trace::Open>(&transaction.access)) wires_.open(transaction.resource, open->kind);
  std::size_t index = 0;
  for (; index < record_.size() && !over(record_[index].start + shift_); ++index) dispatch(index);
  outcome_.whole = index == record_.size();
  while (!running_.empty() && !outcome_.difference) {
    completed_->reset();
    scheduler_.wait(*completed_, kNever);
  }
  outcome_.whole = outcome_.whole && !outcome_.difference;
  for (const auto& [number, fiber] : running_) scheduler_.cancel(fiber);
  if (options_.until && scheduler_.now() < *options_.until) scheduler_.sleep_until(*options_.until);
  outcome_.lag = shift_;
  outcome_.end = scheduler_.now();
}

/// What was over in the record before this began may be why it was begun.
void Player::wait_for_those_before(const Transaction& transaction) {
  const auto one_is_before = [&] {
    return std::any_of(running_.begin(), running_.end(),
                       [&](const auto& one) { return record_[one.first].end() <= transaction.start; });
  };
  while (one_is_before() && !outcome_.difference) {
    completed_->reset();
    scheduler_.wait(*completed_, kNever);
  }
}

void Player::dispatch(std::size_t index) {
  const Transaction& transaction = record_[index];
  if (std::holds_alternative<trace::Open>(transaction.access)) {
    ++(wires_.has(transaction.resource) ? outcome_.counts.exact : outcome_.counts.absent);
    return;
  }
  if (!wires_.has(transaction.resource)) {
    ++outcome_.counts.absent;
    ++outcome_.absent[transaction.resource];
    return;
  }
  wait_for_those_before(transaction);
  if (outcome_.difference) return;
  const Instant target = transaction.start + shift_;
  if (scheduler_.now() < target) scheduler_.sleep_until(target);
  if (outcome_.difference) return;
  const bool next_waits = index + 1 == record_.size() || record_[index + 1].start >= transaction.end();
  if (next_waits && running_.empty()) {
    play_one(index);
    return;
  }
  running_[index] = scheduler_.spawn(transaction.by, [this, index] {
    play_one(index);
    running_.erase(index);
    completed_->fire();
  });
}

void Player::play_one(std::size_t index) {
  const Transaction& transaction = record_[index];
  const Instant asked = scheduler_.now();
  judge_.follow(transaction);
  Duration allowed = std::min(transaction.allowed.value_or(kLongestAccess), kLongestAccess);
  if (transaction.cut_off) allowed = std::min(allowed, transaction.took);
  const trace::Access found = wires_.make(transaction.resource, transaction.access, asked + allowed);
  if (transaction.cut_off) {
    ++outcome_.counts.cut_off;
  } else {
    Finding finding = judge_.compare(transaction, found);
    if (finding.agreement == Agreement::different && (was_seen_soon(index, found) || was_just_seen(index, found))) {
      count({}, true);
    } else {
      judge(index, std::move(finding), asked);
    }
  }
  shift_ = std::max(shift_, scheduler_.now() - transaction.end());
}

/// A replay that is later than its record may see already what the record saw that much later.
bool Player::was_seen_soon(std::size_t index, const trace::Access& found) {
  const auto& question = questions_[index].text;
  if (!question) return false;
  const Instant end = record_[index].start + shift_ + options_.patience;
  for (std::size_t later = index + 1; later < record_.size() && record_[later].start <= end; ++later)
    if (questions_[later].text == question && !record_[later].cut_off &&
        judge_.compare(record_[later], found).agreement != Agreement::different)
      return true;
  return false;
}

/// A look of whoever watches all the time falls just before a change or just after it: what the look before it saw is
/// right as well.
bool Player::was_just_seen(std::size_t index, const trace::Access& found) {
  const Transaction& look = record_[index];
  if (!questions_[index].text || !only_watches(look.by)) return false;
  for (std::size_t before = index; before-- > 0 && record_[before].start >= look.start - kWidestPollGap;)
    if (record_[before].by == look.by && questions_[before].text == questions_[index].text)
      return !record_[before].cut_off && judge_.compare(record_[before], found).agreement != Agreement::different;
  return false;
}

void Player::judge(std::size_t index, Finding finding, Instant asked) {
  const Transaction& transaction = record_[index];
  const Poll& own = polls_[index];
  const std::size_t poll = own.repeated ? own.first : index;
  const bool was_wrong = finding.agreement == Agreement::different;
  int repeats = 0;
  bool later_decides = false;
  if (was_wrong) {
    deviant_.try_emplace(poll, scheduler_.now());
    if (!own.is_last) undecided_.insert(poll);
    // While a step waits for what is sooner or later than in the record, whoever only watches sees another state.
    later_decides = !own.is_last || (only_watches(transaction.by) && !undecided_.empty());
    if (!later_decides && questions_[index].text) finding = repeat(index, std::move(finding), asked, repeats);
  }
  if (own.is_last) undecided_.erase(poll);
  if (finding.agreement != Agreement::different || later_decides) {
    count(finding, was_wrong);
  } else if (!outcome_.difference) {
    outcome_.difference = Difference{
        transaction, judge_.describe(transaction), std::move(finding), deviant_.at(poll), asked, scheduler_.now(),
        repeats};
  }
}

trace::Access Player::ask_again(std::size_t index) {
  const Transaction& transaction = record_[index];
  const Instant deadline = scheduler_.now() + std::min(transaction.allowed.value_or(kLongestAccess), kLongestAccess);
  if (const auto& sent = questions_[index].sent_by) wires_.make(transaction.resource, record_[*sent].access, deadline);
  return wires_.make(transaction.resource, transaction.access, deadline);
}

/// Asks again until the answer is right.
Finding Player::repeat(std::size_t index, Finding finding, Instant asked, int& repeats) {
  const Poll& poll = polls_[index];
  const Transaction& transaction = record_[index];
  const Duration patience = poll.repeated ? options_.poll_patience + poll.length : options_.patience;
  const Duration gap = poll.repeated ? std::max(poll.gap, kShortestGap) : kUsualGap;
  while (finding.agreement == Agreement::different && scheduler_.now() + gap < asked + patience &&
         !outcome_.difference) {
    scheduler_.sleep(gap);
    ++repeats;
    finding = judge_.compare(transaction, ask_again(index));
  }
  return finding;
}

void Player::count(const Finding& finding, bool late) {
  Counts& counts = outcome_.counts;
  if (late)
    ++counts.late;
  else if (finding.agreement == Agreement::near)
    ++counts.near;
  else if (finding.agreement == Agreement::ignored)
    ++counts.ignored;
  else
    ++counts.exact;
}

}  // namespace firstlight::replay
