#pragma once
// The base class of types whose resources are lines of a file that others edit as well: hosts, fstab, crontabs, keys, aliases. As in
// Puppet, the handler reads the files once, when the first resource of the type is evaluated, and a change rewrites all lines of a file.
// Lines that no resource manages come out in the type's own form (tabs, blanks); comments and blank lines stay as they were.
#include "runtime/provider/parsed/file_record.h"
#include "runtime/provider/property_handler.h"

#include <set>
#include <unordered_map>

namespace pupc::runtime {

class ParsedFileHandler : public PropertyHandler {
public:
  std::string key(const ManagedResource& resource) const override { return resource.name("name"); }
  /// Reads all targets and finds each resource's record. Throws ResourceError for a file that it cannot read or a line that it cannot
  /// parse.
  void prefetch(std::span<ManagedResource* const> resources, RunContext& run) override;
  Present retrieve(ManagedResource& resource, RunContext& run) override;
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override;
  /// Writes the targets that create, destroy and set have marked as modified.
  void flush(ManagedResource& resource, const Present& present, RunContext& run) override;

protected:
  using Records = std::vector<std::shared_ptr<FileRecord>>;

  // -- what a type defines about its file
  virtual std::string_view type_name() const = 0;
  virtual std::string default_target(RunContext& run) const = 0;
  /// The wanted `target`; empty = not known yet.
  virtual std::string target_of(const ManagedResource& resource, RunContext& run) const {
    return resource.text("target", default_target(run));
  }
  /// The targets in which purging looks for resources.
  virtual std::vector<std::string> targets_of_instances(RunContext& run) const { return {default_target(run)}; }
  /// Parses a line to a record; nothing when the line is invalid. Throws ResourceError.
  virtual std::optional<FileRecord> parse_line(const std::string& line) const = 0;
  /// Called with all records of a target after reading, so that a type can combine or name them.
  virtual void after_reading(Records&, const std::string&) {}
  /// Formats a record without its last line end. Throws ResourceError when a required field is missing.
  virtual std::string to_line(const FileRecord& record) const = 0;
  virtual std::string header(RunContext& run) const;
  /// The whole text of a target with the header.
  virtual std::string to_file(const std::vector<std::string>& lines, RunContext& run) const;
  /// Whether the lines themselves hold the property: it is then absent when a record lacks it. Any other unknown property counts as in
  /// sync.
  virtual bool in_line(std::string_view property) const = 0;
  virtual bool is_list(std::string_view property) const = 0;
  virtual uint32_t new_file_mode() const { return 0600; }
  /// The title of the resource that manages a record.
  virtual std::string title_of(const FileRecord& record) const { return record.text("name").value_or(""); }
  virtual std::span<const std::string_view> key_fields() const;
  /// Whether a record with a resource's name belongs to that resource.
  virtual bool is_record_of(const ManagedResource&, const FileRecord&, RunContext&) const { return true; }
  /// The resource that manages a record for which no resource has the same name; null = none.
  virtual ManagedResource* adopts(const FileRecord&, std::span<ManagedResource* const>, RunContext&) const { return nullptr; }

  // -- reading and writing a target; cron overrides these to call the program crontab
  /// The text of a target; nothing when it does not exist. Throws ResourceError.
  virtual std::optional<std::string> read_target(const std::string& target, RunContext& run);
  virtual void write_target(const ManagedResource& resource, const std::string& target, const std::string& content, RunContext& run);
  /// Copies a target into the filebucket; called before the first write of the target.
  virtual void back_up_target(const std::string& target, RunContext& run);

  // -- PropertyHandler
  std::span<const std::string_view> reasons_to_exist() const override { return properties(); }
  bool in_sync(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should, RunContext& run) override;
  PropertyChange describe(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override;
  void create(ManagedResource& resource, const Present& present, RunContext& run) override;
  void destroy(ManagedResource& resource, const Present& present, RunContext& run) override;
  void set(ManagedResource& resource, const Present& present, std::string_view property, RunContext& run) override;

  /// Throws ResourceError for a value with a line break: the rest would be a record that nobody declared.
  void refuse_line_breaks(const ManagedResource& resource) const;
  /// The record of a resource; a new, absent one when no line was read for it.
  FileRecord& record_of(const ManagedResource& resource);
  /// Marks the record's present target and the resource's wanted target for writing.
  void mark(const ManagedResource& resource, const FileRecord& record, RunContext& run);
  Value field_value(const FileRecord& record, std::string_view property, const ManagedResource& resource, RunContext& run) const;
  /// The wanted value of a property as a field; nothing when the resource does not set it.
  virtual std::optional<RecordField> wanted_field(const ManagedResource& resource, std::string_view property, RunContext& run) const;

private:
  Records read_records(const std::string& target, RunContext& run);
  void write_records(const ManagedResource& resource, const std::string& target, RunContext& run);

  Records records_; // the records of all targets with the changes so far
  std::unordered_map<const ManagedResource*, std::shared_ptr<FileRecord>> of_resource_;
  std::set<std::string> modified_;  // targets
  std::set<std::string> backed_up_; // targets
};

/// Returns the text unchanged. Throws ResourceError when it is no valid UTF-8.
std::optional<std::string> check_encoding(std::optional<std::string> text);

/// The present local time for headers, like "2026-11-21 09:46:00 +0000".
std::string time_text(RunContext& run);

/// Joins the texts of fields with `joiner`. An absent field in `optional` becomes empty; any other absent field throws ResourceError.
std::string join_fields(const FileRecord& record, std::span<const std::string_view> fields, std::span<const std::string_view> optional,
                        std::string_view joiner);

} // namespace pupc::runtime
