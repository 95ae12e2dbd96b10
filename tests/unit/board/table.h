#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tb/board/board.h"
#include "tb/instruments/pmbus_codec.h"

namespace tb::board::testing {

/// An agenda for parts that are tested without a board.
instruments::Agenda& agenda();
/// A board that no test has used; there are a few with seed 2.
std::unique_ptr<Board> take_board(std::uint64_t seed = 1);

inline void pass(double seconds) { sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC)); }

/// A board, and what a person would do at it.
class Table {
 public:
  Table() : board_(take_board()) {}

  Board& board() { return *board_; }
  Board* operator->() { return board_.get(); }

  void set_fault(const std::string& name, const std::string& value = {}) {
    BoardFaults faults;
    faults.set(name, value);
    board_->set_faults(faults);
  }

  std::string ask(instruments::ScpiInstrument& instrument, const std::string& message, double seconds = 0.05) {
    std::string answer;
    instrument.on_reply([&](const std::string& text) { answer += text; });
    instrument.receive(message + "\n");
    pass(seconds);
    instrument.on_reply(nullptr);
    return answer;
  }
  double number(instruments::ScpiInstrument& instrument, const std::string& message) {
    const std::string answer = ask(instrument, message);
    return answer.empty() ? std::nan("") : std::stod(answer);
  }
  /// By the meter; channels count from 1.
  double volts(std::size_t rail) { return number(board_->dmm(), "MEAS:VOLT? (@" + std::to_string(rail + 1) + ")"); }

  firstlight::I2cResult transfer(std::uint8_t address, std::vector<firstlight::I2cMessage> messages) {
    firstlight::I2cResult result;
    bool done = false;
    board_->i2c().post({address, std::move(messages)}, [&](const firstlight::I2cResult& r) {
      result = r;
      done = true;
    });
    for (int i = 0; i < 1000 && !done; ++i) pass(100e-6);
    return result;
  }
  static std::uint8_t address(std::size_t rail) { return rail == 1 || rail == 2 ? 0x40 : 0x44; }
  static std::uint8_t page(std::size_t rail) { return std::array<std::uint8_t, 5>{0, 0, 1, 1, 2}[rail]; }
  void write(std::size_t rail, std::uint8_t command, std::vector<std::uint8_t> data) {
    using firstlight::I2cMessage;
    transfer(address(rail), {I2cMessage::writing({0x00, page(rail)})});
    data.insert(data.begin(), command);
    transfer(address(rail), {I2cMessage::writing(data)});
  }
  /// A word of the rail's page, or -1 when nothing answers.
  int read_word(std::size_t rail, std::uint8_t command) {
    using firstlight::I2cMessage;
    transfer(address(rail), {I2cMessage::writing({0x00, page(rail)})});
    const auto r = transfer(address(rail), {I2cMessage::writing({command}), I2cMessage::reading(2)});
    return r.status == firstlight::I2cStatus::ok ? r.data[0] | r.data[1] << 8 : -1;
  }
  double read_vout(std::size_t rail) { return read_word(rail, 0x8b) / 4096.0; }
  void rail_on(std::size_t rail) { write(rail, 0x01, {0x80}); }
  void rail_off(std::size_t rail) { write(rail, 0x01, {0x40}); }

  void input_on() { ask(board_->psu(), "VOLT 12;CURR 30;OUTP ON"); }
  void cooling_on() { ask(board_->coolant_unit(), "SOUR:TEMP 30;:SOUR:FLOW 2;:OUTP ON"); }
  void clock_on() { ask(board_->clock_generator(), "FREQ 100MHZ;OUTP ON"); }
  void rails_on() {
    for (std::size_t rail = 0; rail < kRails; ++rail) {
      rail_on(rail);
      pass(10e-3);
    }
  }
  /// Cooling, 12 V, reference clock, all rails.
  void power_up() {
    cooling_on();
    input_on();
    clock_on();
    rails_on();
  }
  void start_pll(std::uint8_t multiplier = 10) {
    chip.pll_enable = true;
    chip.pll_multiplier = multiplier;
    board_->drive(chip);
    pass(25e-3);
  }
  double celsius(std::size_t zone) { return board_->pins().zone_temperature[zone] * 0.125; }

  ChipPins chip;

 private:
  std::unique_ptr<Board> board_;
};

}  // namespace tb::board::testing
