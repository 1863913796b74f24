// virtual, is_virtual, hypervisors, cloud. Puppet runs the script virt-what, which is slow. The CPUID instruction, the devices in /sys and
// the traces of container engines give the same answer.
#include "catalog/base/split_text.h"
#include "runtime/facts/resolvers.h"

#include <algorithm>

namespace pupc::runtime {
namespace {

bool contains(const std::optional<std::string>& text, std::string_view part) { return text && text->find(part) != std::string::npos; }

struct Container {
  std::string kind;
  FactMap details;
  bool known_by_file = false; // detected by a file: Puppet does not list it under hypervisors
};

std::optional<Container> find_container(FactSources& from) {
  const auto cgroup = from.read("/proc/1/cgroup");
  const auto environment = from.read("/proc/1/environ");
  if (!cgroup) return std::nullopt;
  std::optional<Container> found;
  if (auto id = after(*cgroup, "docker/"); id && !id->empty()) found = Container{"docker", {{"id", *id}}, false};
  for (const std::string& line : catalog::split_text(*cgroup, '\n'))
    if (line.starts_with("/lxc/")) {
      const std::string name = line.substr(5);
      found = Container{"lxc", {{"name", name.substr(0, name.find('/'))}}, false};
      break;
    }
  if (contains(environment, "container=lxc") && !(found && found->kind == "lxc")) found = Container{"lxc", {}, false};
  if (!found && contains(environment, "container=systemd-nspawn")) {
    found = Container{"systemd_nspawn", {}, false};
    if (auto id = from.read_stripped("/etc/machine-id")) found->details.emplace_back("id", *id);
  }
  // Control groups version 2 do not name the container, but the engines leave a file.
  if (!found && from.exists("/.dockerenv")) found = Container{"docker", {}, true};
  if (!found && from.exists("/run/.containerenv")) found = Container{"podman", {}, true};
  return found;
}

std::string by_product(const std::optional<std::string>& product) {
  static constexpr std::pair<std::string_view, const char*> names[] = {{"VMware", "vmware"},
                                                                       {"VirtualBox", "virtualbox"},
                                                                       {"Parallels", "parallels"},
                                                                       {"KVM", "kvm"},
                                                                       {"Virtual Machine", "hyperv"},
                                                                       {"RHEV Hypervisor", "rhev"},
                                                                       {"oVirt Node", "ovirt"},
                                                                       {"HVM domU", "xenhvm"},
                                                                       {"Bochs", "bochs"},
                                                                       {"OpenBSD", "vmm"},
                                                                       {"BHYVE", "bhyve"}};
  for (const auto& [key, name] : names)
    if (contains(product, key)) return name;
  return {};
}

std::string by_signature(const std::string& signature) {
  static constexpr std::pair<std::string_view, const char*> names[] = {
      {"KVMKVMKVM", "kvm"},          {"VMwareVMware", "vmware"}, {"Microsoft Hv", "hyperv"},     {"XenVMMXenVMM", "xenhvm"},
      {"bhyve bhyve ", "bhyve"},     {"TCGTCGTCGTCG", "qemu"},   {"VBoxVBoxVBox", "virtualbox"}, {" lrpepyh vr", "parallels"},
      {" prl hyperv ", "parallels"}, {"OpenBSDVMM58", "vmm"}};
  for (const auto& [key, name] : names)
    if (signature == key) return name;
  return {};
}

/// The hypervisor by PCI vendor: Puppet looks for these vendors in lspci's output.
std::string by_devices(FactSources& from) {
  static constexpr std::pair<std::string_view, const char*> vendors[] = {{"0x80ee", "virtualbox"}, {"0x5853", "xenhvm"},
                                                                         {"0x1414", "hyperv"},     {"0x15ad", "vmware"},
                                                                         {"0x1ab8", "parallels"},  {"0x1af4", "kvm"}};
  for (const std::string& device : from.entries("/sys/bus/pci/devices")) {
    const auto vendor = from.read_stripped("/sys/bus/pci/devices/" + device + "/vendor");
    for (const auto& [id, name] : vendors)
      if (vendor == id) return name;
  }
  return {};
}

struct OpenVz {
  std::string kind;
  int64_t id = 0;
};

/// A field of /proc/self/status.
std::optional<std::string> status_field(FactSources& from, std::string_view name) {
  for (const std::string& line : from.lines("/proc/self/status")) {
    const auto words = catalog::words_of(line);
    if (words.size() == 2 && words[0] == name) return words[1];
  }
  return std::nullopt;
}

std::optional<OpenVz> find_openvz(FactSources& from) {
  if (!from.is_directory("/proc/vz") || from.exists("/proc/lve/list") || from.entries("/proc/vz").empty()) return std::nullopt;
  const auto id = status_field(from, "envID:");
  if (!id) return std::nullopt;
  return OpenVz{*id == "0" ? "openvzhn" : "openvzve", leading_integer(*id)};
}

/// Whether a program is where Facter looks for it.
bool has_program(FactSources& from, std::string_view name) {
  static constexpr std::string_view directories[] = {"/usr/sbin", "/usr/bin",        "/sbin",
                                                     "/bin",      "/usr/local/sbin", "/opt/puppetlabs/puppet/bin"};
  return std::any_of(std::begin(directories), std::end(directories),
                     [&](std::string_view directory) { return from.exists(std::string(directory) + "/" + std::string(name)); });
}

std::string find_xen(FactSources& from) {
  if (from.exists("/dev/xen/evtchn")) return "xen0";
  if (from.exists("/proc/xen") || from.exists("/dev/xvda1")) return "xenu";
  return {};
}

} // namespace

void resolve_virtual(FactSources& from, Facts& facts) {
  const auto bios = facts.text("dmi.bios.vendor"), product = facts.text("dmi.product.name"), maker = facts.text("dmi.manufacturer");
  const auto container = find_container(from);
  const auto openvz = find_openvz(from);
  // Facter asks the processor through virt-what alone, which its packages bring, and the devices through lspci. A machine that has neither,
  // nor firmware that tells of itself, is physical for Puppet.
  const bool asks_processor = bios || product || maker || has_program(from, "virt-what");
  const std::string signature = asks_processor ? by_signature(from.probe.hypervisor_signature()) : "";
  const std::string devices = asks_processor || has_program(from, "lspci") ? by_devices(from) : "";
  const std::string named = by_product(product);

  std::string kind;
  if (container)
    kind = container->kind;
  else if (contains(bios, "Google"))
    kind = "gce";
  else if (openvz)
    kind = openvz->kind;
  else if (auto context = status_field(from, "VxID:"))
    kind = *context == "0" ? "vserver_host" : "vserver";
  else if (const std::string xen = find_xen(from); !xen.empty() && signature.empty())
    kind = xen;
  else if (contains(bios, "Amazon EC2"))
    kind = "kvm";
  else if (!named.empty() && (signature.empty() || signature == "kvm" || signature == "qemu"))
    kind = named;
  else if (!signature.empty())
    kind = signature;
  else if (!devices.empty())
    kind = devices;
  else
    kind = "physical";

  static constexpr std::string_view physical[] = {"physical", "xen0", "vmware_server", "vmware_workstation", "openvzhn", "vserver_host"};
  facts.set("virtual", kind);
  facts.set("is_virtual", std::find(std::begin(physical), std::end(physical), kind) == std::end(physical));

  FactMap hypervisors;
  if (container && !container->known_by_file) hypervisors.emplace_back(container->kind, container->details);
  if (contains(maker, "Microsoft") || product == "Virtual Machine") hypervisors.emplace_back("hyperv", FactMap{});
  const bool is_kvm = signature == "kvm" || devices == "kvm" || contains(bios, "Amazon EC2") || contains(bios, "Google") ||
                      contains(product, "OpenStack");
  if (is_kvm && named != "virtualbox" && named != "parallels") {
    FactMap provider;
    if (maker == "Google") provider.emplace_back("google", true);
    if (maker && maker->starts_with("OpenStack")) provider.emplace_back("openstack", true);
    if (maker && maker->starts_with("Amazon")) provider.emplace_back("amazon", true);
    hypervisors.emplace_back("kvm", std::move(provider));
  }
  if (openvz) hypervisors.emplace_back("openvz", FactMap{{"id", openvz->id}, {"host", openvz->kind == "openvzhn"}});
  if (product == "VirtualBox" || signature == "virtualbox" || devices == "virtualbox") hypervisors.emplace_back("virtualbox", FactMap{});
  if (signature == "vmware" || product == "VMware" || devices == "vmware" || maker == "VMware, Inc.")
    hypervisors.emplace_back("vmware", FactMap{});
  if (kind.find("xen") != std::string::npos) {
    const bool privileged = from.read_stripped("/proc/xen/capabilities") == "control_d" || find_xen(from) == "xen0";
    hypervisors.emplace_back("xen",
                             FactMap{{"context", named == "xenhvm" || devices == "xenhvm" ? "hvm" : "pv"}, {"privileged", privileged}});
  }
  if (!hypervisors.empty()) facts.set("hypervisors", std::move(hypervisors));

  // Puppet asks the metadata services of the clouds. The firmware's texts tell the same without network access.
  if (kind == "gce")
    facts.set("cloud.provider", "gce");
  else if (kind == "hyperv" && facts.text("dmi.chassis.asset_tag") == "7783-7084-3265-9085-8269-3286-77")
    facts.set("cloud.provider", "azure");
  else if ((kind == "kvm" || kind.starts_with("xen")) && (contains(bios, "Amazon EC2") || contains(maker, "Amazon EC2")))
    facts.set("cloud.provider", "aws");
}

} // namespace pupc::runtime
