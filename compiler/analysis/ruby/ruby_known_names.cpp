#include "compiler/analysis/ruby/ruby_known_names.h"

#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "compiler/analysis/codebase/checked_codebase.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace pupc::compiler {
namespace {

// clang-format off
// The methods of all objects, of templates, and of what else Puppet and Facter run code in: types, providers, parameters, functions, facts.
constexpr std::string_view of_objects =
    "_ __callee__ __dir__ __id__ __method__ __send__ abort at_exit autoload autoload? binding block_given? caller caller_locations catch "
    "class clone define_singleton_method display dup enum_for eql? equal? eval exec exit exit! extend fail fork format freeze frozen? gem "
    "gem_original_require gets global_variables hash initialize initialize_clone initialize_copy initialize_dup inspect instance_eval "
    "instance_exec instance_of? instance_variable_defined? instance_variable_get instance_variable_set instance_variables is_a? iterator? "
    "itself kind_of? lambda load local_variables loop method method_missing methods n_ nil? object_id open p pp print printf private_methods "
    "proc protected_methods public_method public_methods public_send putc puts raise rand readline readlines remove_instance_variable "
    "require require_relative respond_to? respond_to_missing? select send set_trace_func singleton_class singleton_method "
    "singleton_method_added singleton_method_removed singleton_method_undefined singleton_methods sleep spawn sprintf srand syscall system "
    "tap test then throw to_enum to_json to_s to_yaml trace_var trap untrace_var warn yield_self";
constexpr std::string_view of_templates =
    "absolute_path? alert all_tags benchmark classes clear_environment create_erb crit debug default_env deterministic_rand "
    "deterministic_rand_int emerg err exit_on_fail file get_env get_environment has_variable? info merge_environment notice path_to_uri "
    "replace_file result rfc2396_escape safe_posix_fork scope script_line set_env skip_external_facts symbolizehash tags thinmark uri_encode "
    "uri_query_encode uri_to_path uri_unescape warning which withenv";
constexpr std::string_view of_puppet =
    "add add_property_parameter add_should_with_current adderrorcontext aggregate aggregate_results alias_method aliasvalue all? allattrs "
    "allclear allocate ancestors announce_when_no_suitable_resolution announce_when_no_value_found any? any_signature append_features "
    "appliable_to_device? appliable_to_host? apply_to apply_to_all apply_to_device apply_to_host argument_mismatch array_matching attr "
    "attr_accessor attr_reader attr_writer attrclass attrtype autobefore autonotify autorelation autorequire autosubscribe backup_target "
    "between? block_param build_exception_trace builddepends builder cache_param call call_function call_function_with_scope call_provider "
    "can_apply_to catalog chain change_to_s chunk chunk_while clamp class_eval class_exec class_variable_defined? class_variable_get "
    "class_variable_set class_variables clean clear clear_deprecation_warnings clear_misses clear_records clear_warnings closure_scope code "
    "collect collect_concat command commands compact compare_equal_weights compiler_param confine confine_collection confines const_defined? "
    "const_get const_missing const_set const_source_location constants copy_metaparams count create create_callable "
    "create_class_and_instance_method create_function create_loaded_function create_or_return_resolution currentpropvalues cycle dearrayify "
    "debug_once declared_feature? default default? default_aggregate default_dispatcher default_match default_mode default_target defaultfor "
    "defaultprovider defaultto defaultvalues define_method define_resolution delete deleting? delimiter deprecate_constant "
    "deprecation_warning deps depthfirst? desc destroy detect devfail dispatch dispatcher doc dochook dochook_commands dochook_defaults "
    "dochook_features doctable drop drop_native_header drop_while each_cons each_entry each_slice each_with_index each_with_object "
    "eachautobefore eachautonotify eachautorequire eachautosubscribe eachmetaparam eachparameter eachproperty eachtype ensurable ensurable? "
    "entries error_context evaluate evaluate_params event event_name exceptwrap execpipe execute execute_command exists? expand_command "
    "exported exported? extend_object extended extract_ldapname_option! fact fact_match fact_type feature feature_match feature_module "
    "featuredocs features fields filetype filter filter_map find find_all find_first_real_value find_index find_suitable_resolutions finish "
    "first flat_map flush flush_target format_backtrace format_exception format_value_for_display genclass genconst_string genmodule "
    "genthing get get_deprecation_offender grep grep_v group_by handle_param_options handle_record_line handle_text_line handleclassconst "
    "has_command has_weight hash2resource hash_to_key_value_s hashify_should header idempotent idempotent? include include? included "
    "included_modules inclusive? inherited initclass initvars inject instance_method instance_methods instances insync? insync_values? "
    "internal_call_function internal_param internal_type_parse is_3x_ruby_plugin? is_resource? is_resource_parameter? is_to_s isnamevar "
    "isnamevar? isomorphic? isrequired issue_deprecation_warning join_options json_creatable? key_attribute_parameters key_attributes "
    "last_evaluated lazy ldapname limit line line_separator lines loadall loader local_types location log log_and_raise "
    "log_deprecations_to_file log_exception log_fact_path log_metadata log_only_changed_or_new_keys log_source logger managed? map "
    "mark_target_modified markdown_definitionlist markdown_header match_all? match_providers_with_resources max max_by member? membership "
    "merge_into merge_tags_from metaparam metaparam? metaparamclass metaparamdoc metaparams method_added method_defined? method_removed "
    "method_undefined min min_by min_max_param minmax minmax_by mk_resource_methods modified module_eval module_exec module_function munge "
    "name name2const name_var native_header_regex needs_ensure_retrieved new new_line_type new_tags newattr newmetaparam newparam "
    "newproperty newtype newvalue newvalues nodefault nodoc nodoc? none? noop noop? notdefaultfor notice_once on_flush one? "
    "optional_block_param optional_commands optional_param optional_repeated_param options order_chunks original_parameters pad "
    "pal_compiler_param param paramclass paramdoc parameter parameters parameters_to_include parameters_with_value parent parse parse_line "
    "parser partition path pathbuilder pre_run_check prefetch prefetch_all_targets prefetch_target prepare_is_for_comparison prepend "
    "prepend_features prepended present? private private_class_method private_constant private_instance_methods private_method_defined? "
    "process_current_hash properties property property_hash property_matches? propertybyname propertydefined? protected "
    "protected_instance_methods protected_method_defined? provide provider provider_feature provider_hash provider_hash_by_type "
    "providerloader providers providers_by_source providify proxymethods public public_class_method public_constant public_instance_method "
    "public_instance_methods public_method_defined? puppet_deprecation_warning purging purging? qualified_name raise_prefetch_errors "
    "raw_tagged? record? record_line record_type records? reduce ref refine reject relationship_params remove remove_class_variable "
    "remove_const remove_method repeated_param required? required_block_param required_features required_param required_repeated_param "
    "resolution resolution_type resolve_value resource resource_for_record resource_type retrieve retrieve_resource return_type reverse_each "
    "rmclass rmtype ruby2_keywords run_chunks safe_insync? scope_param script_compiler_param scrub search_paths searching searching? "
    "self_refresh self_refresh? send_log sensitive separator set set_default set_name set_parameters set_sensitive_parameters set_tags "
    "setcode should should_to_s shouldorig signatures singleton_class? skip_record? slice_after slice_before slice_when some_default_match "
    "sort sort_by sort_by_weight source specificity split_qualified_tags? storeclass subclasses suitable? suitableprovider sum superclass "
    "supports_parameter? sync tag tag_if_valid tagged? take take_while tally target target_object target_records targets text_line timeout "
    "title title_patterns to_a to_file to_h to_hash to_line to_resource to_set trailing_separator type typeloader undef_method uniq "
    "uniqueness_key unmanaged unmunge unprovide unsafe_munge unsafe_unmunge unsafe_validate used_resolution_weight using valid_attr? "
    "valid_parameter? valid_tag? validate validate_features_per_value validate_resource validate_source validattr? validparameter? "
    "validproperties validproperty? validprovider? value value_collection value_name value_option version virtual virtual? warn_once "
    "warnonce weight with_env with_timing yaml_tag zip";
constexpr std::string_view constants_of_puppet =
    "Agent AlreadyImportedError Application ApplicationSupport Coercion CompilableResourceType Concurrent Configurer Confine "
    "ConfineCollection Confiner ConstantAlreadyDefined Context Daemon DataBinding DataSync DataTypes DevError Environments Error "
    "ErrorWithData Etc ExecutionFailure ExternalFileError Face FacterImpl FileBucket FileServing FileSystem Forge Functions Generate "
    "GettextConfig Graph HTTP ImportError Indirector InfoService Interface LexError LockError Log MetaType MissingCommand Module "
    "ModuleTool Network Node Pal Parameter ParseError ParseErrorWithIssue Parser Plugins Pops PreformattedError Property Provider "
    "Relationship Reports Resource ResourceApi ResourceError ResourceType Runtime SSL Scheduler Settings SubclassAlreadyDefined "
    "SyntaxCheckers Test ThreadLocal Transaction TrustedExternal Type Util Vendor X509";
constexpr std::string_view constants_of_ruby =
    "Addrinfo ArgumentError Array Base64 BasicObject Benchmark Binding Class Comparable Complex Concurrent Date DateTime Delegator "
    "Digest EOFError Encoding EncodingError Enumerable Enumerator Errno Exception Facter FalseClass Fiber File FileTest FileUtils Find "
    "Float Forwardable FrozenError Hash Hiera Hocon IOError IPAddr IndexError Integer Interrupt JSON Kernel KeyError LoadError Logger "
    "Marshal MatchData Method Module Monitor Mutex NameError NilClass NoMethodError NotImplementedError Numeric Object ObjectSpace "
    "Open3 OpenSSL OpenStruct OptionParser Pathname Process Psych Puppet PuppetX Queue Random Range RangeError Rational RbConfig Regexp "
    "RegexpError Resolv RuntimeError ScriptError SecureRandom SecurityError SemanticPuppet Shellwords Signal SignalException "
    "SimpleDelegator Singleton Socket SocketError StandardError StopIteration String StringIO StringScanner Struct Symbol SyntaxError "
    "Syslog SystemCallError SystemExit Tempfile Thread ThreadError Time Timeout TrueClass TypeError URI YAML ZeroDivisionError Zlib";

struct Listed {
  std::string_view path, methods;
  bool closed;
};
constexpr Listed of_modules[] = {
    {"File",
     "absolute_path absolute_path? atime basename binread binwrite birthtime blockdev? chardev? chmod chown copy_stream ctime "
     "delete directory? dirname empty? executable? executable_real? exist? expand_path extname file? fnmatch fnmatch? for_fd "
     "foreach ftype grpowned? identical? join lchmod lchown link lstat lutime mkfifo mtime owned? path pipe pipe? popen read "
     "readable? readable_real? readlink realdirpath realpath rename setgid? setuid? size size? socket? split stat sticky? symlink "
     "symlink? sysopen truncate try_convert umask unlink utime world_readable? world_writable? writable? writable_real? write zero?", true},
    {"Dir",
     "chdir children chroot delete each_child empty? entries exist? foreach getwd glob home mkdir mktmpdir pwd rmdir tmpdir unlink "
     "fchdir for_fd", true},
    {"Etc",
     "confstr endgrent endpwent getgrent getgrgid getgrnam getlogin getpwent getpwnam getpwuid group nprocessors passwd setgrent "
     "setpwent sysconf sysconfdir systmpdir uname", true},
    {"FileUtils",
     "cd chdir chmod chmod_R chown chown_R cmp collect_method commands compare_file compare_stream copy copy_entry copy_file "
     "copy_stream cp cp_lr cp_r getwd have_option? identical? install link link_entry ln ln_s ln_sf makedirs mkdir mkdir_p mkpath "
     "move mv options options_of private_module_function pwd remove remove_dir remove_entry remove_entry_secure remove_file rm rm_f "
     "rm_r rm_rf rmdir rmtree safe_unlink symlink touch uptodate?", true},
    {"JSON",
     "create_fast_state create_id create_pretty_state deep_const_get dump dump_default_options fast_generate fast_unparse generate "
     "generator iconv load_default_options load_file load_file! parse parse! parser pretty_generate pretty_unparse recurse_proc "
     "restore state unparse", true},
    {"YAML",
     "add_builtin_type add_domain_type add_tag config domain_types dump dump_stream dump_tags libyaml_version load_file load_stream "
     "load_tags parse parse_file parse_stream parser remove_type safe_dump safe_load safe_load_file unsafe_load unsafe_load_file", false},
    {"Time",
     "at gm httpdate iso8601 local mktime now parse rfc2822 rfc822 strptime utc xmlschema zone_offset", false},
    {"Date",
     "civil commercial gregorian_leap? httpdate iso8601 jd jisx0301 julian_leap? leap? ordinal parse rfc2822 rfc3339 rfc822 "
     "strptime today valid_civil? valid_commercial? valid_date? valid_jd? valid_ordinal? xmlschema", false},
    {"Math",
     "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp frexp gamma hypot ldexp lgamma log log10 log2 sin sinh sqrt "
     "tan tanh", true},
    {"Process",
     "argv0 clock_getres clock_gettime daemon detach egid euid getpgid getpgrp getpriority getrlimit getsid gid groups initgroups "
     "kill last_status maxgroups pid ppid setpgid setpgrp setpriority setproctitle setrlimit setsid times uid wait wait2 waitall "
     "waitpid waitpid2 warmup", false},
    {"Shellwords",
     "escape join shellescape shelljoin shellsplit shellwords split", true},
    {"SecureRandom",
     "alphanumeric base64 bytes gen_random hex random_bytes random_number urlsafe_base64 uuid uuid_v4 uuid_v7 choose", true},
    {"Base64",
     "decode64 encode64 strict_decode64 strict_encode64 urlsafe_decode64 urlsafe_encode64", true},
    {"Open3",
     "capture2 capture2e capture3 pipeline pipeline_r pipeline_rw pipeline_start pipeline_w popen2 popen2e popen3", true},
    {"Regexp",
     "compile escape last_match quote try_convert union", false},
    {"ENV",
     "all? any? assoc chain chunk chunk_while clear collect collect_concat compact count cycle delete delete_if detect drop "
     "drop_while each each_cons each_entry each_key each_pair each_slice each_value each_with_index each_with_object empty? entries "
     "except fetch filter filter! filter_map find find_all find_index first flat_map grep grep_v group_by has_key? has_value? "
     "include? inject invert keep_if key key? keys lazy length map max max_by member? merge! min min_by minmax minmax_by none? one? "
     "partition rassoc reduce rehash reject reject! replace reverse_each select select! shift size slice slice_after slice_before "
     "slice_when sort sort_by store sum take take_while tally to_a to_h to_hash to_set uniq update value? values values_at zip", false},
    {"Facter",
     "add clear clear_messages core_value debug debugging debugging? debugonce define_fact disable_sequential each "
     "enable_sequential fact flush http_debug http_debug? list load_external loadfacts log_exception on_message puppet_facts reset "
     "resolve search search_external search_external_path search_path sequential? to_hash to_user_output trace trace? value version "
     "warnonce", false},
    {"Facter::Core::Execution",
     "absolute_path? execute execute_command expand_command impl search_paths which with_env", false},
    {"Puppet",
     "alert base_context bootstrap_context clear clear_deprecation_warnings crit debug default_basemodulepath default_cadir "
     "default_diffargs default_digest_algorithm default_file_checksum_types default_vendormoduledir deprecation_warning emerg err "
     "features format_backtrace format_exception get_deprecation_offender ignore info initialize_default_settings! initialize_facts "
     "initialize_settings log_and_raise log_deprecations_to_file log_exception lookup mark_context minor_version notice override "
     "pop_context puppet_deprecation_warning push_context push_context_global replace_settings_object restore rollback_context "
     "run_mode runtime send_log settings valid_digest_algorithms valid_file_checksum_types version warn_once warning", false},
    {"Puppet::Util",
     "absolute_path? benchmark chuser clear_environment create_erb default_env deterministic_rand deterministic_rand_int "
     "display_mode exit_on_fail format_backtrace_array format_puppetstack_frame get_env get_environment get_posix_field gid idfield "
     "logmethods merge_environment methodbyid methodbyname normalize_symbolic_mode path_to_uri pretty_backtrace replace_file "
     "resolve_stackframe rfc2396_escape safe_posix_fork search_posix_field set_env skip_external_facts symbolic_mode_to_int "
     "symbolizehash thinmark uid uri_encode uri_query_encode uri_to_path uri_unescape valid_symbolic_mode? which withenv withumask", false},
    {"Puppet::Util::Execution",
     "execpipe execute ruby_path util_execute", false},
    {"Puppet::FileSystem",
     "assert_path basename basename_string binread children chmod compare_stream dir dir_exist? dir_mkpath dir_string directory? "
     "each_line exclusive_create exclusive_open executable? exist? expand_path file? lstat mkpath overlay path_string pathname read "
     "read_preserve_line_endings readlink replace_file size stat symlink symlink? touch unlink writable?", false},
    {"Puppet::Util::Platform",
     "default_paths fips_enabled? jruby? jruby_fips? solaris? windows?", false},
    {"Puppet::Functions",
     "any_signature create_function create_loaded_function default_dispatcher min_max_param", false},
    {"Puppet::Type",
     "alert all? allattrs allclear any? apply_to apply_to_all apply_to_device apply_to_host attrclass attrtype autobefore "
     "autonotify autorequire autosubscribe can_apply_to chain chunk chunk_while clear_deprecation_warnings clear_misses collect "
     "collect_concat compact count crit cycle debug defaultprovider deprecation_warning desc detect doc dochook doctable drop "
     "drop_while each_cons each_entry each_slice each_with_index each_with_object eachautobefore eachautonotify eachautorequire "
     "eachautosubscribe eachmetaparam eachtype emerg ensurable ensurable? entries err feature feature_module featuredocs features "
     "filter filter_map find find_all find_index first flat_map format_backtrace format_exception genclass genmodule "
     "get_deprecation_offender grep grep_v group_by handle_param_options hash2resource info initvars inject instances "
     "is_3x_ruby_plugin? isomorphic? key_attribute_parameters key_attributes lazy loadall log_and_raise log_deprecations_to_file "
     "log_exception map markdown_definitionlist markdown_header max max_by member? metaparam? metaparamclass metaparamdoc "
     "metaparams min min_by minmax minmax_by needs_ensure_retrieved newmetaparam newparam newproperty newtype nodoc nodoc? none? "
     "notice one? pad paramclass paramdoc parameters parameters_to_include partition properties propertybyname provide provider "
     "provider_feature provider_hash provider_hash_by_type providerloader providers providers_by_source providify "
     "puppet_deprecation_warning reduce reject relationship_params reverse_each rmclass rmtype self_refresh send_log slice_after "
     "slice_before slice_when sort sort_by suitableprovider sum take take_while tally title_patterns to_a to_h to_set type "
     "typeloader uniq unprovide valid_parameter? validate validattr? validparameter? validproperties validproperty? validprovider? "
     "warn_once warning zip", false},
};
constexpr RemovedFromRuby removed[] = {
    {"File", "exists?", "File.exist?"}, {"Dir", "exists?", "Dir.exist?"}, {"FileTest", "exists?", "FileTest.exist?"},
    {"URI", "escape", "URI::DEFAULT_PARSER.escape"}, {"URI", "unescape", "URI::DEFAULT_PARSER.unescape"},
    {"URI", "encode", "URI::DEFAULT_PARSER.escape"}, {"URI", "decode", "URI::DEFAULT_PARSER.unescape"},
    {"Fixnum", "", "Integer"}, {"Bignum", "", "Integer"}};
// clang-format on

using Words = std::unordered_set<std::string_view>;

Words words_of(std::initializer_list<std::string_view> texts) {
  Words out;
  for (std::string_view text : texts)
    for (std::string_view word : catalog::split_views(text, ' ')) out.insert(word);
  return out;
}

const Words& template_words() {
  static const auto* words = new Words(words_of({of_objects, of_templates, "escaped_template_source template_source string template"}));
  return *words;
}

const Words& all_words() {
  static const auto* words = new Words(
      words_of({of_objects, of_templates, of_puppet,
                "newcheck register_type has_feature has_features feature? satisfies? environment newfunction"}));
  return *words;
}

} // namespace

bool is_object_word(std::string_view name) {
  static const auto* words = new Words(
      words_of({of_objects, "new allocate name superclass ancestors include? class_eval module_eval const_get const_defined? "
                            "instance_method instance_methods method_defined? public_instance_methods define_method alias_method "
                            "prepend include extend private_class_method"}));
  return words->contains(name);
}
bool is_ruby_word(std::string_view name) { return all_words().contains(name); }
bool is_template_word(std::string_view name) { return template_words().contains(name); }

std::string_view near_ruby_word(std::string_view name, bool of_template) {
  std::string_view found;
  for (std::string_view word : of_template ? template_words() : all_words())
    if (word.size() >= 5 && (one_slip_apart(name, word) || same_letters(name, word)) && (found.empty() || word < found)) found = word;
  return found;
}

bool same_letters(std::string_view a, std::string_view b) {
  if (a.size() == b.size() || a.empty() || b.empty() || a.front() != b.front()) return false;
  size_t i = 0, k = 0;
  for (;; ++i, ++k) {
    while (i < a.size() && a[i] == '_') ++i;
    while (k < b.size() && b[k] == '_') ++k;
    if (i == a.size() || k == b.size()) return i == a.size() && k == b.size();
    if (a[i] != b[k]) return false;
  }
}

std::string_view near_scope_method(std::string_view name) {
  static constexpr std::string_view known[] = {"lookupvar", "call_function", "to_hash", "catalog", "compiler", "resource", "environment"};
  if (std::ranges::find(known, name) != std::end(known)) return {};
  for (std::string_view method : known)
    if (one_slip_apart(name, method) || same_letters(name, method)) return method;
  return {};
}

const RubyModuleMethods* find_ruby_module(std::string_view path) {
  static const auto* modules = [] {
    auto* out = new std::unordered_map<std::string_view, RubyModuleMethods>;
    for (const Listed& m : of_modules) out->emplace(m.path, RubyModuleMethods{m.path, catalog::split_views(m.methods, ' '), m.closed});
    return out;
  }();
  const auto at = modules->find(path);
  return at == modules->end() ? nullptr : &at->second;
}

std::string_view meant_constant(std::string_view path, std::string_view name) {
  static const auto* of_puppet_itself = new Words(words_of({constants_of_puppet}));
  static const auto* of_ruby = new Words(words_of({constants_of_ruby}));
  const Words& known = path.empty() ? *of_ruby : *of_puppet_itself;
  if (known.contains(name)) return {};
  std::string_view found;
  for (std::string_view constant : known) {
    if (constant.front() != name.front() && constant.size() != name.size()) continue;
    const bool plural = (constant.starts_with(name) || (!path.empty() && name.starts_with(constant))) &&
                        (constant.substr(std::min(name.size(), constant.size())) == "s" ||
                         name.substr(std::min(name.size(), constant.size())) == "s");
    const bool near = plural || (constant.size() >= 5 && one_slip_apart(name, constant)) ||
                      (path.empty() && constant.size() == name.size() && ascii_lower(name) == ascii_lower(constant));
    if (near && (found.empty() || constant < found)) found = constant;
  }
  return found;
}

const RemovedFromRuby* find_removed(std::string_view path, std::string_view method) {
  for (const RemovedFromRuby& r : removed)
    if (r.path == path && r.method == method) return &r;
  return nullptr;
}

} // namespace pupc::compiler
