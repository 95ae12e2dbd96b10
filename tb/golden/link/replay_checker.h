#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tb/golden/link/wire_decoder.h"

namespace tb::golden::link {

/// The replay protocol of docs/link.md, held against what both ends of a link send, bit errors not counted: it listens
/// at the transmitters. Whoever obeys it loses nothing, whatever the channel does: frames are sent again as they were,
/// in order, from one that the other end may still miss; never more than the window ahead of what the other end has
/// acknowledged; acknowledgements never go back, nor beyond what was sent; no class sends more than it was granted.
/// Both ends go on with their session after a retraining exactly when both have said so.
class ReplayChecker {
 public:
  ReplayChecker();

  /// One cycle of what `side` (0 or 1) sends, as WireDecoder::observe; side 0 and side 1 in turn.
  void observe(unsigned side, std::uint64_t word, std::uint8_t idle);

  const std::vector<std::string>& violations() const { return violations_; }
  std::uint64_t new_frames() const { return new_frames_; }
  std::uint64_t repeated_frames() const { return repeated_frames_; }
  std::uint64_t resumed() const { return resumed_; }

 private:
  using Frame = WireDecoder::Frame;
  /// What one end has sent in this session. Frames are counted from 0.
  struct End {
    WireDecoder decoder;
    bool resume = false;
    std::vector<Frame> early;                ///< since its data began, before the other end's did
    std::deque<Frame> kept;                  ///< the last frames, the newest at the back
    std::uint64_t sent = 0;                  ///< different frames
    std::uint64_t next = 0;                  ///< the frame that is due
    std::uint64_t acknowledged = 0;          ///< of the other end's frames
    std::array<std::uint64_t, 3> granted{};  ///< flits that the other end may send
    std::array<std::uint64_t, 3> flits{};
    unsigned traffic = 0;  ///< class of the packet under way
  };
  static constexpr std::uint64_t window = 32;

  void start(unsigned side, bool resume);
  void frame(unsigned side, const Frame& frame);
  void new_frame(unsigned side, const Frame& frame);
  void again(unsigned side, std::uint64_t number, const Frame& frame);
  void feedback(unsigned side, const Frame& frame);
  void violation(unsigned side, const std::string& text);

  std::array<End, 2> ends_;
  bool live_ = false;  ///< both send data
  std::uint64_t new_frames_ = 0;
  std::uint64_t repeated_frames_ = 0;
  std::uint64_t resumed_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace tb::golden::link
