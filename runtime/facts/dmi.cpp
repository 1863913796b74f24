#include "runtime/facts/resolvers.h"

namespace pupc::runtime {

void resolve_dmi(FactSources& from, Facts& facts) {
  static constexpr std::pair<const char*, const char*> files[] = {
      {"dmi.bios.release_date", "bios_date"},
      {"dmi.bios.vendor", "bios_vendor"},
      {"dmi.bios.version", "bios_version"},
      {"dmi.board.asset_tag", "board_asset_tag"},
      {"dmi.board.manufacturer", "board_vendor"},
      {"dmi.board.product", "board_name"},
      {"dmi.board.serial_number", "board_serial"},
      {"dmi.chassis.asset_tag", "chassis_asset_tag"},
      {"dmi.manufacturer", "sys_vendor"},
      {"dmi.product.name", "product_name"},
      {"dmi.product.serial_number", "product_serial"},
      {"dmi.product.uuid", "product_uuid"},
  };
  const std::string base = "/sys/class/dmi/id/";
  if (!from.is_directory("/sys/class/dmi")) return;
  for (const auto& [fact, file] : files) facts.set(fact, from.read_stripped(base + file));
  if (auto type = from.read_stripped(base + "chassis_type")) {
    static constexpr const char* names[] = {"Other",
                                            nullptr,
                                            "Desktop",
                                            "Low Profile Desktop",
                                            "Pizza Box",
                                            "Mini Tower",
                                            "Tower",
                                            "Portable",
                                            "Laptop",
                                            "Notebook",
                                            "Hand Held",
                                            "Docking Station",
                                            "All in One",
                                            "Sub Notebook",
                                            "Space-Saving",
                                            "Lunch Box",
                                            "Main System Chassis",
                                            "Expansion Chassis",
                                            "SubChassis",
                                            "Bus Expansion Chassis",
                                            "Peripheral Chassis",
                                            "Storage Chassis",
                                            "Rack Mount Chassis",
                                            "Sealed-Case PC",
                                            "Multi-system",
                                            "CompactPCI",
                                            "AdvancedTCA",
                                            "Blade",
                                            "Blade Enclosure",
                                            "Tablet",
                                            "Convertible",
                                            "Detachable"};
    const int64_t number = leading_integer(*type);
    if (number >= 1 && number <= static_cast<int64_t>(std::size(names)) && names[number - 1])
      facts.set("dmi.chassis.type", names[number - 1]);
  }
}

} // namespace pupc::runtime
