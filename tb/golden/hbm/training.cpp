#include "tb/golden/hbm/training.h"

namespace tb::golden::hbm {
namespace {

bool passes(std::uint64_t taps, unsigned tap) { return ((taps >> tap) & 1U) != 0; }

/// The search tries write taps, and for each all read taps, from one set of 16: it finds an eye when both directions
/// pass at one of the set.
bool has_eye(const LaneEye& eye) {
  bool rd = false;
  bool wr = false;
  for (unsigned k = 0; k < 16; ++k) {
    rd = rd || passes(eye.rd, 4 * k + 2);
    wr = wr || passes(eye.wr, 4 * k + 2);
  }
  return rd && wr;
}

std::optional<Window> longest(std::uint64_t taps) {
  std::optional<Window> best;
  for (unsigned first = 0; first < kTaps; ++first) {
    if (!passes(taps, first)) continue;
    unsigned last = first;
    while (last + 1 < kTaps && passes(taps, last + 1)) ++last;
    if (!best || last - first + 1 > best->width()) best = Window{first, last};
    first = last;
  }
  return best;
}

unsigned width(const std::optional<Window>& window) { return window ? window->width() : 0; }

}  // namespace

TrainingResult train(const Eyes& eyes, unsigned min_window) {
  TrainingResult out;
  std::optional<unsigned> blind;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    out.rd_tap[lane] = out.wr_tap[lane] = kMiddleTap;
    if (!has_eye(eyes[lane])) {
      if (!blind) blind = lane;
      continue;
    }
    out.rd[lane] = longest(eyes[lane].rd);
    out.wr[lane] = longest(eyes[lane].wr);
    out.rd_tap[lane] = out.rd[lane]->centre();
    out.wr_tap[lane] = out.wr[lane]->centre();
  }
  if (blind) {
    out.reason = Reason::no_eye;
    out.lane = *blind;
    return out;
  }
  // The centre of a run passes, so the check finds nothing.
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (const bool write : {false, true})
      if (width(write ? out.wr[lane] : out.rd[lane]) < min_window) {
        out.reason = Reason::narrow;
        out.lane = lane;
        out.write = write;
        return out;
      }
  return out;
}

}  // namespace tb::golden::hbm
