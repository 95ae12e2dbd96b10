#pragma once

#include <memory>
#include <string>

#include "lab/core/turns.h"
#include "lab/drivers/scpi/personality.h"
#include "lab/drivers/scpi/session.h"

namespace firstlight::scpi {

/// The one conversation with an instrument, shared by the drivers of its channels: choosing a channel and what is said
/// to it are never torn apart.
class Line {
 public:
  Line(std::string name, ByteStream& stream, Personality personality, BenchTime& time)
      : personality_(std::move(personality)),
        session_(std::move(name), stream, personality_.session, time),
        turns_(time) {}

  const Personality& personality() const { return personality_; }
  Session& session() { return session_; }

  /// Says what has no answer, or the acknowledgement of the personality. @param channel its place, from 0
  void tell(const Exchange& exchange, std::size_t channel, const std::string& value = {});
  /// Asks; earlier messages of the exchange are said first.
  std::string ask(const Exchange& exchange, std::size_t channel);

  std::string channel_name(std::size_t channel) const;

 private:
  void say(const std::string& message);
  void choose(std::size_t channel);

  Personality personality_;
  Session session_;
  Turns turns_;
};

}  // namespace firstlight::scpi
