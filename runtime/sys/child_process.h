#pragma once
// Child processes: commands whose output is kept, and work done as another user.
#include "runtime/sys/become.h"
#include "runtime/sys/system.h"

#include <chrono>
#include <functional>
#include <string>

namespace pupc::runtime {

/// Runs `program` as the command says and waits until it ends or its time is over. `program` is the file to execute: /bin/sh for a command
/// with `shell`, else what argv[0] stands for. The process has `identity`; what the command says of users is not looked at. Never throws
/// for a program that fails: the result tells what went wrong, also before the start. Background processes may outlive the command.
CommandResult run_program(const Command& command, const std::string& program, const Identity& identity);

/// Runs `work` in a child process that has become `identity`, and returns its result. `who` names the identity in errors. What `work`
/// throws is thrown here: a SystemError as such, any other as std::runtime_error. Throws SystemError when the child cannot be started,
/// cannot become the identity, or is killed; ETIMEDOUT after `patience`, which also kills the child.
std::string run_in_child(const Identity& identity, const std::string& who, const std::function<std::string()>& work,
                         std::chrono::milliseconds patience = std::chrono::minutes(2));

} // namespace pupc::runtime
