#pragma once
// Types whose resources are lines of a file that others write to as well: hosts, fstab, crontabs, keys, aliases. As in Puppet, the
// files are read once, when the first resource of the type is evaluated, and a change writes all lines of a file anew in the type's own
// form: what no resource manages comes out normalised (tabs, blanks), comments and blank lines as they were.
#include "runtime/provider/parsed/file_record.h"
#include "runtime/provider/property_handler.h"

#include <set>
#include <unordered_map>

namespace pupc {

class ParsedFileHandler : public PropertyHandler {
public:
  std::string key(const ManagedResource& resource) const override { return resource.name("name"); }
  /// Reads all targets and finds each resource's record. Throws ResourceError when a file cannot be read or a line is none of the type's.
  void prefetch(std::span<ManagedResource* const> resources, RunContext& run) override;
  Present retrieve(ManagedResource& resource, RunContext& run) override;
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override;
  /// Writes the targets that create, destroy and set have marked.
  void flush(ManagedResource& resource, const Present& present, RunContext& run) override;

protected:
  using Records = std::vector<std::shared_ptr<FileRecord>>;

  // -- what a type says of its file
  virtual std::string_view type_name() const = 0;
  virtual std::string default_target(RunContext& run) const = 0;
  /// What `target` should be; empty = not known yet.
  virtual std::string target_of(const ManagedResource& resource, RunContext& run) const {
    return resource.text("target", default_target(run));
  }
  /// Where resources to be purged are looked for.
  virtual std::vector<std::string> targets_of_instances(RunContext& run) const { return {default_target(run)}; }
  /// A line as a record; nothing when it is none. Throws ResourceError.
  virtual std::optional<FileRecord> parse_line(const std::string& line) const = 0;
  /// What a type does with a target's records after they were read.
  virtual void after_reading(Records&, const std::string&) {}
  /// The record as text, without the last line end. Throws ResourceError when something is missing.
  virtual std::string to_line(const FileRecord& record) const = 0;
  virtual std::string header(RunContext& run) const;
  /// All of a target's text, the header included.
  virtual std::string to_file(const std::vector<std::string>& lines, RunContext& run) const;
  /// Properties that lines of the file have by themselves: such a record has it, or it is absent. Others, when unknown, count as right.
  virtual bool in_line(std::string_view property) const = 0;
  virtual bool is_list(std::string_view property) const = 0;
  virtual uint32_t new_file_mode() const { return 0600; }
  /// The attributes that name a resource, as a record has them.
  virtual std::string title_of(const FileRecord& record) const { return record.text("name").value_or(""); }
  virtual std::span<const std::string_view> key_fields() const;
  /// Whether a record with a resource's name is the resource's.
  virtual bool is_record_of(const ManagedResource&, const FileRecord&, RunContext&) const { return true; }
  /// The resource that a record without a resource of its name stands for; null = none.
  virtual ManagedResource* adopts(const FileRecord&, std::span<ManagedResource* const>, RunContext&) const { return nullptr; }

  // -- reading and writing a target; crontabs go through a program
  /// Its text; nothing when it does not exist. Throws ResourceError.
  virtual std::optional<std::string> read_target(const std::string& target, RunContext& run);
  virtual void write_target(const ManagedResource& resource, const std::string& target, const std::string& content, RunContext& run);
  /// A copy into the filebucket, before a target is written for the first time.
  virtual void back_up_target(const std::string& target, RunContext& run);

  // -- PropertyHandler
  bool in_sync(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should, RunContext& run) override;
  PropertyChange describe(const ManagedResource& resource, std::string_view property, const Value& is, const Value& should,
                          RunContext& run) override;
  void create(ManagedResource& resource, const Present& present, RunContext& run) override;
  void destroy(ManagedResource& resource, const Present& present, RunContext& run) override;
  void set(ManagedResource& resource, const Present& present, std::string_view property, RunContext& run) override;

  /// The record that stands for a resource; a new one that is absent when none was read.
  FileRecord& record_of(const ManagedResource& resource);
  /// The targets that hold a record, now and when it is as the resource wants it, are to be written.
  void mark(const ManagedResource& resource, const FileRecord& record, RunContext& run);
  Value field_value(const FileRecord& record, std::string_view property, const ManagedResource& resource, RunContext& run) const;
  /// The wanted value of a property as a field; nothing when the resource does not say.
  virtual std::optional<RecordField> wanted_field(const ManagedResource& resource, std::string_view property, RunContext& run) const;

private:
  Records read_records(const std::string& target, RunContext& run);
  void write_records(const ManagedResource& resource, const std::string& target, RunContext& run);

  Records records_; // of all targets, as they were read and changed since
  std::unordered_map<const ManagedResource*, std::shared_ptr<FileRecord>> of_resource_;
  std::set<std::string> modified_;  // targets
  std::set<std::string> backed_up_; // targets
};

/// The text of a target, if it is one. Throws ResourceError for bytes that are no UTF-8.
std::optional<std::string> check_encoding(std::optional<std::string> text);

/// "2026-11-21 09:46:00 +0000", the clock of the machine in its zone, as headers show it.
std::string time_text(RunContext& run);

/// The fields' texts with `joiner` between them. Absent ones become empty when they are among `optional`, else ResourceError.
std::string join_fields(const FileRecord& record, std::span<const std::string_view> fields, std::span<const std::string_view> optional,
                        std::string_view joiner);

} // namespace pupc
