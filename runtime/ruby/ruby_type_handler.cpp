#include "runtime/ruby/ruby_type_handler.h"

#include "catalog/base/text.h"
#include "catalog/schema/metaparameters.h"
#include "runtime/provider/deferred.h"
#include "runtime/provider/handlers.h"
#include "runtime/ruby/wire_value.h"

#include <algorithm>

namespace pupc::runtime {
namespace {

/// What the handler remembers about a resource.
struct RubyResource : HandlerData {
  int64_t id = 0;
  unsigned epoch = 0;   // of the process that has the resource
  bool adopted = false; // created by Ruby code, so that a new process cannot create it again
  std::string failure;  // why creating the resource failed: the process was lost
  std::string key, provider;
  std::vector<std::string> deferred; // attributes whose values Ruby does not know yet
  bool refresh = false, self_refresh = false, generate = false, eval_generate = false, check = false, relates = false, providers = false,
       prefetch = false;
};

struct Changes : HandlerData {
  std::vector<PropertyChange> list;
};

std::string member_text(const Value& hash, std::string_view name) {
  const Value* found = hash.is_hash() ? hash.hash->find(name) : nullptr;
  return found == nullptr || found->is_undef() ? "" : value_text(*found);
}

bool member_truth(const Value& hash, std::string_view name) {
  const Value* found = hash.is_hash() ? hash.hash->find(name) : nullptr;
  return found != nullptr && found->is_bool() && found->b;
}

std::span<const Value> member_list(const Value& hash, std::string_view name) {
  const Value* found = hash.is_hash() ? hash.hash->find(name) : nullptr;
  return found != nullptr && found->is_list() ? found->items() : std::span<const Value>();
}

class RubyTypeHandler final : public TypeHandler {
public:
  RubyTypeHandler(std::shared_ptr<ProviderRubySession> session, std::string type) : session_(std::move(session)), type_(std::move(type)) {}

  bool checks_values() const override { return true; }
  void prepare(ManagedResource& r, RunContext& run) override {
    RubyResource& known = of(r);
    known.failure.clear();
    try {
      if (known.adopted)
        place(r, known, run);
      else if (known.deferred.empty() || known.epoch != session_->epoch())
        make(r, known, run);
      else
        resolve(r, known, run);
    } catch (const RubyFailure& failure) {
      if (failure.placed) throw ResourceError(failure.bare);
      throw UnplacedError(failure.bare);
    } catch (const ResourceError& gone) {
      known.failure = gone.what(); // fails this resource when it is evaluated, not the run
    }
  }

  bool prepares_deferred() const override { return true; }

  std::string key(const ManagedResource& r) const override {
    const auto* known = dynamic_cast<const RubyResource*>(r.memory.get());
    return known == nullptr || known->key.empty() ? r.title : known->key;
  }

  std::string provider(const ManagedResource& r) const override {
    const auto* known = dynamic_cast<const RubyResource*>(r.memory.get());
    return known == nullptr ? "" : known->provider;
  }

  void autorelations(const ManagedResource& r, RunContext& run, std::vector<AutoRelation>& out) override {
    const auto* known = dynamic_cast<const RubyResource*>(r.memory.get());
    if (known == nullptr || !known->relates || !known->failure.empty() || known->epoch != session_->epoch()) return;
    const Value found = ask(run, "relations", *known, r);
    if (!found.is_list()) return;
    for (const Value& relation : found.items()) {
      const auto parts = relation.items();
      const std::string_view kind = parts[0].str();
      out.push_back({kind == "before"      ? AutoRelation::Before
                     : kind == "subscribe" ? AutoRelation::Subscribe
                     : kind == "notify"    ? AutoRelation::Notify
                                           : AutoRelation::Require,
                     value_text(parts[1]), value_text(parts[2])});
    }
  }

  void check_before_run(ManagedResource& r, RunContext& run) override {
    if (const RubyResource& known = of(r); known.check && known.failure.empty()) ask(run, "check_before_run", present(r, run), r);
  }

  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    const bool made = of(r).id != 0; // one with Deferred values may not be before its turn
    if (!of(r).failure.empty() || (made && !of(r).providers)) return "";
    try {
      const Value why = made ? ask_suitable(r, present(r, run), run) : ask_type_suitable(r, run);
      if (!why.is_list()) return "";
      providerless_ = why.items()[1].is_bool() && why.items()[1].b;
      return value_text(why.items()[0]);
    } catch (const ResourceError& e) {
      of(r).failure = e.what();
      return "";
    }
  }
  bool providerless(const ManagedResource&) const override { return providerless_; }

  void prefetch(std::span<ManagedResource* const> resources, RunContext& run) override {
    // The first resource is the one under evaluation; Ruby itself finds the others of its provider.
    ManagedResource& r = *resources.front();
    if (!of(r).failure.empty() || !of(r).prefetch) return;
    for (ManagedResource* other : resources)
      if (other->memory != nullptr && of(*other).failure.empty()) present(*other, run);
    // One that was resolved at its turn missed what the others have read.
    const auto fetched = prefetched_.find(of(r).provider);
    const bool late = resources.size() == 1 && fetched != prefetched_.end() && fetched->second == session_->epoch();
    read_ahead(run, present(r, run), r, late);
    prefetched_[of(r).provider] = session_->epoch();
  }

  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    return children(session_->call(run, "instances", [&](JsonWriter& w) { w.string(type_); }), run);
  }

  std::vector<ManagedResource> generate(ManagedResource& r, RunContext& run) override {
    // The keys that purge_ssh_keys finds do not depend on the user's provider.
    if (type_ == "user") return make_user_handler()->generate(r, run);
    if (!of(r).generate || !of(r).failure.empty()) return {};
    return children(ask(run, "generate", present(r, run), r), run);
  }

  std::vector<ManagedResource> eval_generate(ManagedResource& r, RunContext& run) override {
    if (!of(r).eval_generate || !of(r).failure.empty()) return {};
    return children(ask(run, "eval_generate", present(r, run), r), run);
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    RubyResource& known = of(r);
    if (!known.failure.empty()) throw ResourceError(known.failure);
    const RubyResource& here = ready(r, run);
    const Value found = session_->call(
        run, "look",
        [&](JsonWriter& w) {
          w.integer(here.id);
          w.integer(static_cast<int64_t>(run.changes_begun));
        },
        &r);
    Present p;
    p.exists = member_truth(found, "exists");
    bool ignored = false;
    for (const Value& pair : member_list(found, "values"))
      p.values.emplace_back(value_text(pair.items()[0]), read_ruby_value(run.arena, pair.items()[1], ignored));
    auto changes = std::make_shared<Changes>();
    for (const Value& change : member_list(found, "changes")) changes->list.push_back(read_change(change, run));
    p.detail = changes;
    return p;
  }

  std::vector<PropertyChange> plan(ManagedResource&, const Present& present, RunContext&) override {
    return held<Changes>(present.detail).list;
  }

  void apply(ManagedResource& r, const Present&, PropertyChange& change, RunContext& run) override {
    const RubyResource& known = of(r);
    if (known.epoch != session_->epoch()) throw ResourceError("The Ruby process of the providers is gone");
    const Value message = session_->call(
        run, "change",
        [&](JsonWriter& w) {
          w.integer(known.id);
          w.string(change.property);
        },
        &r);
    if (!change.sensitive) change.message = value_text(message);
  }

  void flush(ManagedResource& r, const Present&, RunContext& run) override {
    if (of(r).epoch == session_->epoch()) ask(run, "flush", of(r), r);
  }

  bool refreshable(const ManagedResource& r) const override {
    const auto* known = dynamic_cast<const RubyResource*>(r.memory.get());
    return known != nullptr && known->refresh;
  }
  bool depth_first() const override { return depth_first_; }
  bool self_refresh(const ManagedResource& r) const override {
    const auto* known = dynamic_cast<const RubyResource*>(r.memory.get());
    return known != nullptr && known->self_refresh;
  }
  void refresh(ManagedResource& r, RunContext& run) override { ask(run, "refresh", ready(r, run), r); }

  void finish(RunContext& run) override {
    if (!session_->running() || finished_epoch() == session_->epoch()) return;
    finished_epoch() = session_->epoch();
    session_->call(run, "finish", [](JsonWriter&) {});
  }

private:
  static RubyResource& of(ManagedResource& r) {
    if (!r.memory) r.memory = std::make_shared<RubyResource>();
    return held<RubyResource>(r.memory);
  }

  unsigned& finished_epoch() { return session_->finished; }

  Value ask(RunContext& run, std::string_view operation, const RubyResource& known, const ManagedResource& r) {
    return session_->call(
        run, operation, [&](JsonWriter& w) { w.integer(known.id); }, &r);
  }

  /// Why no provider can manage the resource. Takes over another provider than before, which may want to read ahead.
  Value ask_suitable(ManagedResource& r, RubyResource& known, RunContext& run) {
    const Value why = session_->call(
        run, "unsuitable",
        [&](JsonWriter& w) {
          w.integer(known.id);
          w.string(known.provider);
        },
        &r);
    if (why.is_hash()) take(known, why);
    return why;
  }

  Value ask_type_suitable(const ManagedResource& r, RunContext& run) {
    return session_->call(
        run, "type_unsuitable",
        [&](JsonWriter& w) {
          w.string(type_);
          w.string(r.get("provider").is_string() ? r.text("provider") : "");
        },
        &r);
  }

  void read_ahead(RunContext& run, const RubyResource& known, const ManagedResource& r, bool alone) {
    session_->call(
        run, "prefetch",
        [&](JsonWriter& w) {
          w.integer(known.id);
          w.boolean(alone);
        },
        &r);
  }

  static void write_attributes(JsonWriter& w, const ManagedResource& r) {
    static const DeferredData unresolved{}; // also for a list or hash that contains one
    w.begin_object();
    for (const ManagedAttribute& a : r.attributes) {
      if (is_guard(a)) continue;
      w.key(a.name);
      write_ruby_value(w, has_deferred(a.value) ? Value::of(&unresolved) : a.value.is(Kind::Sensitive) ? a.value.unwrap() : a.value);
    }
    w.end_object();
  }

  static void write_place(JsonWriter& w, const ManagedResource& r) {
    w.begin_object();
    w.member("path", r.path);
    w.member("file", r.file);
    w.key("line");
    w.integer(r.line);
    w.key("noop");
    w.boolean(r.noop);
    w.key("tags");
    w.begin_array();
    for (const std::string& tag : r.tags) w.string(tag);
    w.end_array();
    w.end_object();
  }

  /// Makes the resource in the Ruby process. One with Deferred values is made without these, as Puppet does, so that it takes part in the
  /// provider's prefetch and in autorequires; where Ruby cannot do that it stays unmade until its turn.
  void make(ManagedResource& r, RubyResource& known, RunContext& run) {
    known.deferred.clear();
    for (const ManagedAttribute& a : r.attributes)
      if (has_deferred(a.value) && !is_guard(a)) known.deferred.push_back(a.name);
    known.id = session_->new_id();
    session_->name(r, known.id);
    const Value told = session_->call(
        run, "make",
        [&](JsonWriter& w) {
          w.integer(known.id);
          w.string(type_);
          w.string(r.title);
          write_attributes(w, r);
          w.begin_array();
          for (const ManagedAttribute& a : r.attributes)
            if (a.sensitive || a.value.is(Kind::Sensitive)) w.string(a.name);
          w.end_array();
          write_place(w, r);
        },
        &r);
    if (told.is_hash())
      take(known, told);
    else {
      known.id = 0;
      known.deferred.clear();
    }
  }

  /// Gives Ruby the values of the attributes that were Deferred.
  void resolve(ManagedResource& r, RubyResource& known, RunContext& run) {
    const std::vector<std::string> names = std::move(known.deferred);
    known.deferred.clear();
    take(known, session_->call(
                    run, "resolve",
                    [&](JsonWriter& w) {
                      w.integer(known.id);
                      w.begin_object();
                      for (const std::string& name : names) {
                        w.key(name);
                        write_ruby_value(w, r.get(name));
                      }
                      w.end_object();
                      w.begin_array();
                      for (const ManagedAttribute& a : r.attributes)
                        if (a.sensitive && std::find(names.begin(), names.end(), a.name) != names.end()) w.string(a.name);
                      w.end_array();
                    },
                    &r));
  }

  /// Sends the place, `ensure` and metaparameters of a resource that Ruby code created.
  void place(ManagedResource& r, RubyResource& known, RunContext& run) {
    session_->name(r, known.id);
    take(known, session_->call(
                    run, "place",
                    [&](JsonWriter& w) {
                      w.integer(known.id);
                      w.begin_object();
                      for (const ManagedAttribute& a : r.attributes)
                        if (a.name == "ensure" || is_metaparameter(find_symbol(a.name))) {
                          w.key(a.name);
                          write_ruby_value(w, a.value);
                        }
                      w.end_object();
                      write_place(w, r);
                    },
                    &r));
  }

  void take(RubyResource& known, const Value& told) {
    depth_first_ = depth_first_ || member_truth(told, "depth_first");
    known.epoch = session_->epoch();
    known.key = member_text(told, "key");
    known.provider = member_text(told, "provider");
    known.refresh = member_truth(told, "refresh");
    known.self_refresh = member_truth(told, "self_refresh");
    known.generate = member_truth(told, "generate");
    known.eval_generate = member_truth(told, "eval_generate");
    known.check = member_truth(told, "check");
    known.relates = member_truth(told, "relates");
    known.providers = member_truth(told, "providers");
    known.prefetch = member_truth(told, "prefetch");
  }

  /// Makes sure that the present process has the resource.
  RubyResource& present(ManagedResource& r, RunContext& run) {
    RubyResource& known = of(r);
    if (known.epoch == session_->epoch() && session_->running()) return known;
    if (known.adopted) throw ResourceError("The Ruby process that found this resource is gone");
    make(r, known, run);
    return known;
  }

  /// Like present, and repeats the provider's prefetch when the process was restarted after it.
  RubyResource& ready(ManagedResource& r, RunContext& run) {
    RubyResource& known = present(r, run);
    const auto fetched = prefetched_.find(known.provider);
    if (known.prefetch && fetched != prefetched_.end() && fetched->second != session_->epoch()) {
      for (ManagedResource* other : run.resources_of(r.type))
        if (other->memory != nullptr && !of(*other).adopted && of(*other).failure.empty()) present(*other, run);
      read_ahead(run, known, r, false);
      fetched->second = session_->epoch();
    }
    return known;
  }

  PropertyChange read_change(const Value& from, RunContext& run) const {
    PropertyChange c;
    c.property = member_text(from, "property");
    c.message = member_text(from, "message");
    c.is_text = member_text(from, "is");
    c.should_text = member_text(from, "should");
    c.event_name = member_text(from, "event");
    c.failure = member_text(from, "failure");
    c.sensitive = member_truth(from, "sensitive");
    c.invalidates_refresh = member_truth(from, "invalidates");
    for (auto [name, value] : {std::pair("previous", &c.previous), std::pair("desired", &c.desired)})
      if (const Value* found = from.hash->find(name)) *value = read_ruby_value(run.arena, *found, c.sensitive);
    if (c.sensitive) c.message = "changed [redacted] to [redacted]";
    return c;
  }

  std::vector<ManagedResource> children(const Value& found, RunContext& run) const {
    std::vector<ManagedResource> out;
    if (!found.is_list()) return out;
    for (const Value& child : found.items()) {
      ManagedResource r;
      r.type = ascii_lower(member_text(child, "type"));
      r.printed_type = printed(r.type);
      r.title = member_text(child, "title");
      if (const Value* attributes = child.hash->find("attributes"); attributes != nullptr && attributes->is_hash())
        for (const HashEntry& e : attributes->hash->entries()) {
          bool sensitive = false;
          const Value value = read_ruby_value(run.arena, e.value, sensitive);
          if (!value.is_undef()) r.set(e.key.str(), value, sensitive);
        }
      if (const Value* id = child.hash->find("id"); id != nullptr && id->is_int() && r.type == type_) {
        auto known = std::make_shared<RubyResource>();
        known->id = id->i;
        known->epoch = session_->epoch();
        known->adopted = true;
        r.memory = known;
      }
      out.push_back(std::move(r));
    }
    return out;
  }

  /// The printed form of a type's name: "apache::vhost" -> "Apache::Vhost".
  static std::string printed(std::string name) {
    bool start = true;
    for (char& c : name) {
      if (start) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      start = c == ':';
    }
    return name;
  }

  std::shared_ptr<ProviderRubySession> session_;
  std::string type_;
  bool providerless_ = false;
  bool depth_first_ = false;                   // said by the resources, as their type's method has it
  std::map<std::string, unsigned> prefetched_; // by provider: in which process
};

} // namespace

std::unique_ptr<TypeHandler> make_ruby_type_handler(std::shared_ptr<ProviderRubySession> session, std::string type) {
  return std::make_unique<RubyTypeHandler>(std::move(session), std::move(type));
}

} // namespace pupc::runtime
