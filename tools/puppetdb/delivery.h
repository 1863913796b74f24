#pragma once
// Sends the commands of a spool to PuppetDB, as fast as it takes them.
#include "tools/puppetdb/exported_resources.h"
#include "tools/puppetdb/spool.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace pupc::puppetdb {

struct DeliveryOptions {
  Config config;
  http::TlsFiles tls;
  unsigned threads = 2;
  std::chrono::milliseconds first_pause{1000}, longest_pause{30000}; // between attempts while nobody takes them
  std::chrono::seconds completion{20};                               // how long PuppetDB may work on one before the next of the node goes
  std::function<void(bool problem, const std::string&)> tell;        // a line for the log; any thread calls it
};

/// How one attempt ended.
struct Delivered {
  enum class How : uint8_t {
    Done,     // PuppetDB has it
    Rejected, // it never will take it
    Away,     // no server answered: try again later
  };
  How how = How::Away;
  std::string problem;
  std::string uuid; // PuppetDB's name of the command, when it has it
};

/// Sends one command to the servers as puppetdb.conf says: to one of them, or with command_broadcast to all.
Delivered submit(const Command& command, const Config& config, std::chrono::seconds completion, const Send& send);

/// Sends what the spool has, in this thread, until it is empty or nobody takes commands: false then, and `tell` says why.
bool deliver_all(Spool& spool, const DeliveryOptions& options, Send send = nullptr);

class Delivery {
public:
  /// Starts the threads. `send` is for tests; null: HTTPS.
  Delivery(std::shared_ptr<Spool> spool, DeliveryOptions options, Send send = nullptr);
  /// Ends them; what is not delivered stays in the spool.
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  /// Ends the threads; false when one is still busy after `patience`: an exchange with a server that hangs has its own limit.
  bool stop(std::chrono::milliseconds patience);
  /// Something was put into the spool.
  void wake();
  /// Waits until the spool is empty, at most `patience`; whether it is.
  bool drain(std::chrono::milliseconds patience);

private:
  friend bool deliver_all(Spool& spool, const DeliveryOptions& options, Send send);
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace pupc::puppetdb
