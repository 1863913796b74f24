#include "runtime/sys/become.h"

#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace pupc::runtime {

Identity identity_of(const User& user, std::optional<uint32_t> gid) {
  Identity out;
  out.uid = user.uid;
  out.gid = gid.value_or(user.gid);
  int count = 64;
  out.groups.resize(static_cast<size_t>(count));
  while (::getgrouplist(user.name.c_str(), user.gid, out.groups.data(), &count) < 0) out.groups.resize(static_cast<size_t>(count));
  out.groups.resize(static_cast<size_t>(count));
  return out;
}

BecomeStep become(const Identity& identity) {
  if (!identity.uid && !identity.gid) return BecomeStep::None;
  // Until exec the child holds a copy of this process's memory: the new user must not be able to read it.
  if (identity.uid) ::prctl(PR_SET_DUMPABLE, 0);
  if (::geteuid() == 0 && ::setgroups(identity.groups.size(), identity.groups.data()) != 0) return BecomeStep::Groups;
  if (identity.gid && ::setresgid(*identity.gid, *identity.gid, *identity.gid) != 0) return BecomeStep::Group;
  if (identity.uid && ::setresuid(*identity.uid, *identity.uid, *identity.uid) != 0) return BecomeStep::User;
  return BecomeStep::None;
}

} // namespace pupc::runtime
