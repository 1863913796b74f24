#include "catalog/base/split_text.h"
#include "runtime/facts/resolvers.h"

#include <cctype>

namespace pupc::runtime {

void resolve_kernel(FactSources& from, Facts& facts) {
  const UnameFields u = from.probe.uname();
  facts.set("kernel", u.kernel);
  facts.set("kernelrelease", u.release);
  const auto parts = catalog::split_text(u.release, '.');
  facts.set("kernelmajversion", parts.size() < 2 ? parts[0] : parts[0] + "." + parts[1]);
  // The version is the first three numbers of the release, wherever they are.
  std::string version;
  int numbers = 0;
  for (size_t i = 0; i < u.release.size() && numbers < 3; ++i) {
    if (!isdigit(static_cast<unsigned char>(u.release[i]))) continue;
    if (numbers++) version += '.';
    for (; i < u.release.size() && isdigit(static_cast<unsigned char>(u.release[i])); ++i) version += u.release[i];
  }
  facts.set("kernelversion", version);
}

} // namespace pupc::runtime
