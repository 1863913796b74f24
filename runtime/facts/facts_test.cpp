#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "runtime/facts/collect.h"
#include "runtime/facts/fact_yaml.h"
#include "runtime/facts/resolvers.h"
#include "runtime/sys/fake_system.h"
#include "runtime/sys/posix_system.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace pupc::runtime {
namespace {

class FixedProbe : public MachineProbe {
public:
  UnameFields names{"Linux", "web1", "5.14.0-362.8.1.el9_3.x86_64", "#1 SMP", "x86_64"};
  std::vector<InterfaceAddress> addresses;
  std::string signature, zone = "CET";
  std::optional<std::string> canonical;
  std::vector<std::pair<std::string, std::string>> variables;

  UnameFields uname() override { return names; }
  std::vector<InterfaceAddress> interface_addresses() override { return addresses; }
  std::optional<FilesystemSize> filesystem_size(const std::string& path) override {
    if (path == "/") return FilesystemSize{1ULL << 34, 3ULL << 32, 3ULL << 32};
    return std::nullopt;
  }
  std::optional<std::string> canonical_name(const std::string&) override { return canonical; }
  std::string time_zone() override { return zone; }
  std::string hypervisor_signature() override { return signature; }
  std::vector<std::pair<std::string, std::string>> environment(const std::string&) override { return variables; }
};

/// A fake machine with a copy of all files below the fixture directory `root`.
class FixtureSystem : public FakeSystem {
public:
  explicit FixtureSystem(const std::string& root) {
    auto real = make_posix_system();
    load(*real, root);
  }

private:
  void load(System& real, const std::string& path) {
    for (const std::string& name : real.list_directory(path)) {
      const std::string below = path + "/" + name;
      if (real.stat(below)->type == FileType::Directory)
        load(real, below);
      else
        put_file(below, real.read_file(below));
    }
  }
};

std::string text_of(const FactValue* fact) {
  if (!fact) return "missing";
  if (fact->text()) return *fact->text();
  if (auto* i = std::get_if<int64_t>(&fact->data)) return std::to_string(*i);
  if (auto* b = std::get_if<bool>(&fact->data)) return *b ? "true" : "false";
  if (fact->map()) return "map of " + std::to_string(fact->map()->size());
  if (fact->list()) return "list of " + std::to_string(fact->list()->size());
  return "other";
}

TEST(Facts, WholeMachineFromFixtures) {
  FixtureSystem system("testdata/facts/rocky9");
  system.put_user("root", 0, 0);
  system.put_group("root", 0);
  FixedProbe probe;
  probe.signature = "VMwareVMware";
  probe.addresses = {{"lo", InterfaceAddress::Link, {0, 0, 0, 0, 0, 0}, {}},
                     {"ens192", InterfaceAddress::Link, {0, 0x50, 0x56, 1, 2, 3}, {}},
                     {"lo", InterfaceAddress::Inet, {127, 0, 0, 1}, {255, 0, 0, 0}},
                     {"ens192", InterfaceAddress::Inet, {10, 0, 0, 5}, {255, 255, 255, 0}},
                     {"ens192",
                      InterfaceAddress::Inet6,
                      {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5},
                      std::vector<uint8_t>{255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}}};
  FactSources from(system, probe, "testdata/facts/rocky9");
  const Facts facts = collect_core_facts(from);
  const std::pair<const char*, const char*> expected[] = {
      {"os.name", "Rocky"},
      {"os.family", "RedHat"},
      {"os.release.full", "9.3"},
      {"os.release.major", "9"},
      {"os.release.minor", "3"},
      {"os.distro.id", "Rocky"},
      {"os.distro.codename", "Blue Onyx"},
      {"os.distro.description", "Rocky Linux release 9.3 (Blue Onyx)"},
      {"os.architecture", "x86_64"},
      {"os.selinux.enabled", "true"},
      {"os.selinux.config_mode", "enforcing"},
      {"os.selinux.config_policy", "targeted"},
      {"os.selinux.policy_version", "33"},
      {"os.selinux.current_mode", "enforcing"},
      {"kernel", "Linux"},
      {"kernelmajversion", "5.14"},
      {"kernelversion", "5.14.0"},
      {"memory.system.total_bytes", "2048000000"},
      {"memory.system.capacity", "25.00%"},
      {"memory.system.total", "1.91 GiB"},
      {"memory.swap.used", "0 bytes"},
      {"memory.swap.capacity", "0.00%"},
      {"processors.count", "2"},
      {"processors.physicalcount", "2"},
      {"processors.cores", "1"},
      {"processors.threads", "1"},
      {"processors.speed", "2.89 GHz"},
      {"processors.isa", "x86_64"},
      {"processors.models.1", "Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz"},
      {"disks.sda.model", "Virtual disk"},
      {"disks.sda.vendor", "VMware"},
      {"disks.sda.size", "16.00 GiB"},
      {"disks.sda.serial", "6000c29"},
      {"disks.sda.type", "hdd"},
      {"partitions", "map of 1"},
      {"mountpoints", "map of 2"},
      {"filesystems", "ext4,xfs"},
      {"networking.primary", "ens192"},
      {"networking.ip", "10.0.0.5"},
      {"networking.network", "10.0.0.0"},
      {"networking.mac", "00:50:56:01:02:03"},
      {"networking.mtu", "1500"},
      {"networking.dhcp", "10.0.0.1"},
      {"networking.ip6", "fe80::5"},
      {"networking.scope6", "link"},
      {"networking.interfaces.lo.mac", "missing"},
      {"networking.interfaces.lo.netmask", "255.0.0.0"},
      {"networking.interfaces.ens192.bindings6.0.flags.0", "permanent"},
      {"networking.hostname", "fake"},
      {"networking.domain", "example.com"},
      {"networking.fqdn", "fake.example.com"},
      {"dmi.manufacturer", "VMware, Inc."},
      {"dmi.chassis.type", "Other"},
      {"virtual", "vmware"},
      {"is_virtual", "true"},
      {"hypervisors.vmware", "map of 0"},
      {"system_uptime.uptime", "1 day"},
      {"system_uptime.hours", "26"},
      {"ssh.ed25519.type", "ssh-ed25519"},
      {"identity.user", "root"},
      {"identity.privileged", "true"},
      {"timezone", "CET"},
      {"fips_enabled", "false"},
      {"osfamily", "RedHat"},
      {"ipaddress_ens192", "10.0.0.5"},
      {"interfaces", "ens192,lo"},
      {"blockdevices", "sda"},
      {"uptime_days", "1"},
      {"processor0", "Intel(R) Xeon(R) Gold 6226R CPU @ 2.90GHz"},
  };
  for (const auto& [name, value] : expected) EXPECT_EQ(text_of(facts.find(name)), value) << name;
  const FactValue* partition = facts.find("partitions")->find("/dev/sda1");
  ASSERT_TRUE(partition);
  EXPECT_EQ(text_of(partition->find("label")), "my root");
  EXPECT_EQ(text_of(partition->find("mount")), "/");
  const FactValue* mount = facts.find("mountpoints")->find("/run/my dir");
  ASSERT_TRUE(mount);
  EXPECT_EQ(text_of(mount->find("capacity")), "100%");
  EXPECT_EQ(text_of(facts.find("mountpoints")->find("/")->find("capacity")), "25.00%");
}

TEST(Facts, KindsOfVirtualMachinesAndContainers) {
  struct Case {
    std::vector<std::pair<const char*, const char*>> files;
    const char* signature;
    const char* expected;
  };
  const Case cases[] = {
      {{}, "", "physical"},
      {{}, "KVMKVMKVM", "physical"}, // neither firmware nor virt-what tell
      {{{"/usr/sbin/virt-what", ""}}, "KVMKVMKVM", "kvm"},
      {{{"/sys/class/dmi/id/bios_vendor", "SeaBIOS\n"}}, "KVMKVMKVM", "kvm"},
      {{{"/proc/1/cgroup", "1:name=systemd:/docker/abc"}, {"/proc/1/environ", ""}}, "KVMKVMKVM", "docker"},
      {{{"/proc/1/cgroup", "0::/"}, {"/proc/1/environ", "container=lxc"}}, "", "lxc"},
      {{{"/proc/1/cgroup", "0::/"}, {"/proc/1/environ", "container=systemd-nspawn"}}, "", "systemd_nspawn"},
      {{{"/proc/1/cgroup", "0::/"}, {"/run/.containerenv", ""}}, "", "podman"},
      {{{"/sys/class/dmi/id/product_name", "VirtualBox\n"}}, "KVMKVMKVM", "virtualbox"},
      {{{"/sys/class/dmi/id/bios_vendor", "Google\n"}}, "KVMKVMKVM", "gce"},
      {{{"/sys/bus/pci/devices/0000:00:01.0/vendor", "0x1af4\n"}}, "", "physical"}, // without lspci
      {{{"/sys/bus/pci/devices/0000:00:01.0/vendor", "0x1af4\n"}, {"/usr/bin/lspci", ""}}, "", "kvm"},
      {{{"/dev/xen/evtchn", ""}}, "", "xen0"},
      {{{"/proc/vz/version", ""}, {"/proc/self/status", "Name:\tx\nenvID:\t101\n"}}, "", "openvzve"},
  };
  for (const Case& c : cases) {
    FakeSystem system;
    for (const auto& [path, content] : c.files) system.put_file(path, content);
    FixedProbe probe;
    probe.signature = c.signature;
    FactSources from(system, probe);
    Facts facts;
    resolve_dmi(from, facts);
    resolve_virtual(from, facts);
    EXPECT_EQ(text_of(facts.find("virtual")), c.expected);
  }
}

TEST(Facts, ReleasesOfDistributions) {
  struct Case {
    std::vector<std::pair<const char*, const char*>> files;
    const char *name, *family, *full, *major;
  };
  const Case cases[] = {
      {{{"/etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"22.04\"\n"},
        {"/etc/debian_version", "bookworm/sid\n"}},
       "Ubuntu",
       "Debian",
       "22.04",
       "22.04"},
      {{{"/etc/os-release", "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"12\"\n"}, {"/etc/debian_version", "12.05\n"}},
       "Debian",
       "Debian",
       "12.05",
       "12"},
      {{{"/etc/os-release", "NAME=\"SLES\"\nID=\"sles\"\nID_LIKE=\"suse\"\nVERSION_ID=\"15.5\"\n"}}, "SLES", "Suse", "15.5", "15"},
      {{{"/etc/os-release", "NAME=\"Arch Linux\"\nID=arch\n"}}, "Archlinux", "Archlinux", "missing", "missing"},
      {{{"/etc/os-release", "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.18.4\n"}, {"/etc/alpine-release", "3.18.4\n"}},
       "Alpine",
       "Alpine",
       "3.18.4",
       "3"},
      {{{"/etc/redhat-release", "CentOS release 6.10 (Final)\n"}}, "CentOS", "RedHat", "6.10", "6"},
  };
  for (const Case& c : cases) {
    FakeSystem system;
    for (const auto& [path, content] : c.files) system.put_file(path, content);
    FixedProbe probe;
    FactSources from(system, probe);
    Facts facts;
    resolve_os(from, facts);
    EXPECT_EQ(text_of(facts.find("os.name")), c.name);
    EXPECT_EQ(text_of(facts.find("os.family")), c.family) << c.name;
    EXPECT_EQ(text_of(facts.find("os.release.full")), c.full) << c.name;
    EXPECT_EQ(text_of(facts.find("os.release.major")), c.major) << c.name;
  }
}

TEST(Facts, ExternalFactsTheFirstCounts) {
  FakeSystem system;
  FixedProbe probe;
  system.put_file("/f/a.txt", "Foo=bar\nbaz = x=y\n=z\nname=\na.b=1\nkernel=Nope\n");
  system.put_file("/f/c.json", R"({"foo":"json","j":{"k":[1]}})");
  system.put_file("/f/d.sh", "#!", 0755);
  system.put_file("/f/broken.json", "{");
  system.put_file("/f/list.json", "[1]");
  system.put_file("/f/.hidden.txt", "hidden=1");
  system.put_file("/f/notes.conf", "x=1");
  system.put_file("/g/a.txt", "foo=second\nonly=here");
  CommandResult output;
  output.output = "foo=program\n";
  output.error_output = "oops\n";
  system.answer("/f/d.sh", output);
  probe.variables = {{"FACTER_only", "variable"}, {"HOME", "/"}};
  std::vector<std::string> logs;
  ExternalOptions options;
  options.directories = {"/f", "/missing", "/g"};
  options.log = [&](const FactMessage& m) { logs.push_back(m.message); };
  FactSources from(system, probe);
  Facts facts;
  facts.set("kernel", "Linux");
  add_external_facts(from, facts, options);
  add_environment_facts(from, facts);
  EXPECT_EQ(text_of(facts.find("foo")), "program");
  EXPECT_EQ(text_of(facts.find("kernel")), "Nope");
  EXPECT_EQ(text_of(facts.find("baz ")), " x=y");
  EXPECT_EQ(text_of(facts.find("a.b")), "1");
  EXPECT_EQ(text_of(facts.find("name")), "missing");
  EXPECT_EQ(text_of(facts.find("hidden")), "missing");
  EXPECT_EQ(text_of(facts.find("x")), "missing");
  EXPECT_EQ(text_of(facts.find("j.k.0")), "1");
  EXPECT_EQ(text_of(facts.find("only")), "variable");
  ASSERT_EQ(logs.size(), 3u);
  EXPECT_EQ(logs[0], "Could not interpret fact file /f/list.json");
  EXPECT_EQ(logs[1], "Command /f/d.sh completed with the following stderr message: oops");
  EXPECT_NE(logs[2].find("Failed to handle /f/broken.json as LegacyFacter::Util::Parser::JsonParser facts: "), std::string::npos);
}

TEST(Facts, SizesAsText) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1023), "1023 bytes");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(1048575), "1.00 MiB");
  EXPECT_EQ(human_bytes(274877906944), "256.00 GiB");
  EXPECT_EQ(human_hertz(2450000000), "2.45 GHz");
  EXPECT_EQ(human_hertz(999000000), "999.00 MHz");
}

TEST(Facts, Yaml) {
  Facts facts;
  facts.set("a.n", "6.18");
  facts.set("a.list", FactList{"yes", "x86", FactMap{{"k", 1}, {"h", "h"}}});
  facts.set("b", 1.5);
  facts.set("c", "/dev/vda");
  facts.set("d", "0x1af4");
  facts.set("e", FactMap{});
  Arena arena;
  std::string out;
  write_fact_yaml(facts.to_value(arena, false), out);
  EXPECT_EQ(out, "a:\n  list:\n  - \"yes\"\n  - x86\n  - k: 1\n    h: h\n  n: '6.18'\nb: 1.5\nc: \"/dev/vda\"\nd: '0x1af4'\ne: {}\n");
}

} // namespace
} // namespace pupc::runtime
