#pragma once

#include "lab/cli/application.h"
#include "lab/cli/options.h"

namespace firstlight::cli {

// One function a command, one file each. They throw FailureError; the exit status is theirs.
int run_command(const Options& options, const std::vector<std::string>& typed, const Surroundings& surroundings);
int check_command(const Options& options, const Surroundings& surroundings);
int list_command(const Options& options, const Surroundings& surroundings);
int describe_command(const Options& options, const Surroundings& surroundings);
int schema_command(const Options& options, const Surroundings& surroundings);
int report_command(const Options& options, const Surroundings& surroundings);
int doctor_command(const Options& options, const Surroundings& surroundings);
int model_command(const Options& options, const Surroundings& surroundings);
int agent_command(const Options& options, const Surroundings& surroundings);
int parity_command(const Options& options, const Surroundings& surroundings);
int replay_command(const Options& options, const Surroundings& surroundings);
int safe_command(const Options& options, const Surroundings& surroundings);
int recover_command(const Options& options, const Surroundings& surroundings);
int lock_command(const Options& options, const Surroundings& surroundings);
int unlock_command(const Options& options, const Surroundings& surroundings);
int who_command(const Options& options, const Surroundings& surroundings);
int guardian_command(const Options& options, const Surroundings& surroundings);

}  // namespace firstlight::cli
