#pragma once

#include <string_view>

namespace firstlight::guardian_words {

// What a run and its guardian say to each other, a message a packet of their socket.
// The run:
inline constexpr std::string_view kHello =
    "hello ";  // its process id, and the epoch of bench time in ns of the monotonic clock
inline constexpr std::string_view kLine = "line ";  // of the ledger
inline constexpr std::string_view kBeat = "beat";
inline constexpr std::string_view kMakingSafe = "making safe";
inline constexpr std::string_view kSafe = "safe";      // the last word: nothing is left to do
inline constexpr std::string_view kUnsafe = "unsafe";  // the last word: the guardian is to try
// The guardian:
inline constexpr std::string_view kReady = "ready";     // and what it could not connect, if anything
inline constexpr std::string_view kFailed = "failed ";  // and why: it cannot guard
inline constexpr std::string_view kHave = "have ";      // how many lines it has

}  // namespace firstlight::guardian_words
