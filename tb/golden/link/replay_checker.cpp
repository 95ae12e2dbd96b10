#include "tb/golden/link/replay_checker.h"

namespace tb::golden::link {

namespace {

constexpr std::uint64_t numbers = 64;

/// Flits in a unit of credit, and units that may be told ahead.
constexpr std::uint64_t unit(unsigned traffic) { return traffic == 2 ? 1 : 16; }
constexpr unsigned credit_steps = 8;

unsigned class_of(std::uint64_t head) {
  switch (head & 0xFU) {
    case 3:
      return 2;  // write answer
    case 4:
      return 1;  // read answer
    default:
      return 0;
  }
}

}  // namespace

ReplayChecker::ReplayChecker() {
  for (unsigned side = 0; side < 2; ++side) {
    ends_[side].decoder.forget_flits();
    ends_[side].decoder.on_frame([this, side](const Frame& f) { frame(side, f); });
    ends_[side].decoder.on_start([this, side](bool resume) { start(side, resume); });
  }
}

void ReplayChecker::violation(unsigned side, const std::string& text) {
  if (violations_.size() < 20) violations_.push_back("end " + std::to_string(side) + ": " + text);
}

void ReplayChecker::observe(unsigned side, std::uint64_t word, std::uint8_t idle) {
  WireDecoder& decoder = ends_[side].decoder;
  const std::size_t before = decoder.violations().size();
  decoder.observe(word, idle);
  if (decoder.violations().size() > before) violation(side, decoder.violations().back());
  if (!decoder.in_data()) {
    live_ = false;
    ends_[side].early.clear();
  }
}

void ReplayChecker::start(unsigned side, bool resume) {
  ends_[side].resume = resume;
  ends_[side].early.clear();
  if (!ends_[1 - side].decoder.in_data()) return;
  live_ = true;
  if (ends_[0].resume && ends_[1].resume) {
    ++resumed_;
  } else {
    for (End& end : ends_) {
      end.kept.clear();
      end.sent = 0;
      end.next = 0;
      end.acknowledged = 0;
      end.granted = {};
      end.flits = {};
    }
  }
  // What the other end has said since its data began is of this session, and may still be on its way.
  for (const Frame& early : ends_[1 - side].early) feedback(1 - side, early);
}

void ReplayChecker::frame(unsigned side, const Frame& frame) {
  if (!live_) {
    ends_[side].early.push_back(frame);
    return;
  }
  feedback(side, frame);
  End& end = ends_[side];
  if (frame.empty()) return;
  if (frame.number == end.sent % numbers) {
    new_frame(side, frame);
    return;
  }
  for (std::uint64_t back = 1; back <= window && back <= end.sent; ++back)
    if ((end.sent - back) % numbers == frame.number) {
      again(side, end.sent - back, frame);
      return;
    }
  violation(side,
            "a frame numbered " + std::to_string(frame.number) + " after " + std::to_string(end.sent) + " frames");
}

void ReplayChecker::new_frame(unsigned side, const Frame& frame) {
  End& end = ends_[side];
  const std::uint64_t acknowledged = ends_[1 - side].acknowledged;
  ++new_frames_;
  if (end.next != end.sent && acknowledged < end.sent) violation(side, "a new frame in the middle of a replay");
  if (end.sent - acknowledged >= window) violation(side, "a frame beyond the window");
  for (unsigned i = 0; i < 7; ++i) {
    if (frame.kinds[i] == WireDecoder::Kind::head) end.traffic = class_of(frame.slots[i]);
    if (frame.kinds[i] == WireDecoder::Kind::head || frame.kinds[i] == WireDecoder::Kind::body) {
      if (++end.flits.at(end.traffic) > ends_[1 - side].granted.at(end.traffic))
        violation(side, "a flit without credit");
    }
  }
  end.kept.push_back(frame);
  if (end.kept.size() > window) end.kept.pop_front();
  ++end.sent;
  end.next = end.sent;
}

void ReplayChecker::again(unsigned side, std::uint64_t number, const Frame& frame) {
  End& end = ends_[side];
  ++repeated_frames_;
  if (number != end.next && number > ends_[1 - side].acknowledged) violation(side, "a replay that leaves frames out");
  const std::uint64_t oldest = end.sent - end.kept.size();
  if (number < oldest) {
    violation(side, "a replay of a frame from before the window");
    return;
  }
  const Frame& first = end.kept.at(static_cast<std::size_t>(number - oldest));
  if (first.kinds != frame.kinds || first.slots != frame.slots) violation(side, "a replay that is not what was sent");
  end.next = number + 1;
}

void ReplayChecker::feedback(unsigned side, const Frame& frame) {
  End& end = ends_[side];
  const std::uint64_t forward = (frame.ack + numbers - end.acknowledged % numbers) % numbers;
  if (forward > window)
    violation(side, "an acknowledgement that goes back");
  else
    end.acknowledged += forward;
  // A frame that is cut off by a retraining is sent, and seen here only when it is sent again.
  if (end.acknowledged > ends_[1 - side].sent) violation(side, "an acknowledgement of what was not sent");
  if (frame.credit_class > 2) {
    violation(side, "credit for an unknown class");
    return;
  }
  std::uint64_t& granted = end.granted.at(frame.credit_class);
  const std::uint64_t told = granted / unit(frame.credit_class) % credit_steps;
  granted += (frame.credit + credit_steps - told) % credit_steps * unit(frame.credit_class);
}

}  // namespace tb::golden::link
