#include <functional>
#include <utility>

#include "tb/bench/model_transports.h"

namespace tb {
namespace {

using firstlight::BusResult;
using firstlight::BusStatus;
using firstlight::Instant;

/// A bus over a port that takes accesses and answers them later.
class PostedBus : public firstlight::RegisterBus {
 public:
  using Answered = std::function<void(const BusResult&)>;
  struct Port {
    std::function<std::uint64_t(bool write, std::uint32_t address, std::uint32_t data, Answered answered)> post;
    std::function<void(std::uint64_t access)> cancel;
  };

  PostedBus(std::string name, Port port, firstlight::BenchTime& time)
      : name_(std::move(name)), port_(std::move(port)), time_(time) {}

  BusResult read(std::uint64_t address, Instant deadline) override { return access(false, address, 0, deadline); }
  BusResult write(std::uint64_t address, std::uint32_t value, Instant deadline) override {
    return access(true, address, value, deadline);
  }
  std::string name() const override { return name_; }

 private:
  /// Whatever ends the wait, nobody may answer to a call that is over.
  struct Cancel {
    const Port& port;
    std::uint64_t access;
    Cancel(const Port& p, std::uint64_t a) : port(p), access(a) {}
    Cancel(const Cancel&) = delete;
    Cancel& operator=(const Cancel&) = delete;
    ~Cancel() { port.cancel(access); }
  };

  BusResult access(bool write, std::uint64_t address, std::uint32_t value, Instant deadline) {
    const auto done = std::shared_ptr<firstlight::Event>(time_.make_event());
    const auto answer = std::make_shared<BusResult>();
    const Cancel cancel(
        port_, port_.post(write, static_cast<std::uint32_t>(address), value, [done, answer](const BusResult& got) {
          *answer = got;
          done->fire();
        }));
    if (time_.wait(*done, deadline)) return *answer;
    return {BusStatus::timeout, 0, "no answer before the deadline"};
  }

  std::string name_;
  Port port_;
  firstlight::BenchTime& time_;
};

BusResult result_of(const HostPort::Access& access) {
  switch (access.outcome) {
    case HostPort::Outcome::slave_error:
      return {BusStatus::slave_error, access.data, "SLVERR"};
    case HostPort::Outcome::decode_error:
      return {BusStatus::decode_error, access.data, "DECERR"};
    case HostPort::Outcome::okay:
      break;
  }
  return {BusStatus::ok, access.data, {}};
}

}  // namespace

std::unique_ptr<firstlight::RegisterBus> model_host_port(std::string name, TernChip& chip, firstlight::BenchTime& time,
                                                         WordFault fault) {
  PostedBus::Port port;
  port.post = [&chip, fault](bool write, std::uint32_t address, std::uint32_t data,
                             const PostedBus::Answered& answered) {
    if (write && fault.active && address == fault.address) data |= fault.set_bits;
    return chip.host().request(write, address, data,
                               [answered](const HostPort::Access& access) { answered(result_of(access)); });
  };
  port.cancel = [&chip](std::uint64_t access) { chip.host().cancel(access); };
  return std::make_unique<PostedBus>(std::move(name), std::move(port), time);
}

std::unique_ptr<firstlight::RegisterBus> model_partner_port(std::string name, LinkPartner& partner,
                                                            firstlight::BenchTime& time) {
  PostedBus::Port port;
  port.post = [&partner](bool write, std::uint32_t address, std::uint32_t data, const PostedBus::Answered& answered) {
    return partner.request(write, address, data, [answered](LinkPartner::Answer answer) {
      answered({answer.error ? BusStatus::slave_error : BusStatus::ok, answer.data, answer.error ? "SLVERR" : ""});
    });
  };
  port.cancel = [&partner](std::uint64_t access) { partner.cancel(access); };
  return std::make_unique<PostedBus>(std::move(name), std::move(port), time);
}

}  // namespace tb
