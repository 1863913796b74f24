// Answers queries in PuppetDB's language from a store: the part of it that a store of facts and catalogs can answer as PuppetDB does.
#include "catalog/base/stack.h"
#include "catalog/json/json_reader.h"
#include "catalog/store/pql.h"
#include "catalog/store/values.h"
#include "catalog/value/regex.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace pupc::catalog {
namespace {

[[noreturn]] void no_answer(std::string_view why) {
  store_failed(fmt::format("The store of exported resources cannot answer this query, only PuppetDB can: {}", why));
}

/// What each entity tells. PuppetDB tells more of some: who asks for it by name gets an error.
struct Entity {
  std::string_view name;
  std::vector<std::string_view> columns;
  bool all; // these are all that PuppetDB has, so that a query need not name them
};
const Entity entities[] = {
    {"facts", {"certname", "environment", "name", "value"}, true},
    {"resources", {"certname", "environment", "exported", "file", "line", "parameters", "tags", "title", "type"}, false},
    {"inventory", {"certname", "environment", "facts"}, false},
    {"nodes", {"certname", "catalog_environment", "facts_environment", "deactivated", "expired"}, false},
    {"catalogs", {"certname", "environment"}, false},
};

const Entity& entity_of(std::string_view name) {
  const auto* found = std::ranges::find(entities, name, &Entity::name);
  if (found == std::end(entities)) no_answer(fmt::format("it knows facts, resources, inventory, nodes and catalogs, not '{}'", name));
  return *found;
}

enum class Truth : uint8_t { No, Yes, Unknown }; // as in SQL: what compares with nothing is unknown

Truth truth(bool b) { return b ? Truth::Yes : Truth::No; }
Truth negated(Truth t) { return t == Truth::Unknown ? t : truth(t == Truth::No); }

std::string_view word_of(const Value& v, std::string_view what) {
  if (!v.is_string()) no_answer(fmt::format("{} is no text", what));
  return v.str();
}

std::span<const Value> call_of(const Value& v) {
  if (!v.is_list() || v.items().empty()) no_answer("a part is no list");
  return v.items();
}

class Answer {
public:
  Answer(ExportStore& store, Arena& into) : store_(store), into_(into) {}

  /// The rows of ["from", ENTITY, QUERY, PAGING…].
  std::vector<Value> from(const Value& query) {
    check_native_stack();
    const auto parts = call_of(query);
    if (word_of(parts[0], "the first part") != "from" || parts.size() < 2) no_answer("it does not begin with 'from'");
    const Entity& entity = entity_of(word_of(parts[1], "an entity"));
    Value condition, extract;
    std::span<const Value> paging = parts.subspan(2);
    if (!paging.empty() && !is_paging(paging[0])) {
      (is_call(paging[0], "extract") ? extract : condition) = paging[0];
      paging = paging.subspan(1);
    }
    std::vector<Value> columns;
    if (extract.is_list()) {
      if (extract.items().size() > 3 || extract.items().size() < 2) no_answer("group_by");
      if (extract.items().size() == 3) condition = extract.items()[2];
      if (is_call(condition, "group_by")) no_answer("group_by");
      const Value& named = extract.items()[1];
      if (named.is_list())
        columns.assign(named.items().begin(), named.items().end());
      else
        columns.push_back(named);
    } else if (!entity.all) {
      no_answer(fmt::format("it has not all columns of {}; name those that it has: {}", entity.name, fmt::join(entity.columns, ", ")));
    } else {
      for (const std::string_view column : entity.columns) columns.push_back(Value::string(column));
    }
    std::vector<Value> rows;
    for (const Value& row : all_rows(entity))
      if (condition.is_undef() || holds(condition, row, entity) == Truth::Yes) rows.push_back(row);
    page(rows, paging, entity);
    return projected(rows, columns, entity);
  }

private:
  static bool is_call(const Value& v, std::string_view name) {
    return v.is_list() && !v.items().empty() && v.items()[0].is_string() && v.items()[0].str() == name;
  }
  static bool is_paging(const Value& v) { return is_call(v, "limit") || is_call(v, "offset") || is_call(v, "order_by"); }

  Value text(std::string_view t) { return Value::string(into_.copy(t)); }
  Value or_nothing(std::string_view t) { return t.empty() ? Value::undef() : text(t); }

  Value parsed(const std::string& json) {
    Value out;
    JsonError error;
    if (!parse_json(into_.copy(json), into_, out, error)) store_failed("A stored document is broken: " + error.message);
    return out;
  }

  const std::vector<Value>& all_rows(const Entity& entity) {
    const auto [at, fresh] = rows_.try_emplace(entity.name);
    if (!fresh) return at->second;
    for (const std::string& name : store_.nodes()) add_rows(entity, store_.node(name), at->second);
    return at->second;
  }

  void add_rows(const Entity& entity, const StoredNode& node, std::vector<Value>& out) {
    const Value certname = text(node.name), environment = or_nothing(node.environment);
    HashBuilder row(into_);
    row.set("certname", certname);
    if (entity.name == "nodes") {
      for (const char* column : {"catalog_environment", "facts_environment"}) row.set(column, environment);
      for (const char* column : {"deactivated", "expired"}) row.set(column, Value::undef());
      out.push_back(row.finish());
      return;
    }
    row.set("environment", environment);
    if (entity.name == "catalogs") {
      out.push_back(row.finish());
    } else if (entity.name == "inventory") {
      row.set("facts", parsed(node.facts));
      out.push_back(row.finish());
    } else if (entity.name == "facts") {
      const Value facts = parsed(node.facts);
      if (!facts.is_hash()) return;
      for (const HashEntry& e : facts.hash->entries()) {
        HashBuilder one(into_);
        one.set("certname", certname);
        one.set("environment", environment);
        one.set("name", e.key);
        one.set("value", e.value);
        out.push_back(one.finish());
      }
    } else {
      if (node.catalog.empty()) no_answer(fmt::format("it has no catalog of {}: compile with --store-catalogs", node.name));
      add_resources(parsed(node.catalog), certname, environment, out);
    }
  }

  void add_resources(const Value& catalog, const Value& certname, const Value& environment, std::vector<Value>& out) {
    const Value* list = catalog.is_hash() ? catalog.hash->find("resources") : nullptr;
    if (list == nullptr || !list->is_list()) return;
    for (const Value& resource : list->items()) {
      HashBuilder one(into_);
      one.set("certname", certname);
      one.set("environment", environment);
      for (const char* column : {"exported", "file", "line", "parameters", "tags", "title", "type"}) {
        const Value* found = resource.hash->find(column);
        Value value = found == nullptr ? Value::undef() : *found;
        if (std::string_view(column) == "parameters" && value.is_undef()) value = HashBuilder(into_).finish();
        one.set(column, value);
      }
      out.push_back(one.finish());
    }
  }

  /// The value of a field; nothing where the row has none. ["parameter", NAME], ["fact", NAME], ["node", "active"], "facts.os.family".
  const Value* field(const Value& name, const Value& row, const Entity& entity) {
    if (name.is_list()) {
      const auto parts = name.items();
      const std::string_view kind = parts.size() == 2 ? word_of(parts[0], "a field") : std::string_view();
      const std::string_view of = parts.size() == 2 ? word_of(parts[1], "a field") : std::string_view();
      static const Value yes = Value::boolean(true);
      if (kind == "node" && of == "active") return &yes; // the store keeps only such
      if (kind == "parameter" && entity.name == "resources") return row.hash->find("parameters")->hash->find(of);
      no_answer(fmt::format("a field of the form [\"{}\", …]", kind));
    }
    std::string_view path = word_of(name, "a field");
    if (path.find('[') != std::string_view::npos) no_answer("indexes in a field");
    const Value* at = &row;
    for (bool first = true; at != nullptr && !path.empty(); first = false) {
      const std::string_view part = next_part(path);
      if (first && std::ranges::find(entity.columns, part) == entity.columns.end() && !(part == "tag" && entity.name == "resources"))
        no_answer(fmt::format("the column '{}' of {}", part, entity.name));
      at = at->is_hash() ? at->hash->find(part) : nullptr;
    }
    return at;
  }

  /// Takes the first part of "a.\"b.c\".d".
  static std::string_view next_part(std::string_view& path) {
    std::string_view part;
    if (path.starts_with('"')) {
      const size_t end = std::min(path.find('"', 1), path.size());
      part = path.substr(1, end - 1);
      path.remove_prefix(std::min(end + 1, path.size()));
    } else {
      part = path.substr(0, path.find('.'));
      path.remove_prefix(part.size());
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    return part;
  }

  Truth holds(const Value& condition, const Value& row, const Entity& entity) {
    check_native_stack();
    const auto parts = call_of(condition);
    const std::string_view op = word_of(parts[0], "an operator");
    if (op == "and" || op == "or") {
      const Truth decides = truth(op == "or");
      Truth out = negated(decides);
      for (const Value& part : parts.subspan(1)) {
        const Truth one = holds(part, row, entity);
        if (one == decides) return one;
        if (one == Truth::Unknown) out = one;
      }
      return out;
    }
    if (op == "not" && parts.size() == 2) return negated(holds(parts[1], row, entity));
    if (parts.size() != 3) no_answer(fmt::format("the operator '{}' with {} operands", op, parts.size() - 1));
    if (op == "in") return in(parts[1], parts[2], row, entity);
    if (is_tag(parts[1], entity)) return has_tag(op, parts[2], row);
    const Value* found = field(parts[1], row, entity);
    const bool nothing = found == nullptr || found->is_undef();
    if (op == "null?") return truth(nothing == parts[2].truthy());
    return nothing ? Truth::Unknown : compared(op, *found, parts[2]);
  }

  static bool is_tag(const Value& name, const Entity& entity) {
    return entity.name == "resources" && name.is_string() && (name.str() == "tag" || name.str() == "tags");
  }

  static Truth has_tag(std::string_view op, const Value& wanted, const Value& row) {
    const Value* tags = row.hash->find("tags");
    if (op != "=" || !wanted.is_string()) no_answer(fmt::format("the operator '{}' for tags", op));
    return truth(std::ranges::any_of(tags->items(), [&](const Value& tag) { return tag.is_string() && tag.str() == wanted.str(); }));
  }

  Truth compared(std::string_view op, const Value& found, const Value& wanted) {
    if (op == "=")
      return truth(json_text(found, into_) == json_text(wanted, into_) ||
                   (found.is_number() && wanted.is_number() && number(found) == number(wanted)));
    if (op == "~") {
      if (!found.is_string()) return Truth::No;
      return truth(pattern(word_of(wanted, "a pattern")).matches(found.str()));
    }
    if (op == "<" || op == ">" || op == "<=" || op == ">=") {
      if (!wanted.is_number()) no_answer(fmt::format("the operator '{}' for something else than a number", op));
      if (!found.is_number()) return Truth::No;
      const double a = number(found), b = number(wanted);
      return truth(op == "<" ? a < b : op == ">" ? a > b : op == "<=" ? a <= b : a >= b);
    }
    no_answer(fmt::format("the operator '{}'", op));
  }

  static double number(const Value& v) { return v.is_int() ? static_cast<double>(v.i) : v.d; }

  const Regex& pattern(std::string_view source) {
    const auto [at, fresh] = patterns_.try_emplace(std::string(source));
    if (fresh) try {
        at->second = std::make_unique<Regex>(std::string(source));
      } catch (const RegexError& e) { store_failed(fmt::format("The pattern '{}' is invalid: {}", source, e.message)); }
    return *at->second;
  }

  Truth in(const Value& names, const Value& set, const Value& row, const Entity& entity) {
    std::vector<Value> fields;
    if (names.is_list() && !(names.items().size() == 2 && names.items()[0].is_string() && entity_field(names.items()[0].str())))
      fields.assign(names.items().begin(), names.items().end());
    else
      fields.push_back(names);
    std::string key;
    for (const Value& name : fields) {
      const Value* found = field(name, row, entity);
      if (found == nullptr || found->is_undef()) return Truth::Unknown;
      key += json_text(*found, into_) + "\n";
    }
    return truth(members(set, fields.size()).contains(key));
  }

  static bool entity_field(std::string_view kind) { return kind == "parameter" || kind == "node" || kind == "fact"; }

  /// The members of ["array", …], ["from", …] or ["extract", …, ["select_ENTITY", …]], as texts of `columns` values.
  const std::set<std::string>& members(const Value& set, size_t columns) {
    const auto [at, fresh] = sets_.try_emplace(json_text(set, into_));
    if (!fresh) return at->second;
    std::set<std::string> out;
    const auto parts = call_of(set);
    if (is_call(set, "array") && parts.size() == 2 && parts[1].is_list()) {
      for (const Value& one : parts[1].items()) {
        std::string key;
        if (columns == 1)
          key = json_text(one, into_) + "\n";
        else
          for (const Value& part : call_of(one)) key += json_text(part, into_) + "\n";
        out.insert(std::move(key));
      }
    } else if (is_call(set, "from")) {
      for (const Value& row : from(set)) {
        std::string key;
        for (const HashEntry& e : row.hash->entries()) key += json_text(e.value, into_) + "\n";
        out.insert(std::move(key));
      }
    } else {
      no_answer("what follows 'in' is neither an array nor a query with 'from'");
    }
    return sets_[json_text(set, into_)] = std::move(out);
  }

  static int rank(const Value& v) { return v.is_undef() ? 3 : v.is_number() ? 0 : v.is_string() ? 1 : 2; }
  int order(const Value* a, const Value* b) {
    static const Value nothing{};
    const Value &x = a == nullptr ? nothing : *a, &y = b == nullptr ? nothing : *b;
    if (rank(x) != rank(y)) return rank(x) - rank(y);
    if (x.is_number()) return number(x) < number(y) ? -1 : number(x) > number(y);
    if (x.is_string()) return x.str().compare(y.str());
    return json_text(x, into_).compare(json_text(y, into_));
  }

  void page(std::vector<Value>& rows, std::span<const Value> paging, const Entity& entity) {
    size_t limit = rows.size(), offset = 0;
    for (const Value& part : paging) {
      if (!is_paging(part) || part.items().size() != 2) no_answer("a part that is no paging");
      const Value& operand = part.items()[1];
      if (is_call(part, "order_by")) {
        sort(rows, operand, entity);
        continue;
      }
      if (!operand.is_int() || operand.i < 0) no_answer("a limit or offset that is no number");
      (is_call(part, "limit") ? limit : offset) = static_cast<size_t>(operand.i);
    }
    rows.erase(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(std::min(offset, rows.size())));
    if (rows.size() > limit) rows.resize(limit);
  }

  void sort(std::vector<Value>& rows, const Value& keys, const Entity& entity) {
    std::vector<std::pair<Value, bool>> by; // and whether it descends
    for (const Value& key : keys.items()) {
      const bool pair = key.is_list() && key.items().size() == 2 && key.items()[1].is_string();
      by.emplace_back(pair ? key.items()[0] : key, pair && key.items()[1].str() == "desc");
    }
    std::ranges::stable_sort(rows, [&](const Value& a, const Value& b) {
      for (const auto& [name, descends] : by)
        if (const int c = order(field(name, a, entity), field(name, b, entity)); c != 0) return descends ? c > 0 : c < 0;
      return false;
    });
  }

  std::vector<Value> projected(const std::vector<Value>& rows, const std::vector<Value>& columns, const Entity& entity) {
    std::vector<Value> out;
    if (std::ranges::any_of(columns, [](const Value& c) { return is_call(c, "function"); })) {
      if (columns.size() != 1 || columns[0].items().size() != 2 || word_of(columns[0].items()[1], "a function") != "count")
        no_answer("functions other than a count of all rows");
      HashBuilder count(into_);
      count.set("count", Value::integer(static_cast<int64_t>(rows.size())));
      out.push_back(count.finish());
      return out;
    }
    for (const Value& row : rows) {
      HashBuilder one(into_);
      for (const Value& column : columns) {
        const Value* found = field(column, row, entity);
        one.set(column.is_list() ? column.items()[1] : column, found == nullptr ? Value::undef() : *found);
      }
      out.push_back(one.finish());
    }
    return out;
  }

  ExportStore& store_;
  Arena& into_;
  std::map<std::string_view, std::vector<Value>> rows_; // by entity
  std::map<std::string, std::unique_ptr<Regex>> patterns_;
  std::map<std::string, std::set<std::string>> sets_;
};

} // namespace

Value ExportStore::query(const Value& text, Arena& into) {
  const Value query = text.is_string() ? parse_pql(text.str(), into) : text;
  return make_list(into, Answer(*this, into).from(query));
}

} // namespace pupc::catalog
