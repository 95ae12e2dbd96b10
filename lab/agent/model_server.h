#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/agent/listening_station.h"
#include "lab/agent/server.h"
#include "lab/agent/stream_server.h"
#include "lab/bench/plan.h"
#include "lab/transports/time_base.h"

namespace firstlight {

/// What a model's bench file says under `model: listen:`, by resource: where instruments are reached, and the agent
/// that serves all the rest.
struct ListenPlan {
  agent::Endpoint agent;
  std::map<std::string, agent::Endpoint> sockets;
  std::vector<std::string> terminals;  // links of that name in the folder
};

/// Throws FailureError (bench) for what is not `tcp://HOST:PORT`, `unix:PATH` or `pty`, or names no resource; a byte
/// stream that is not named gets a free port.
ListenPlan listen_plan(const BenchPlan& bench);

/// Puts a model behind sockets, terminals and an agent, in a folder of its own: agent.token, endpoints.json,
/// witness.json (when told to, and at the end), witness.sock (a line in, the same JSON out; "forget" begins anew),
/// time_base, and a link for each serial line.
class ModelServer {
 public:
  /// In a fiber of the scheduler. @param folder exists and is the caller's own. Throws FailureError.
  ModelServer(Scheduler& scheduler, IoThread& io, ListeningStation& station, TransportProvider& wires,
              const BenchPlan& bench, const std::string& folder);
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;
  /// Writes the witness's last word, and takes the rest of the folder away.
  ~ModelServer();

  /// Variables of a desk's bench file that say where this model is: "psu0_port" and "5025", "dir" and the folder.
  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }
  /// Name of each resource and its address on the desk.
  const std::vector<std::pair<std::string, std::string>>& addresses() const { return addresses_; }
  void write_witness() const;

 private:
  void serve_streams(const ListenPlan& plan, TransportProvider& wires, const BenchPlan& bench);
  void serve_witness();
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  Scheduler& scheduler_;
  IoThread& io_;
  ListeningStation& station_;
  const std::string folder_;
  TimeBasePublisher time_base_;
  std::unique_ptr<agent::AgentServer> agent_;
  std::vector<std::unique_ptr<agent::StreamServer>> streams_;
  std::vector<std::pair<std::string, std::string>> variables_;
  std::vector<std::pair<std::string, std::string>> addresses_;
};

/// Writes the text beside the file and renames it, so that a reader sees all or nothing. Throws FailureError
/// (infrastructure).
void write_whole(const std::string& path, const std::string& text);

}  // namespace firstlight
