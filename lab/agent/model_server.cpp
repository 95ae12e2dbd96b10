#include "lab/agent/model_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/core/failure.h"
#include "lab/transports/agent/token.h"

namespace firstlight {

namespace {

constexpr const char* kAgentOnTheDesk = "host0";  // the agent's name in a desk's bench file
constexpr const char* kToken = "agent.token";
constexpr const char* kWitness = "witness.json";
constexpr const char* kTimeBase = "time_base";
constexpr const char* kWitnessSocket = "witness.sock";

/// Answers every line with what the witness saw; the line "forget" has it begin anew first.
class WitnessStream final : public ByteStream {
 public:
  WitnessStream(BenchTime& time, ListeningStation& station)
      : time_(time), station_(station), answered_(time.make_event()) {}

  StreamResult write(std::string_view bytes, Instant) override {
    for (const char c : bytes) {
      if (c != '\n') {
        line_ += c;
        continue;
      }
      if (line_ == "forget") station_.forget();
      answers_ += station_.witness() + "\n";
      line_.clear();
      answered_->fire();
    }
    return {};
  }
  StreamResult read_until(char terminator, Instant deadline) override {
    for (;;) {
      const auto at = answers_.find(terminator);
      if (at != std::string::npos) {
        StreamResult out;
        out.data = answers_.substr(0, at + 1);
        answers_.erase(0, at + 1);
        return out;
      }
      answered_->reset();
      if (!time_.wait(*answered_, deadline)) return {StreamStatus::timeout, drain(), "nothing was asked"};
    }
  }
  StreamResult read_exactly(std::size_t, Instant) override {
    return {StreamStatus::io_error, {}, "the witness speaks in lines"};
  }
  std::string drain() override { return std::exchange(answers_, {}); }
  std::string name() const override { return "witness"; }

 private:
  BenchTime& time_;
  ListeningStation& station_;
  std::unique_ptr<Event> answered_;
  std::string line_;
  std::string answers_;
};

}  // namespace

void write_whole(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  {
    std::ofstream out(beside, std::ios::trunc);
    out << text;
    out.flush();
    if (!out)
      throw FailureError({ErrorClass::infrastructure, "cannot_write", fmt::format("cannot write {}", path), "model", "",
                          "", "the folder is gone, not writable, or full"});
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0)
    throw FailureError({ErrorClass::infrastructure, "cannot_write",
                        fmt::format("cannot write {}: {}", path, std::strerror(errno)), "model", "", "", ""});
}

ModelServer::ModelServer(Scheduler& scheduler, IoThread& io, ListeningStation& station, TransportProvider& wires,
                         const BenchPlan& bench, const std::string& folder)
    : scheduler_(scheduler), io_(io), station_(station), folder_(folder), time_base_(file(kTimeBase)) {
  const ListenPlan plan = listen_plan(bench);
  agent::AgentServer::Options options;
  options.listen = plan.agent;
  options.token = agent::make_token_file(file(kToken));
  for (const ResourcePlan& one : bench.resources) options.resources.push_back(one);
  agent_ = std::make_unique<agent::AgentServer>(scheduler, io, wires, std::move(options));
  variables_.emplace_back("dir", folder_);
  variables_.emplace_back("time_scale", fmt::format("{}", bench.time_scale));
  variables_.emplace_back("agent_port", std::to_string(agent_->endpoint().port));
  addresses_.emplace_back(kAgentOnTheDesk, agent_->endpoint().text());
  serve_streams(plan, wires, bench);
  for (const ResourcePlan& one : bench.resources)
    if (one.type != "scpi") addresses_.emplace_back(one.name, fmt::format("agent:{}/{}", kAgentOnTheDesk, one.name));
  serve_witness();
  station.when_time_passes([this](Instant now, Instant until) { time_base_.publish(now, until); });
}

void ModelServer::serve_streams(const ListenPlan& plan, TransportProvider& wires, const BenchPlan& bench) {
  for (const ResourcePlan& resource : bench.resources) {
    if (resource.type != "scpi") continue;
    const auto open = [&wires, resource] { return wires.open_stream(resource); };
    const auto socket = plan.sockets.find(resource.name);
    if (socket == plan.sockets.end()) {
      streams_.push_back(agent::StreamServer::terminal(scheduler_, io_, file(resource.name), open));
    } else {
      streams_.push_back(agent::StreamServer::listen(scheduler_, io_, socket->second, open));
      const auto endpoint = agent::parse_endpoint(streams_.back()->address());
      if (endpoint && !endpoint->local)
        variables_.emplace_back(resource.name + "_port", std::to_string(endpoint->port));
    }
    addresses_.emplace_back(resource.name, streams_.back()->address());
  }
}

void ModelServer::serve_witness() {
  agent::Endpoint endpoint;
  endpoint.local = true;
  endpoint.path = file(kWitnessSocket);
  streams_.push_back(agent::StreamServer::listen(
      scheduler_, io_, endpoint, [this] { return std::make_unique<WitnessStream>(scheduler_, station_); }));
}

ModelServer::~ModelServer() {
  station_.when_time_passes(nullptr);
  streams_.clear();
  agent_.reset();
  ::unlink(file(kToken).c_str());
  ::unlink(file("endpoints.json").c_str());
  try {
    write_witness();
  } catch (const FailureError& error) {
    std::fprintf(stderr, "firstlight: %s\n", error.what());
  }
}

void ModelServer::write_witness() const { write_whole(file(kWitness), station_.witness() + "\n"); }

}  // namespace firstlight
