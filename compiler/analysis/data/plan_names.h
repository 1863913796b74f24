#pragma once
// Names that checks of plans know.
#include <string_view>

namespace pupc::compiler {

/// What plans have beside the language, by Bolt's documentation.
inline constexpr std::string_view of_plans[] = {"add_facts",
                                                "add_to_group",
                                                "apply",
                                                "apply_prep",
                                                "background",
                                                "catch_errors",
                                                "ctrl::do_until",
                                                "ctrl::sleep",
                                                "dir::children",
                                                "download_file",
                                                "facts",
                                                "fail_plan",
                                                "file::delete",
                                                "file::exists",
                                                "file::join",
                                                "file::read",
                                                "file::readable",
                                                "file::write",
                                                "get_resources",
                                                "get_target",
                                                "get_targets",
                                                "log::debug",
                                                "log::error",
                                                "log::fatal",
                                                "log::info",
                                                "log::trace",
                                                "log::warn",
                                                "out::message",
                                                "out::verbose",
                                                "parallelize",
                                                "prompt",
                                                "prompt::menu",
                                                "puppetdb_command",
                                                "puppetdb_fact",
                                                "puppetdb_query",
                                                "remove_from_group",
                                                "resolve_references",
                                                "run_command",
                                                "run_container",
                                                "run_plan",
                                                "run_script",
                                                "run_task",
                                                "run_task_with",
                                                "set_config",
                                                "set_feature",
                                                "set_resources",
                                                "set_var",
                                                "system::env",
                                                "upload_file",
                                                "vars",
                                                "wait",
                                                "wait_until_available",
                                                "without_default_logging",
                                                "write_file"};
/// Attributes of results and targets, which look like calls.
inline constexpr std::string_view of_results[] = {
    "action",     "aggregate", "catalog",      "config",   "count",    "desired_state", "details",   "empty",        "error",
    "error_set",  "exit_code", "facts",        "features", "file",     "filter_set",    "find",      "first",        "host",
    "issue_code", "kind",      "message",      "msg",      "name",     "names",         "object",    "ok",           "ok_set",
    "options",    "password",  "plugin_hooks", "port",     "protocol", "report",        "resources", "results",      "result",
    "safe_name",  "sensitive", "set_state",    "stderr",   "stdout",   "status",        "target",    "target_alias", "targets",
    "to_data",    "transport", "type",         "uri",      "user",     "value",         "vars"};
inline constexpr std::string_view types_of_plans[] = {"ApplyResult", "Container", "ContainerResult",  "Error",  "Future",    "PlanResult",
                                                      "Result",      "ResultSet", "ResourceInstance", "Target", "TargetSpec"};

} // namespace pupc::compiler
