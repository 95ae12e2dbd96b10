#include "lab/core/turns.h"

#include <algorithm>
#include <memory>

namespace firstlight {

void Turns::take() {
  if (!taken_) {
    taken_ = true;
    return;
  }
  const std::unique_ptr<Event> mine = time_.make_event();
  waiting_.push_back(mine.get());
  try {
    while (!mine->fired()) time_.wait(*mine, kNever);
  } catch (...) {
    // Told to stop while waiting. Whoever gave us the turn meanwhile relies on us to pass it on.
    const auto place = std::find(waiting_.begin(), waiting_.end(), mine.get());
    if (place != waiting_.end())
      waiting_.erase(place);
    else
      give();
    throw;
  }
}

void Turns::give() {
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  Event* next = waiting_.front();
  waiting_.pop_front();
  next->fire();  // the turn stays taken: it is theirs now
}

}  // namespace firstlight
