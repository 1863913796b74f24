// disks and partitions, from /sys/block. Labels, UUIDs and types of file systems come from udev's records: blkid and lsblk print the same.
#include "catalog/base/split_text.h"
#include "runtime/facts/resolvers.h"

#include <algorithm>

namespace pupc::runtime {

std::optional<std::string> udev_property(FactSources& from, const std::string& sys_path, std::string_view name) {
  const auto number = from.read_stripped(sys_path + "/dev");
  if (!number) return std::nullopt;
  const auto record = from.read("/run/udev/data/b" + *number);
  if (!record) return std::nullopt;
  for (const std::string& line : catalog::split_text(*record, '\n'))
    if (line.starts_with("E:") && line.compare(2, name.size(), name) == 0 && line.size() > name.size() + 2 && line[name.size() + 2] == '=')
      return line.substr(name.size() + 3);
  return std::nullopt;
}

void resolve_disks(FactSources& from, Facts& facts) {
  FactMap disks;
  for (const std::string& name : from.entries("/sys/block")) {
    const std::string path = "/sys/block/" + name;
    if (!from.exists(path + "/device")) continue;
    FactMap disk;
    auto add = [&](const char* key, const std::optional<std::string>& value) {
      if (value) disk.emplace_back(key, *value);
    };
    add("model", from.read_stripped(path + "/device/model"));
    if (auto sectors = from.read_stripped(path + "/size")) {
      const uint64_t bytes = static_cast<uint64_t>(leading_integer(*sectors)) * 512;
      disk.emplace_back("size_bytes", bytes);
      disk.emplace_back("size", human_bytes(bytes));
    }
    add("vendor", from.read_stripped(path + "/device/vendor"));
    if (auto rotational = from.read_stripped(path + "/queue/rotational")) disk.emplace_back("type", *rotational == "0" ? "ssd" : "hdd");
    auto serial = udev_property(from, path, "ID_SERIAL_SHORT");
    if (!serial) serial = udev_property(from, path, "ID_SERIAL");
    if (!serial) serial = from.read_stripped(path + "/device/serial");
    add("serial", serial);
    auto wwn = udev_property(from, path, "ID_WWN_WITH_EXTENSION");
    if (!wwn) wwn = udev_property(from, path, "ID_WWN");
    add("wwn", wwn);
    disks.emplace_back(name, std::move(disk));
  }
  if (!disks.empty()) facts.set("disks", std::move(disks));
}

namespace {

/// Decodes \xNN: udev escapes unsafe characters so.
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      out += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

void add_partition(FactSources& from, FactMap& partitions, const std::string& device, const std::string& path,
                   const std::optional<std::string>& backing = std::nullopt) {
  FactMap p;
  const uint64_t bytes = static_cast<uint64_t>(leading_integer(from.read(path + "/size").value_or("0"))) * 512;
  p.emplace_back("size_bytes", bytes);
  p.emplace_back("size", human_bytes(bytes));
  if (backing) p.emplace_back("backing_file", *backing);
  static constexpr std::pair<const char*, const char*> records[] = {{"filesystem", "ID_FS_TYPE"},
                                                                    {"uuid", "ID_FS_UUID_ENC"},
                                                                    {"label", "ID_FS_LABEL_ENC"},
                                                                    {"partuuid", "ID_PART_ENTRY_UUID"},
                                                                    {"partlabel", "ID_PART_ENTRY_NAME"}};
  for (const auto& [key, record] : records)
    if (auto value = udev_property(from, path, record)) p.emplace_back(key, unescaped(*value));
  partitions.emplace_back(device, std::move(p));
}

/// Adds the partitions below a device: subdirectories that contain the device's name and a file `partition`.
void add_partitions_below(FactSources& from, FactMap& partitions, const std::string& path, const std::string& device) {
  for (const std::string& name : from.entries(path))
    if (name.find(device) != std::string::npos && from.exists(path + "/" + name + "/partition"))
      add_partition(from, partitions, "/dev/" + name, path + "/" + name);
}

} // namespace

void resolve_partitions(FactSources& from, Facts& facts) {
  if (!from.is_directory("/sys/block")) return;
  const auto devices = from.entries("/sys/block");
  if (devices.empty()) return;
  FactMap partitions;
  for (const std::string& device : devices) {
    const std::string path = "/sys/block/" + device;
    if (from.is_directory(path + "/device")) {
      add_partitions_below(from, partitions, path, device);
    } else if (from.is_directory(path + "/dm")) {
      const auto name = from.read_stripped(path + "/dm/name");
      add_partition(from, partitions, name ? "/dev/mapper/" + *name : "/dev/" + device, path);
    } else if (from.is_directory(path + "/loop")) {
      add_partition(from, partitions, "/dev/" + device, path, from.read_stripped(path + "/loop/backing_file"));
    }
  }
  FactValue all(std::move(partitions));
  if (const FactValue* mounts = facts.find("mountpoints"); mounts && mounts->map())
    for (auto it = mounts->map()->rbegin(); it != mounts->map()->rend(); ++it) {
      const FactValue* device = it->second.find("device");
      if (!device || !device->text()) continue;
      if (FactValue* partition = all.find(*device->text())) partition->member("mount") = it->first;
    }
  facts.set("partitions", std::move(all));
}

void resolve_filesystems(FactSources& from, Facts& facts) {
  std::vector<std::string> names;
  for (const std::string& line : from.lines("/proc/filesystems")) {
    const auto words = catalog::words_of(line);
    if (words.size() == 1 && words[0] != "fuseblk") names.push_back(words[0]);
  }
  if (names.empty()) return;
  std::sort(names.begin(), names.end());
  std::string joined;
  for (const std::string& n : names) joined += (joined.empty() ? "" : ",") + n;
  facts.set("filesystems", joined);
}

} // namespace pupc::runtime
