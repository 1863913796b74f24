#include "tools/fuzz/target.h"

#include "catalog/base/limits.h"
#include "catalog/base/utf8.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/catalog_reader.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "compiler/ast/printer.h"
#include "compiler/build/compile.h"
#include "compiler/check/checker.h"
#include "compiler/format/format.h"
#include "compiler/load/facts_file.h"
#include "compiler/load/settings.h"
#include "compiler/parse/parser.h"
#include "compiler/ruby/syntax/erb_source.h"
#include "compiler/ruby/types/data_type_file.h"
#include "compiler/ruby/types/type_scan.h"
#include "compiler/ruby/worker/marshal_reader.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "compiler/ruby/worker/wire.h"
#include "compiler/style/style.h"
#include "compiler/types/type.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/provider_testing.h"
#include "tools/fuzz/server_targets.h"
#include "tools/pupc/compile/batch.h"
#include "tools/pupc/node/node_setup.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace pupc::fuzz {
namespace {

const ResourceLimits limits{std::chrono::seconds(5), size_t(1) << 30};

class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view name) override { return name == "file"; }
};

class NoLog : public LogSink {
public:
  void log(LogEntry) override {}
};

/// Runs `body` and catches the errors with which a reader refuses an input. Any other exception escapes, so that the fuzzer notices it.
template <class Body> void reading(Body body) {
  const LimitedWork work(limits);
  try {
    body();
  } catch (const CompileError&) {
  } catch (const LimitReached&) {}
}

/// A temporary file, private to this process, that holds the input.
class InputFile {
public:
  InputFile(std::string_view name, std::string_view content) {
    static const std::string directory = [] {
      char made[] = "/tmp/pupc-fuzz-XXXXXX";
      if (::mkdtemp(made) == nullptr) std::abort();
      static const std::string kept = made;
      std::atexit([] {
        std::error_code ignored;
        std::filesystem::remove_all(kept, ignored);
      });
      return kept;
    }();
    path = directory + "/" + std::string(name);
    if (std::FILE* f = std::fopen(path.c_str(), "wb")) {
      std::fwrite(content.data(), 1, content.size(), f);
      std::fclose(f);
    }
  }
  std::string path;
};

/// Whether code might run programs or read devices: then the targets parse it but do not run it.
bool runs_programs(std::string_view code) {
  for (std::string_view word : {"generate", "validate_cmd", "validate_augeas", "hiera_config", "/dev/", "/proc/"})
    if (code.find(word) != std::string_view::npos) return true;
  return false;
}

void compile_code(std::string code, Value facts, const std::shared_ptr<Arena>& arena, std::string hiera_config = {}) {
  EnvironmentOptions options;
  options.code = std::move(code);
  options.hiera_config = std::move(hiera_config);
  reading([&] {
    auto environment = open_environment(std::move(options));
    NodeData node;
    node.arena = arena;
    node.input.name = "node.example.com";
    node.input.environment = "production";
    node.input.facts = facts.is_hash() ? facts : HashBuilder(*arena).finish();
    node.input.trusted = local_trusted_data(*arena, "node.example.com");
    node.input.server_facts = HashBuilder(*arena).finish();
    NoLog log;
    CompileResult result = compile(environment, node, {}, log);
    if (!result.ok()) return;
    std::string document;
    write_catalog(*result.catalog, document);
  });
}

void parse_text(std::string_view input, bool epp) {
  reading([&] {
    RegexCache regexes;
    ParseOptions options;
    options.epp = epp;
    ParseResult parsed = parse("input", std::string(input), regexes, options);
    for (const Diagnostic& d : parsed.diagnostics) d.puppet_text();
    if (!parsed.file) return;
    for (const Diagnostic& d : check(*parsed.file)) d.puppet_text();
    print_ast(*parsed.file, {});
  });
}

void manifest(std::string_view input) {
  parse_text(input, false);
  if (!runs_programs(input)) compile_code(std::string(input), {}, std::make_shared<Arena>());
}

/// The formatter and the style fixes parse their own results again. This target also checks that a second pass changes nothing.
void format(std::string_view input) {
  reading([&] {
    const std::string text(input);
    const FormatResult once = format_manifest("input", text);
    for (const Diagnostic& d : once.diagnostics) d.puppet_text();
    if (once.ok && format_manifest("input", once.text).text != once.text) std::abort();
    fix_style("input", text, {});
  });
}

/// Passes the input to the code as a fact, so that it needs no quoting.
void rendered(std::string_view input, const char* code) {
  auto arena = std::make_shared<Arena>();
  HashBuilder facts(*arena);
  facts.set("text", Value::string(arena->copy(input)));
  compile_code(code, facts.finish(), arena);
}

void epp(std::string_view input) {
  parse_text(input, true);
  if (!runs_programs(input))
    rendered(input, "$list = [3, 1, 2] $table = {'a' => 1, 'b' => [true, undef]} notify { 'x': message => inline_epp($facts['text']) }");
}

void erb(std::string_view input) {
  RegexCache regexes;
  if (valid_utf8(input)) erb_parses(input, regexes);
  if (!runs_programs(input))
    rendered(input, "$list = [3, 1, 2] $table = {'a' => 1, 'b' => [true, undef]} $name2 = 'x.y' "
                    "notify { 'x': message => inline_template($facts['text']) }");
}

void ruby_type(std::string_view input) {
  reading([&] {
    TypeScan scan = scan_type_file(read_ruby_file("/m/lib/puppet/type/input.rb", std::string(input)), {});
    for (const ScannedType& type : scan.types) type.info();
    read_data_type("/m/lib/puppet/datatypes/input.rb", std::string(input));
    std::string error;
    read_generated_type("/e/.resource_types/input.pp", input, error);
  });
}

void yaml(std::string_view input) {
  for (int variant = 0; variant < 2; ++variant) {
    reading([&] {
      Arena arena;
      Value out;
      YamlOptions options;
      options.file = "input.yaml";
      options.dates = options.object_tags = options.symbol_keys = options.big_integers = variant == 1;
      DataEntryNotes notes;
      if (read_yaml(input, arena, out, options, &notes)) return;
      is_special(out);
      is_rich_data(out);
      big_integer_error(out);
    });
  }
}

void json(std::string_view input) {
  reading([&] {
    Arena arena;
    Value out;
    read_json(input, arena, out, true);
    duplicate_json_key(input);
    JsonError error;
    if (parse_json(input, arena, out, error)) read_rich_value(out, arena);
  });
}

void hocon(std::string_view input) {
  // Skip includes: they would read files of this machine.
  if (input.find("include") != std::string_view::npos) return;
  reading([&] {
    Arena arena;
    Value out;
    read_hocon(input, arena, out);
  });
}

void hiera(std::string_view input) {
  // Skip patterns and absolute paths: they would read files of this machine.
  if (input.find('/') != std::string_view::npos || input.find("..") != std::string_view::npos) return;
  InputFile config("hiera.yaml", input);
  compile_code("notice(lookup('a', default_value => 1)) notice(lookup('b.c', Any, 'deep', 2))", {}, std::make_shared<Arena>(), config.path);
}

void catalog(std::string_view input) {
  reading([&] {
    Catalog read;
    std::string problem;
    if (!read_catalog(input, read, problem)) return;
    std::string document;
    write_catalog(read, document);
  });
}

void facts(std::string_view input) {
  for (const char* name : {"facts.yaml", "facts.json"}) {
    reading([&] {
      Arena arena;
      std::string node;
      read_facts(arena, input, name, &node);
    });
  }
}

void puppet_conf(std::string_view input) {
  reading([&] {
    PuppetSettings settings;
    settings.read_text(input, "puppet.conf");
    for (std::string_view name : {"codedir", "environmentpath", "basemodulepath", "hiera_config", "strict", "certname"})
      settings.value(name);
  });
}

void batch(std::string_view input) {
  if (runs_programs(input) || input.find('\n') != std::string_view::npos) return;
  CompileOptions options;
  options.limits = limits;
  options.ruby.mode = RubyMode::Never;
  BatchRun run{options, {}, Environments(options, Environments::For::Requests), RubyPool(options.ruby)};
  bool readable = true;
  const LimitedWork work(limits);
  try {
    answer_request(std::string(input), run, readable);
  } catch (const LimitReached&) {}
}

void wire(std::string_view input) {
  reading([&] {
    Arena arena;
    RegexCache regexes;
    NoTypes types(arena, regexes);
    const std::vector<Value> handles(3);
    try {
      const Value value = WireReader(input, arena, types, handles).value();
      std::string out;
      std::vector<Value> more;
      MarshalWriter(out, more).value(value);
    } catch (const NeedsTaggedBytes&) {}
  });
}

/// The first byte chooses the resource type, the rest is the text of its file.
void parsed_file(std::string_view input) {
  if (input.empty()) return;
  struct Kind {
    std::unique_ptr<TypeHandler> (*make)();
    const char* type;
    const char* file;
    const char* attribute;
    const char* value;
  };
  static constexpr Kind kinds[] = {
      {make_host_handler, "host", "/etc/hosts", "ip", "10.0.0.1"},
      {make_mount_handler, "mount", "/etc/fstab", "device", "/dev/a"},
      {make_mailalias_handler, "mailalias", "/etc/aliases", "recipient", "a"},
      {make_sshkey_handler, "sshkey", "/etc/ssh/ssh_known_hosts", "key", "AAAA"},
  };
  const Kind& kind = kinds[static_cast<unsigned char>(input[0]) % std::size(kinds)];
  FakeRun run;
  run.fake.put_file(kind.file, std::string(input.substr(1)));
  run.fake.put_file("/proc/self/mounts", std::string(input.substr(1)));
  const LimitedWork work(limits);
  try {
    auto handler = kind.make();
    handler->instances(run);
    run.turn(*handler, run.make(kind.type, "fuzzed", {{"ensure", run.text("present")}, {kind.attribute, run.text(kind.value)}}));
  } catch (const ResourceError&) {
  } catch (const CompileError&) {
  } catch (const LimitReached&) {}
}

constexpr Target all[] = {{"auth_conf", auth_conf},
                          {"batch", batch},
                          {"catalog", catalog},
                          {"epp", epp},
                          {"erb", erb},
                          {"facts", facts},
                          {"fileserver_conf", fileserver_conf},
                          {"format", format},
                          {"hiera", hiera},
                          {"hocon", hocon},
                          {"json", json},
                          {"manifest", manifest},
                          {"parsed_file", parsed_file},
                          {"puppet_conf", puppet_conf},
                          {"ruby_type", ruby_type},
                          {"server_request", server_request},
                          {"srv_answer", srv_answer},
                          {"wire", wire},
                          {"yaml", yaml}};

} // namespace

std::span<const Target> targets() { return all; }

const Target* find_target(std::string_view name) {
  for (const Target& t : all)
    if (t.name == name) return &t;
  return nullptr;
}

} // namespace pupc::fuzz
