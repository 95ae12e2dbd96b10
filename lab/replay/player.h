#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/replay/judge.h"
#include "lab/replay/wires.h"
#include "lab/runner/scheduler.h"
#include "lab/trace/transaction.h"

namespace firstlight::replay {

/// How the transactions of a record came to agree.
struct Counts {
  int exact = 0;
  int late = 0;     // reads that answered as recorded only when repeated, or while a recorded poll went on
  int near = 0;     // within tolerance
  int ignored = 0;  // what counts time
  int cut_off = 0;  // had no answer in the record
  int absent = 0;   // of resources that this bench does not have

  int all() const { return exact + late + near + ignored + cut_off + absent; }
};

struct Difference {
  trace::Transaction recorded;
  std::string what;  // the access, in words
  Finding finding;
  // In the bench time of the replay:
  Instant began{};  // the first answer that was another one; of a poll, of any of its reads
  Instant asked{};
  Instant found{};  // when it was clear that no right answer would come
  int repeats = 0;
};

struct Outcome {
  Counts counts;
  std::optional<Difference> difference;  // the first; nothing after it is played
  std::map<std::string, int> absent;     // transactions by resource that this bench does not have
  Duration lag{};                        // by how much the replay was later than the record at its end
  Instant end{};
  bool whole = false;  // every transaction was played
};

struct PlayOptions {
  /// How long a read that answers otherwise is repeated, when the record has it once, and when it is the last of a poll
  /// (there the poll's recorded length is added).
  Duration patience = std::chrono::milliseconds(20);
  Duration poll_patience = std::chrono::seconds(1);
  /// Bench time goes on to here, also after a difference, and not much further.
  std::optional<Instant> until;
};

/// Plays the traffic of a record on a bench: each access at its recorded bench time, but after every access that was
/// over before it in the record.
class Player {
 public:
  Player(Scheduler& scheduler, TransportProvider& provider, const BenchPlan& bench, Judge& judge,
         std::vector<trace::Transaction> record, PlayOptions options);
  /// Once. Throws FailureError when a resource cannot be opened.
  Outcome play();

 private:
  /// What an access asks, when it is a read that may be made again: equal texts are equal questions.
  struct Question {
    std::optional<std::string> text;
    std::optional<std::size_t> sent_by;  // of an instrument's answer: the transaction that asked
  };
  /// What the record says of a read that it repeats.
  struct Poll {
    bool is_last = true;
    std::size_t first = 0;  // the transaction that began it
    Duration length{};      // from the first to the last
    Duration gap{};         // from one to the next
    bool repeated = false;
  };

  void find_questions();
  void find_polls();
  void close_segment(std::map<std::string, std::vector<std::size_t>>& segment);
  void main();
  bool over(Instant target) const;
  void wait_for_those_before(const trace::Transaction& transaction);
  void dispatch(std::size_t index);
  void play_one(std::size_t index);
  bool was_seen_soon(std::size_t index, const trace::Access& found);
  bool was_just_seen(std::size_t index, const trace::Access& found);
  void judge(std::size_t index, Finding finding, Instant asked);
  trace::Access ask_again(std::size_t index);
  Finding repeat(std::size_t index, Finding finding, Instant asked, int& repeats);
  void count(const Finding& finding, bool late);

  Scheduler& scheduler_;
  Judge& judge_;
  const std::vector<trace::Transaction> record_;
  std::vector<Question> questions_;         // of each transaction
  std::vector<Poll> polls_;                 // likewise
  std::map<std::size_t, Instant> deviant_;  // since when a poll answers otherwise, by its first transaction
  std::set<std::size_t> undecided_;         // those of them whose last read is still to come
  const PlayOptions options_;
  Wires wires_;
  std::map<std::size_t, Scheduler::Handle> running_;
  std::unique_ptr<Event> completed_;
  Duration shift_{};
  Outcome outcome_;
};

}  // namespace firstlight::replay
