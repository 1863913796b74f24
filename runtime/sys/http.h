#pragma once
// HTTP and HTTPS requests through libcurl. The first request loads the library: most runs make none.
#include "runtime/sys/system.h"

namespace pupc::runtime {

/// Makes a request and follows redirections. When no answer arrives, `error` says why and `status` is 0.
HttpAnswer send_http_request(const HttpRequest& request);

} // namespace pupc::runtime
