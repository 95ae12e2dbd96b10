#include <utility>

#include "tb/bench/model_transports.h"

namespace tb {
namespace {

using firstlight::Instant;
using firstlight::StreamResult;
using firstlight::StreamStatus;

class ModelStream : public firstlight::ByteStream {
 public:
  ModelStream(std::string name, instruments::ScpiInstrument& instrument, firstlight::BenchTime& time)
      : name_(std::move(name)), time_(time), arrived_(time.make_event()) {
    session_ = instrument.open_session([this](const std::string& bytes) {
      input_ += bytes;
      arrived_->fire();
    });
  }

  StreamResult write(std::string_view bytes, Instant) override {
    session_->receive(bytes);
    return {};
  }

  StreamResult read_until(char terminator, Instant deadline) override {
    return read(
        [&] {
          const auto at = input_.find(terminator);
          return at == std::string::npos ? std::string::npos : at + 1;
        },
        deadline);
  }

  StreamResult read_exactly(std::size_t count, Instant deadline) override {
    return read([&] { return input_.size() >= count ? count : std::string::npos; }, deadline);
  }

  std::string drain() override { return std::exchange(input_, {}); }
  std::string name() const override { return name_; }

 private:
  /// @param ready how many bytes make the answer, npos while they have not come
  template <class Ready>
  StreamResult read(const Ready& ready, Instant deadline) {
    for (;;) {
      const std::size_t count = ready();
      StreamResult out;
      if (count != std::string::npos) {
        out.data = input_.substr(0, count);
        input_.erase(0, count);
        return out;
      }
      arrived_->reset();
      if (time_.wait(*arrived_, deadline)) continue;
      out.status = StreamStatus::timeout;
      out.data = drain();
      out.detail = "no whole answer before the deadline";
      return out;
    }
  }

  std::string name_;
  firstlight::BenchTime& time_;
  std::unique_ptr<firstlight::Event> arrived_;
  std::string input_;
  std::unique_ptr<instruments::ScpiInstrument::Session> session_;
};

}  // namespace

std::unique_ptr<firstlight::ByteStream> model_stream(std::string name, instruments::ScpiInstrument& instrument,
                                                     firstlight::BenchTime& time) {
  return std::make_unique<ModelStream>(std::move(name), instrument, time);
}

}  // namespace tb
