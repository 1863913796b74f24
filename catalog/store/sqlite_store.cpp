// The store in a SQLite file. Its tables hold the documents of the nodes, the exported resources, and their tags and parameters again
// for queries.
#include "catalog/base/diagnostic.h"
#include "catalog/base/stack.h"
#include "catalog/json/json_writer.h"
#include "catalog/store/values.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <sqlite3.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace pupc::catalog {
namespace {

constexpr int busy_milliseconds = 30'000; // how long a writer waits for other writers
constexpr int schema_version = 1;

constexpr const char* schema = R"(
CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, environment TEXT NOT NULL, stored_at INTEGER NOT NULL,
                   facts TEXT NOT NULL, catalog TEXT NOT NULL);
CREATE TABLE exported (id INTEGER PRIMARY KEY, node INTEGER NOT NULL REFERENCES node ON DELETE CASCADE, position INTEGER NOT NULL,
                       type TEXT NOT NULL, title TEXT NOT NULL, parameters TEXT NOT NULL);
CREATE INDEX exported_by_type ON exported (type, title);
CREATE INDEX exported_by_node ON exported (node);
CREATE TABLE exported_tag (resource INTEGER NOT NULL REFERENCES exported ON DELETE CASCADE, tag TEXT NOT NULL,
                           PRIMARY KEY (resource, tag)) WITHOUT ROWID;
CREATE TABLE exported_parameter (resource INTEGER NOT NULL REFERENCES exported ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
                                 PRIMARY KEY (resource, name)) WITHOUT ROWID;
)";

/// A prepared statement. The destructor finalizes it.
class Statement {
public:
  Statement(sqlite3* db, const std::string& path, std::string_view sql) : db_(db), path_(path) {
    if (sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) != SQLITE_OK) fail();
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::string_view text) {
    if (sqlite3_bind_text64(statement_, ++bound_, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) !=
        SQLITE_OK)
      fail();
    return *this;
  }
  Statement& bind(int64_t number) {
    if (sqlite3_bind_int64(statement_, ++bound_, number) != SQLITE_OK) fail();
    return *this;
  }
  /// Returns true for a row, false at the end.
  bool step() {
    int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail();
    return false;
  }
  void run() {
    while (step()) {}
    again();
  }
  /// Ready for other values.
  void again() {
    sqlite3_reset(statement_);
    bound_ = 0;
  }
  std::string_view text(int column) {
    auto* p = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return p == nullptr ? std::string_view() : std::string_view(p, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
  }
  int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }

private:
  [[noreturn]] void fail() { store_failed(fmt::format("Exported resources: {}: {}", path_, sqlite3_errmsg(db_))); }

  sqlite3* db_;
  const std::string& path_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

/// Translates a query to an SQL condition on `e`. `values` holds the parameters in order.
class Condition {
public:
  Condition(Arena& scratch) : scratch_(scratch) {}
  std::string sql;
  std::vector<std::string> values;

  void add(const ExportQuery& q) {
    if (q.op == ExportQuery::Op::And || q.op == ExportQuery::Op::Or) {
      // Long chains are nested to the left. Balance them to stay within SQLite's limit for the depth of expressions.
      std::vector<const ExportQuery*> operands;
      flatten(q, q.op, operands);
      balanced(operands, q.op == ExportQuery::Op::And ? " AND " : " OR ");
      return;
    }
    if (q.negated) sql += "NOT ";
    switch (q.op) {
    case ExportQuery::Op::Title:
      if (!q.value.is_string()) {
        sql += "0";
        break;
      }
      sql += "(e.title=?)";
      values.emplace_back(q.value.str());
      break;
    case ExportQuery::Op::Tag: {
      sql += "EXISTS(SELECT 1 FROM exported_tag t WHERE t.resource=e.id AND t.tag IN (";
      for (size_t i = 0; i < q.value.items().size(); ++i) {
        sql += i > 0 ? ",?" : "?";
        values.emplace_back(q.value.items()[i].str());
      }
      sql += "))";
      break;
    }
    default:
      sql += "EXISTS(SELECT 1 FROM exported_parameter p WHERE p.resource=e.id AND p.name=? AND p.value=?)";
      values.emplace_back(q.attribute);
      values.push_back(json_text(q.value, scratch_));
    }
  }

private:
  static void flatten(const ExportQuery& q, ExportQuery::Op op, std::vector<const ExportQuery*>& out) {
    check_native_stack();
    const ExportQuery* at = &q;
    std::vector<const ExportQuery*> rights;
    for (; at->op == op; at = at->left) rights.push_back(at->right);
    out.push_back(at);
    for (auto it = rights.rbegin(); it != rights.rend(); ++it) {
      if ((*it)->op == op)
        flatten(**it, op, out);
      else
        out.push_back(*it);
    }
  }
  void balanced(std::span<const ExportQuery* const> operands, const char* join) {
    if (operands.size() == 1) return add(*operands[0]);
    sql += '(';
    balanced(operands.first(operands.size() / 2), join);
    sql += join;
    balanced(operands.subspan(operands.size() / 2), join);
    sql += ')';
  }
  Arena& scratch_;
};

bool is_trusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

/// Keeps the file private, because exported values may be secret. Creates a missing file before SQLite creates it readable for all
/// (SQLite copies the file's mode to its journal files). Removes other users' rights from an existing file. Refuses a file or link of
/// another user in a directory where other users can create one.
void keep_private(const std::string& path) {
  if (path.empty() || path == ":memory:") return;
  auto refuse = [&](const char* why) { store_failed(fmt::format("Exported resources: {}: {}", path, why)); };
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
  if (made >= 0) {
    ::fchmod(made, 0640);
    ::close(made);
    return;
  }
  if (errno != EEXIST) return; // SQLite will report the reason
  struct stat there {
  }, around{};
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::lstat(path.c_str(), &there) != 0 || ::stat(directory.c_str(), &around) != 0) return;
  if (!is_trusted(there.st_uid) && (!is_trusted(around.st_uid) || (around.st_mode & 0022) != 0)) refuse("it belongs to another user");
  // Use the name and not a descriptor: closing a descriptor of the file would drop the locks of this process's other connections.
  if (::stat(path.c_str(), &there) != 0) return;
  if (!S_ISREG(there.st_mode)) refuse("it is not a file");
  const bool closed = is_trusted(around.st_uid) && (around.st_mode & 0022) == 0;
  if (closed && there.st_uid == ::geteuid() && (there.st_mode & 0007) != 0) ::chmod(path.c_str(), there.st_mode & 07770);
}

/// Opens files for SQLite, which opens its journals (-wal, -shm) by name: where others can make files, one of theirs may have that name,
/// and would get what is stored, or tell what is stored. SQLite itself has resolved the links in the path of the store.
int open_as_ours(const char* path, int flags, int mode) {
  const int fd = ::open(path, flags | O_NOFOLLOW, mode);
  struct stat there {
  }, around{};
  if (fd < 0 || ::fstat(fd, &there) != 0 || !S_ISREG(there.st_mode) || is_trusted(there.st_uid)) return fd;
  const std::string text = path;
  const size_t slash = text.rfind('/');
  if (::stat(slash == std::string::npos ? "." : text.substr(0, slash + 1).c_str(), &around) == 0 && is_trusted(around.st_uid) &&
      (around.st_mode & 0022) == 0)
    return fd; // only we can have let it in
  ::close(fd);
  errno = EPERM;
  return -1;
}

/// Makes SQLite use open_as_ours, in the whole process.
void open_files_as_ours() {
  static const bool done = [] {
    sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
    if (vfs != nullptr && vfs->iVersion >= 3 && vfs->xSetSystemCall != nullptr)
      vfs->xSetSystemCall(vfs, "open", reinterpret_cast<sqlite3_syscall_ptr>(&open_as_ours));
    return true;
  }();
  static_cast<void>(done);
}

class SqliteStore final : public ExportStore {
public:
  explicit SqliteStore(const std::string& path) : path_(path) {
    keep_private(path);
    open_files_as_ours();
    int code = sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
      std::string why = db_ != nullptr ? sqlite3_errmsg(db_) : sqlite3_errstr(code);
      sqlite3_close(db_);
      store_failed(fmt::format("Exported resources: {}: {}", path, why));
    }
    try {
      sqlite3_busy_timeout(db_, busy_milliseconds);
      use_wal();
      // A killed process loses nothing. After a crash of the machine the last transactions may be missing, but never half of one.
      execute("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;");
      create_tables();
    } catch (...) {
      sqlite3_close(db_);
      throw;
    }
  }
  ~SqliteStore() override { sqlite3_close(db_); }

  std::set<std::string> replace(const StoredNode& node) override {
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::set<std::string> changed;
    transaction([&] {
      changed = changed_types(texts_of(node.name), type_texts(node.exported));
      if (changed.empty()) {
        query("UPDATE node SET environment=?, stored_at=?, facts=?, catalog=? WHERE name=?")
            .bind(node.environment)
            .bind(now)
            .bind(node.facts)
            .bind(node.catalog)
            .bind(node.name)
            .run();
        if (sqlite3_changes(db_) != 0) return;
      }
      query("DELETE FROM node WHERE name=?").bind(node.name).run();
      query("INSERT INTO node (name, environment, stored_at, facts, catalog) VALUES (?,?,?,?,?)")
          .bind(node.name)
          .bind(node.environment)
          .bind(now)
          .bind(node.facts)
          .bind(node.catalog)
          .run();
      const int64_t id = sqlite3_last_insert_rowid(db_);
      Statement resource(db_, path_, "INSERT INTO exported (node, position, type, title, parameters) VALUES (?,?,?,?,?)");
      Statement tag(db_, path_, "INSERT OR IGNORE INTO exported_tag (resource, tag) VALUES (?,?)");
      Statement parameter(db_, path_, "INSERT INTO exported_parameter (resource, name, value) VALUES (?,?,?)");
      for (size_t i = 0; i < node.exported.size(); ++i) {
        const StoredResource& r = node.exported[i];
        resource.bind(id).bind(static_cast<int64_t>(i)).bind(r.type).bind(r.title).bind(parameters_text(r)).run();
        const int64_t row = sqlite3_last_insert_rowid(db_);
        for (const auto& t : r.tags) tag.bind(row).bind(t).run();
        for (const auto& [name, value] : r.parameters) parameter.bind(row).bind(name).bind(value).run();
      }
    });
    return changed;
  }

  void remove(std::string_view node) override {
    std::lock_guard lock(mutex_);
    transaction([&] { query("DELETE FROM node WHERE name=?").bind(node).run(); });
  }

  std::vector<std::string> nodes() override {
    std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (Statement s(db_, path_, "SELECT name FROM node ORDER BY name"); s.step();) names.emplace_back(s.text(0));
    return names;
  }

  StoredNode node(std::string_view name) override {
    std::lock_guard lock(mutex_);
    StoredNode out;
    Statement s(db_, path_, "SELECT name, environment, facts, catalog FROM node WHERE name=?");
    if (!s.bind(name).step()) return out;
    out.name = s.text(0);
    out.environment = s.text(1);
    out.facts = s.text(2);
    out.catalog = s.text(3);
    return out;
  }

  void begin_snapshot() override {
    std::lock_guard lock(mutex_);
    execute("BEGIN");
    // In SQLite only the first read fixes the state of a transaction.
    query("SELECT count(*) FROM node").run();
    snapshot_ = std::make_unique<Snapshot>();
  }
  void end_snapshot() override {
    std::lock_guard lock(mutex_);
    execute("COMMIT");
    snapshot_.reset();
  }

  std::vector<ExportedResource> find(std::string_view type, const ExportQuery* wanted, std::string_view asking, Arena& into) override {
    Condition condition(into);
    std::string sql = "SELECT n.name, e.title, e.parameters FROM exported e JOIN node n ON n.id=e.node WHERE e.type=?";
    if (wanted != nullptr) {
      condition.add(*wanted);
      sql += " AND " + condition.sql;
    }
    std::vector<ExportedResource> found;
    const auto take = [&](const ExportedResource& resource) {
      if (resource.node != asking) found.push_back(resource);
    };
    std::unique_lock lock(mutex_);
    if (snapshot_ == nullptr) {
      for (const ExportedResource& resource : rows(sql, type, condition.values, into)) take(resource);
      return found;
    }
    // Many nodes ask the same. What they get differs only by what they exported themselves.
    std::string key = fmt::format("{}\n{}", sql, type);
    for (const std::string& value : condition.values) key += fmt::format("\n{}:{}", value.size(), value);
    auto [known, fresh] = snapshot_->answers.try_emplace(std::move(key));
    if (fresh) {
      try {
        known->second = rows(sql, type, condition.values, snapshot_->values);
      } catch (...) {
        snapshot_->answers.erase(known);
        throw;
      }
    }
    const std::vector<ExportedResource>& all = known->second; // stays until the snapshot ends
    lock.unlock();
    found.reserve(all.size());
    for (const ExportedResource& resource : all) take(resource);
    return found;
  }

private:
  /// Answers during a snapshot, with the memory of their values.
  struct Snapshot {
    Arena values;
    std::map<std::string, std::vector<ExportedResource>> answers;
  };

  /// What a node exports.
  TypeTexts texts_of(const std::string& node) {
    TypeTexts out;
    Statement s(db_, path_,
                "SELECT e.id, e.type, e.title, e.parameters FROM exported e JOIN node n ON n.id=e.node WHERE n.name=? ORDER BY e.position");
    Statement tag(db_, path_, "SELECT tag FROM exported_tag WHERE resource=?");
    s.bind(node);
    while (s.step()) {
      std::set<std::string, std::less<>> tags;
      for (tag.bind(s.integer(0)); tag.step();) tags.emplace(tag.text(0));
      tag.again();
      add_text(out, s.text(1), s.text(2), s.text(3), tags);
    }
    return out;
  }

  Statement query(std::string_view sql) { return {db_, path_, sql}; }

  std::vector<ExportedResource> rows(const std::string& sql, std::string_view type, const std::vector<std::string>& values, Arena& into) {
    std::vector<ExportedResource> found;
    Statement s(db_, path_, sql + " ORDER BY n.name, e.position");
    s.bind(type);
    for (const auto& value : values) s.bind(value);
    while (s.step()) found.push_back({into.copy(s.text(0)), into.copy(s.text(1)), parameters_from(s.text(2), into)});
    return found;
  }

  void execute(const char* sql) {
    if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      store_failed(fmt::format("Exported resources: {}: {}", path_, sqlite3_errmsg(db_)));
  }

  template <class Work> void transaction(Work work) {
    execute("BEGIN IMMEDIATE"); // waits for other writers here, so that later statements need not
    try {
      work();
      execute("COMMIT");
    } catch (...) {
      sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }

  /// Turns on write-ahead logging, so that readers do not wait for the writer. The busy timeout does not cover this switch, and many
  /// processes may make it at the same time, hence the loop.
  void use_wal() {
    for (int tries = 0;; ++tries) {
      int code = sqlite3_exec(db_, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
      if (code == SQLITE_OK) return;
      if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) || tries >= 3000)
        store_failed(fmt::format("Exported resources: {}: {}", path_, sqlite3_errmsg(db_)));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  void create_tables() {
    auto version = [&] {
      Statement s(db_, path_, "PRAGMA user_version");
      return s.step() ? s.integer(0) : 0;
    };
    if (version() == schema_version) return;
    transaction([&] {
      int64_t present = version(); // another process may have created the tables first
      if (present == schema_version) return;
      Statement any(db_, path_, "SELECT 1 FROM sqlite_master");
      if (present != 0 || any.step())
        store_failed(fmt::format("Exported resources: {} is a database, but not one that this version of pupc made", path_));
      execute(schema);
      execute(fmt::format("PRAGMA user_version={}", schema_version).c_str());
    });
  }

  std::string path_;
  sqlite3* db_ = nullptr;
  std::mutex mutex_;                   // all threads share one connection, and so a snapshot
  std::unique_ptr<Snapshot> snapshot_; // null outside of one
};

} // namespace

std::unique_ptr<ExportStore> open_sqlite_store(const std::string& path) { return std::make_unique<SqliteStore>(path); }

} // namespace pupc::catalog
