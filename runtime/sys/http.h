#pragma once
// Requests over http and https by libcurl, loaded when the first one is made: most runs make none.
#include "runtime/sys/system.h"

namespace pupc {

/// Makes a request; redirections are followed. What goes wrong on the way is in the answer's `error`, its status is 0 then.
HttpAnswer send_http_request(const HttpRequest& request);

} // namespace pupc
