#include "runtime/facts/resolvers.h"

namespace pupc::runtime {

void resolve_identity(FactSources& from, Facts& facts) {
  const auto user = from.system.user_by_id(from.system.effective_uid());
  if (!user) return;
  facts.set("identity.gid", user->gid);
  if (auto group = from.system.group_by_id(user->gid)) facts.set("identity.group", group->name);
  facts.set("identity.privileged", user->uid == 0);
  facts.set("identity.uid", user->uid);
  facts.set("identity.user", user->name);
}

} // namespace pupc::runtime
