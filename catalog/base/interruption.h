#pragma once
// Signals that ask a run to end. The first one lets what is under way come to its end and says so; the second one ends it.
#include "catalog/base/namespaces.h"

#include <stdexcept>
#include <string_view>
#include <sys/types.h>

namespace pupc::catalog {

/// What a signal handler calls for each signal that asks for the end. Says at once on standard error what the process waits for.
void note_interruption(int signal);

/// Whether a second signal asked to end what is under way.
bool interrupted_twice();

/// Names what the process is doing, for the line of the first signal: "Exec[x] is under way". Empty: nothing that must not be broken off,
/// so that a second signal ends the process.
void set_under_way(std::string_view what);

/// Sends a signal to a process and to all its descendants that still belong to it. The process is stopped meanwhile, so that it cannot
/// start more.
void signal_tree(pid_t root, int signal);

/// Thrown where a command or a worker was ended because of a second signal.
class Interrupted : public std::runtime_error {
public:
  Interrupted() : std::runtime_error("Ended by a second signal") {}
};

} // namespace pupc::catalog
