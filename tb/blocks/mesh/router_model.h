#pragma once

#include <verilated.h>
#include <verilated_cov.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "tb/golden/mesh/channels.h"

namespace tb::blocks {

/// What is on a link in a cycle. `vc` and `port` are those at the receiver.
struct Flit {
  bool valid = false;
  bool head = false;
  bool tail = false;
  unsigned vc = 0;
  golden::mesh::Port port = golden::mesh::Port::local;
  std::uint64_t data = 0;
};

/// One direction of all links of a router: flits one way, credits (a bit a channel) the other way.
struct Links {
  std::array<Flit, golden::mesh::ports> flit;
  std::array<unsigned, golden::mesh::ports> credit{};
};

/// [port][class]: what happened in a cycle, for the counters.
struct Events {
  unsigned sent = 0;
  unsigned stalled = 0;
  unsigned discarded = 0;
  static bool has(unsigned bits, golden::mesh::Port port, bool response) {
    return (bits >> (2 * index(port) + (response ? 1 : 0)) & 1U) != 0;
  }
};

struct RouterSettings {
  unsigned here = 0;
  unsigned last = 0;
  bool table_mode = false;
  unsigned enable = 0x1f;
  golden::mesh::Shares shares{};
};

/// A verilated mesh_bench_top, whatever its parameters.
class RouterModel {
 public:
  RouterModel() = default;
  RouterModel(const RouterModel&) = delete;
  RouterModel& operator=(const RouterModel&) = delete;
  RouterModel(RouterModel&&) = delete;
  RouterModel& operator=(RouterModel&&) = delete;
  virtual ~RouterModel() = default;

  virtual void reset() = 0;
  virtual void settings(const RouterSettings& settings) = 0;
  /// Writes one entry of the table of routes: takes a cycle in which nothing may be under way.
  virtual void write_table(unsigned node, golden::mesh::Port next) = 0;
  /// One cycle: `in` is what the edge at its end sees, the result what stands on the outputs behind it.
  virtual void cycle(const Links& in) = 0;
  virtual const Links& out() const = 0;
  /// Of the cycle that has passed.
  virtual const Events& events() const = 0;
  /// Inputs in which flits wait, a bit a port.
  virtual unsigned waiting() const = 0;
};

template <class Model>
class VerilatedRouter : public RouterModel {
 public:
  explicit VerilatedRouter(std::string name)
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Model>(context_.get(), "tern")),
        name_(std::move(name)) {}
  VerilatedRouter(const VerilatedRouter&) = delete;
  VerilatedRouter& operator=(const VerilatedRouter&) = delete;
  VerilatedRouter(VerilatedRouter&&) = delete;
  VerilatedRouter& operator=(VerilatedRouter&&) = delete;
  ~VerilatedRouter() override {
    Verilated::threadContextp(context_.get());
    model_->final();
    if (const char* dir = std::getenv("FIRSTLIGHT_COVERAGE_DIR"))
      context_->coveragep()->write((std::string(dir) + "/" + name_ + ".dat").c_str());
  }

  void reset() override {
    set({});
    model_->table_write_i = 0;
    model_->rst_ni = 0;
    for (int i = 0; i < 2; ++i) clock();
    model_->rst_ni = 1;
    get();
  }
  void settings(const RouterSettings& s) override {
    model_->here_i = static_cast<CData>(s.here);
    model_->last_i = static_cast<CData>(s.last);
    model_->table_mode_i = s.table_mode;
    model_->enable_i = static_cast<CData>(s.enable);
    std::memset(&model_->share_i[0], 0, 16);
    unsigned bit = 0;
    for (const auto& output : s.shares)
      for (const unsigned share : output) {
        model_->share_i[bit / 32] |= share << bit % 32;
        bit += 4;
      }
  }
  void write_table(unsigned node, golden::mesh::Port next) override {
    model_->table_write_i = 1;
    model_->table_node_i = static_cast<CData>(node);
    model_->table_port_i = static_cast<CData>(index(next));
    cycle({});
    model_->table_write_i = 0;
  }
  void cycle(const Links& in) override {
    set(in);
    model_->clk_i = 0;
    model_->eval();
    events_ = {model_->sent_o, model_->stalled_o, model_->discarded_o};
    waiting_ = model_->waiting_o;
    model_->clk_i = 1;
    model_->eval();
    context_->timeInc(1);
    get();
  }
  const Links& out() const override { return out_; }
  const Events& events() const override { return events_; }
  unsigned waiting() const override { return waiting_; }

 private:
  void clock() {
    for (const int level : {0, 1}) {
      model_->clk_i = static_cast<CData>(level);
      model_->eval();
    }
  }
  void set(const Links& in) {
    std::uint64_t control = 0;
    std::uint32_t credit = 0;
    for (unsigned p = 0; p < golden::mesh::ports; ++p) {
      const Flit& flit = in.flit[p];
      credit |= in.credit[p] << 4 * p;
      if (!flit.valid) continue;
      const std::uint64_t bits =
          0x80U | (flit.head ? 0x40U : 0U) | (flit.tail ? 0x20U : 0U) | flit.vc << 3 | index(flit.port);
      control |= bits << 8 * p;
      std::memcpy(&model_->data_i[2 * p], &flit.data, 8);
    }
    model_->control_i = control;
    model_->credit_i = credit;
  }
  void get() {
    for (unsigned p = 0; p < golden::mesh::ports; ++p) {
      const auto bits = static_cast<unsigned>(model_->control_o >> 8 * p & 0xffU);
      Flit& flit = out_.flit[p];
      flit.valid = (bits & 0x80) != 0;
      out_.credit[p] = model_->credit_o >> 4 * p & 0xf;
      if (!flit.valid) continue;
      flit.head = (bits & 0x40) != 0;
      flit.tail = (bits & 0x20) != 0;
      flit.vc = bits >> 3 & 3;
      flit.port = static_cast<golden::mesh::Port>(bits & 7);
      std::memcpy(&flit.data, &model_->data_o[2 * p], 8);
    }
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> model_;
  std::string name_;
  Links out_;
  Events events_;
  unsigned waiting_ = 0;
};

}  // namespace tb::blocks
