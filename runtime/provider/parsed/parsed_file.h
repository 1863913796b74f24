#pragma once
// Types whose resources are lines of a file that others write to as well: hosts, fstab, crontabs, keys, aliases. Lines that no resource manages
// are kept byte for byte; the reference writes them anew in its own form.
#include "runtime/provider/property_handler.h"

#include <map>

namespace pupc {

/// Fields of a record by property; no entry = absent. Lists have one text for each element.
using RecordFields = std::map<std::string, std::vector<std::string>, std::less<>>;

struct FileEntry {
  std::string raw; // with its line ends
  std::optional<RecordFields> record;
};

class ParsedFileHandler : public PropertyHandler {
public:
  std::string key(const ManagedResource& resource) const override { return resource.name("name"); }
  Present retrieve(ManagedResource& resource, RunContext& run) override;
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override;

protected:
  // -- what a type says of its file
  virtual std::string_view type_name() const = 0;
  virtual std::string default_target(RunContext& run) const = 0;
  /// The file that the resource is in.
  virtual std::string target_of(const ManagedResource& resource, RunContext& run) const { return resource.text("target", default_target(run)); }
  /// A line's record with "name"; nothing when no resource can stand for it (comments, blank lines).
  virtual std::optional<RecordFields> parse_line(const std::string& line) const = 0;
  /// The record as text, without the last line end. Throws ResourceError when something is missing.
  virtual std::string format(const RecordFields& record) const = 0;
  virtual bool is_list(std::string_view property) const = 0;
  virtual bool belongs(const ManagedResource& resource, const RecordFields& record) const;
  virtual std::string header(RunContext& run) const;
  virtual std::vector<FileEntry> parse(const std::string& content) const;
  virtual uint32_t new_file_mode() const { return 0644; }
  /// Title of a record's resource, for purging.
  virtual std::string title_of(const RecordFields& record) const { return record.at("name").at(0); }
  virtual void complete(const ManagedResource& resource, RecordFields& record, RunContext& run) const;

  // -- reading and writing a target; crontabs go through a program
  virtual std::string read_target(const ManagedResource* resource, const std::string& target, RunContext& run);
  virtual void write_target(const ManagedResource& resource, const std::string& target, const std::string& content, RunContext& run);

  // -- PropertyHandler
  bool in_sync(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should, RunContext& run) override;
  void create(ManagedResource& resource, const Present& present, RunContext& run) override;
  void destroy(ManagedResource& resource, const Present& present, RunContext& run) override;
  void set(ManagedResource& resource, const Present& present, std::string_view property, RunContext& run) override;
  /// Writes what create, destroy and set have changed.
  void flush(ManagedResource& resource, const Present& present, RunContext& run) override;

  /// What is known of a resource between the steps; made by retrieve.
  struct Work {
    std::string target;
    std::optional<RecordFields> record; // as it is to be; nothing = gone
    bool there = false;                 // in the file
  };
  static Work& work_of(const Present& present) { return *static_cast<Work*>(present.detail.get()); }
  Value field_value(const RecordFields& record, std::string_view property, RunContext& run) const;

private:
  /// Index of the resource's entry, or the size.
  size_t find(const ManagedResource& resource, const std::vector<FileEntry>& entries) const;
};

/// "2026-11-21 09:46:00 +0000", the clock of the machine in its zone, as headers show it.
std::string time_text(RunContext& run);

} // namespace pupc
