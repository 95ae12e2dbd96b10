#include "tb/golden/link/prbs.h"

#include <algorithm>
#include <stdexcept>

namespace tb::golden::link {

Prbs::Prbs(Kind kind, const std::deque<bool>& history) : kind_(kind), stages_(history) {
  if (stages_.size() != length(kind)) throw std::invalid_argument("a PRBS begins with as many bits as it has stages");
  if (std::none_of(stages_.begin(), stages_.end(), [](bool b) { return b; }))
    throw std::invalid_argument("a PRBS register of all 0 stays so");
}

bool Prbs::next() {
  const std::size_t n = stages_.size();
  const bool bit = stages_[0] != stages_[n - tap(kind_)];
  stages_.pop_front();
  stages_.push_back(bit);
  return bit;
}

unsigned Prbs::length(Kind kind) {
  switch (kind) {
    case Kind::prbs7:
      return 7;
    case Kind::prbs15:
      return 15;
    case Kind::prbs31:
      return 31;
  }
  return 0;
}

unsigned Prbs::tap(Kind kind) {
  switch (kind) {
    case Kind::prbs7:
      return 6;
    case Kind::prbs15:
      return 14;
    case Kind::prbs31:
      return 28;
  }
  return 0;
}

}  // namespace tb::golden::link
