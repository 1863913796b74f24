// os: name, family, release and distro from /etc/os-release and the release files of the families.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/facts/resolvers.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

namespace pupc::runtime {
namespace {

std::string capitalized(std::string_view s) {
  std::string out = ascii_lower(s);
  if (!out.empty()) out[0] = static_cast<char>(toupper(static_cast<unsigned char>(out[0])));
  return out;
}

bool begins_with_any(const std::string& s, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return s.starts_with(b); });
}

struct Family {
  std::string_view name;
  std::initializer_list<std::string_view> members;
};
const Family families[] = {
    {"RedHat",
     {"redhat", "rhel", "fedora", "centos", "scientific", "ascendos", "cloudlinux", "psbm", "oraclelinux", "ovs", "oel", "amazon",
      "xenserver", "xcp-ng", "virtuozzo", "photon", "mariner"}},
    {"Debian", {"debian", "ubuntu", "huaweios", "linuxmint", "devuan", "kde"}},
    {"Suse", {"sles", "sled", "suse"}},
    {"Gentoo", {"gentoo"}},
    {"Archlinux", {"arch", "manjaro"}},
    {"Mandrake", {"mandrake", "mandriva", "mageia"}},
};

std::string family_of(const std::string& id) {
  const std::string low = ascii_lower(id);
  for (const Family& f : families)
    for (const std::string_view m : f.members)
      if (low.find(m) != std::string::npos) return std::string(f.name);
  return id;
}

using Fields = std::map<std::string, std::string>;

Fields read_os_release(FactSources& from) {
  Fields out;
  for (const std::string& line : from.lines("/etc/os-release")) {
    std::string text(trimmed(line, ruby_blanks));
    std::erase(text, '"');
    const size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    out[ascii_lower(text.substr(0, equals))] = text.substr(equals + 1);
  }
  return out;
}

std::string os_name(std::string name) {
  const std::string low = ascii_lower(name);
  const auto words = catalog::words_of(name);
  if (words.empty()) return name;
  if (begins_with_any(low, {"red", "oracle", "arch", "manjaro"}))
    name = words[0] + (words.size() > 1 ? words[1] : "");
  else if (low.ends_with("mariner"))
    name = words.back();
  else
    name = words[0];
  const std::string joined = ascii_lower(name);
  if (begins_with_any(joined, {"arch", "manjaro"})) name = capitalized(name);
  if (joined.starts_with("virtuozzo")) name += "Linux";
  return name;
}

FactValue release_of(const std::string& full) {
  const auto parts = catalog::split_text(full, '.');
  FactMap m{{"full", full}, {"major", parts[0]}};
  if (parts.size() > 1) m.emplace_back("minor", parts[1]);
  return m;
}

FactValue debian_release(const std::string& full) {
  const auto parts = catalog::split_text(full, '.');
  FactMap m{{"full", full}, {"major", parts[0]}};
  if (parts.size() > 1) {
    const std::string& minor = parts[1];
    const bool zero = minor.size() > 1 && minor[0] == '0' && minor[1] >= '1' && minor[1] <= '9';
    m.emplace_back("minor", zero ? minor.substr(1) : minor);
  }
  return m;
}

struct RedHatRelease {
  std::string name, version, description, distributor;
  std::optional<std::string> codename;
};

std::optional<RedHatRelease> read_redhat_release(FactSources& from) {
  auto text = from.read_stripped("/etc/redhat-release");
  if (!text) return std::nullopt;
  RedHatRelease r;
  r.description = *text;
  const size_t release = text->find("release");
  std::vector<std::string> words = catalog::words_of(std::string_view(*text).substr(0, release));
  std::erase_if(words, [](const std::string& w) { return ascii_lower(w) == "linux"; });
  for (size_t i = 0; i < words.size(); ++i) {
    r.distributor += words[i];
    if (i < 2) r.name += words[i];
  }
  if (release != std::string::npos) {
    const std::string_view rest = std::string_view(*text).substr(release + 7);
    const auto parts = catalog::words_of(rest);
    if (!parts.empty()) r.version = parts[0];
    const size_t open = rest.find('('), close = rest.rfind(')');
    if (open != std::string_view::npos && close != std::string_view::npos && close > open + 1)
      r.codename = std::string(rest.substr(open + 1, close - open - 1));
  }
  return r;
}

/// The codename of a release: the text in parentheses of "12 (bookworm)", else the first of two words.
std::optional<std::string> codename_of(const Fields& os) {
  if (auto it = os.find("version_codename"); it != os.end()) return it->second;
  auto it = os.find("version");
  if (it == os.end()) return std::nullopt;
  const std::string& v = it->second;
  const size_t open = v.find('(');
  if (open != std::string::npos && v.ends_with(')')) {
    std::string name = v.substr(open);
    std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
    if (!name.empty()) return name;
  }
  const auto words = catalog::words_of(v);
  for (size_t i = 0; i + 1 < words.size(); ++i)
    if (isalpha(static_cast<unsigned char>(words[i].back())) && isalpha(static_cast<unsigned char>(words[i + 1][0])))
      return ascii_lower(words[i]);
  return std::nullopt;
}

} // namespace

void resolve_os(FactSources& from, Facts& facts) {
  Fields os = read_os_release(from);
  auto field = [&](const char* name) -> std::optional<std::string> {
    auto it = os.find(name);
    return it == os.end() ? std::nullopt : std::optional(it->second);
  };
  std::string version = field("version_id").value_or("");
  if (!version.empty() && version.find('.') == std::string::npos) version += ".0";
  std::string id = field("id").value_or("");
  if (ascii_lower(id).find("opensuse") != std::string::npos) id = "opensuse";
  const auto redhat = read_redhat_release(from);
  if (id.empty() && redhat) id = "rhel";
  if (from.exists("/etc/devuan_version")) id = "devuan";
  const std::string family = family_of(field("id_like").value_or(id));
  const bool is_redhat = family == "RedHat" || (id.empty() && redhat);

  std::optional<std::string> name;
  if (field("name")) name = os_name(*field("name"));
  if (!name && redhat) name = redhat->name;
  facts.set("os.name", name);
  if (!family.empty()) facts.set("os.family", is_redhat ? "RedHat" : capitalized(family));

  const UnameFields u = from.probe.uname();
  std::string architecture = u.machine;
  if (family == "Debian" && architecture == "x86_64") architecture = "amd64";
  if (architecture.size() == 4 && architecture[0] == 'i' && architecture.ends_with("86")) architecture = "i386";
  facts.set("os.architecture", architecture);
  facts.set("os.hardware", u.machine);

  const std::optional<std::string> pretty = field("pretty_name");
  if (is_redhat && id != "amzn") {
    const std::string full = redhat && !redhat->version.empty() ? redhat->version : version;
    if (!full.empty()) {
      facts.set("os.release", release_of(full));
      facts.set("os.distro.release", release_of(full));
    }
    if (redhat) {
      facts.set("os.distro.codename", redhat->codename);
      facts.set("os.distro.description", redhat->description);
      facts.set("os.distro.id", redhat->distributor);
    }
    return;
  }
  if (id == "ubuntu" || id == "linuxmint") {
    if (!version.empty()) {
      const FactMap release{{"full", field("version_id").value_or(version)}, {"major", field("version_id").value_or(version)}};
      facts.set("os.release", release);
      facts.set("os.distro.release", release);
    }
  } else if (family == "Debian") {
    if (auto debian = from.read_stripped("/etc/debian_version")) {
      facts.set("os.release", debian_release(*debian));
      facts.set("os.distro.release", debian_release(*debian));
    }
  } else if (id == "alpine") {
    const std::string full = from.read_stripped("/etc/alpine-release").value_or(version);
    if (!full.empty()) facts.set("os.release", release_of(full));
  } else if (id == "amzn") {
    if (!version.empty()) {
      const std::string raw = field("version_id").value_or(version);
      facts.set("os.release", release_of(raw));
      facts.set("os.distro.release", release_of(raw));
    }
  } else if (family == "Suse") {
    const auto parts = catalog::split_text(version, '.');
    if (!version.empty()) {
      const FactMap release{{"full", version}, {"major", parts.front()}, {"minor", parts.back()}};
      facts.set("os.release", release);
      facts.set("os.distro.release", release);
    }
  } else if (!version.empty()) {
    facts.set("os.release", FactMap{{"full", version}, {"major", version}});
  }
  facts.set("os.distro.codename", codename_of(os));
  facts.set("os.distro.description", pretty);
  if (!id.empty()) facts.set("os.distro.id", capitalized(id));
}

} // namespace pupc::runtime
