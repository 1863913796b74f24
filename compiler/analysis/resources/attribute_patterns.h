#pragma once
// What the attributes of the types that come with Puppet take, for those that can be said in a pattern. Asked of Puppet 8 by giving each
// attribute of each type some 140 values.
#include <cstdint>
#include <string_view>

namespace pupc::compiler {

enum class Each : uint8_t { No, Yes };   // whether the attribute takes an array, each of whose elements must fit
enum class From : uint8_t { Any, Text }; // whether a number or Boolean is taken as its text

struct TextRule {
  std::string_view type, attributes, pattern, what; // attributes: "a|b|c"
  Each each = Each::No;
  From from = From::Any;
};

inline constexpr std::string_view number_pattern = R"(\A\d+\z)", signed_number_pattern = R"(\A-?\d+\z)",
                                  seconds_pattern = R"(\A-?\d+(\.\d+)?\z)", path_pattern = R"(\A(/|[A-Za-z]:[/\\]|\\\\))",
                                  one_word_pattern = R"(\A\S+\z)", yum_number_pattern = R"(\A(\d+|absent)\z)",
                                  yum_truth_pattern = R"(\A(?i:true|false|0|1|no|yes|absent)\z)",
                                  yum_url_pattern = R"(\A(absent|_none_|(\s*(https?|file|ftp):\S*\s*)*)\z)";
inline constexpr std::string_view must_be_a_number = "must be a number", must_be_a_path = "must be an absolute path",
                                  must_have_no_blanks = "must be one word, without blanks",
                                  must_be_a_yum_number = "must be a number or absent",
                                  must_be_a_yum_truth = "must be true, false, 0, 1, yes, no or absent",
                                  must_be_a_url = "must be a URL (http, https, ftp, file) or absent";

// Those of a type stand together.
inline constexpr TextRule attribute_rules[] = {
    {"augeas", "type_check", R"(\A(true|false)\z)", "must be true or false"},
    {"cron", "environment", R"(\A(\s*\w+\s*=.*|absent)\z)", "must be NAME=VALUE", Each::Yes},
    {"exec", "creates", path_pattern, must_be_a_path, Each::Yes},
    {"exec", "environment", R"(\w+=)", "must be NAME=VALUE", Each::Yes},
    {"exec", "timeout", seconds_pattern, must_be_a_number},
    {"exec", "tries", R"(\A\d*[1-9]\d*(\.\d+)?\z)", "must be an Integer of at least 1"},
    {"exec", "try_sleep", R"(\A\d+(\.\d+)?\z)", must_be_a_number},
    {"file", "max_files", R"(\A(-1|\d+)\z)", must_be_a_number},
    {"file", "recurselimit", number_pattern, must_be_a_number},
    {"file", "staging_location", path_pattern, must_be_a_path},
    {"filebucket", "path", R"(\A(/|[A-Za-z]:[/\\]|(true|false|-?\d+)\z))", must_be_a_path},
    {"host", "host_aliases", one_word_pattern, must_have_no_blanks, Each::Yes},
    {"mailalias", "file", path_pattern, must_be_a_path},
    {"mount", "blockdevice", R"(\A\S*\z)", must_have_no_blanks},
    {"mount", "dump", "[01]", "must be 0 or 1"},
    {"mount", "fstype|options", one_word_pattern, must_have_no_blanks},
    {"resources", "unless_system_user", R"(\A(true|false|\d+)\z)", "must be true, false or a number"},
    {"resources", "unless_uid", signed_number_pattern, must_be_a_number, Each::Yes},
    {"schedule", "repeat", number_pattern, must_be_a_number},
    {"schedule", "weekday", R"(\A([0-6]|(?i:(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?))\z)",
     "must be a day of the week, or 0 to 6", Each::Yes},
    {"selboolean", "persistent", R"(\A(true|false)\z)", "must be true or false"},
    {"selboolean", "value", R"(\A(on|off|true|false)\z)", "must be on or off"},
    {"selmodule", "ensure", R"(\A(present|absent)\z)", "must be present or absent"},
    {"selmodule", "syncversion", R"(\A(true|false)\z)", "must be true or false"},
    {"ssh_authorized_key", "key", R"(\A\S*\z)", "must be the key alone, without type, comment and blanks"},
    {"ssh_authorized_key", "options", R"(\A[-a-z0-9A-Z_]+(=".*?")?\z)", "must be NAME or NAME=\"VALUE\", each an element of an array",
     Each::Yes},
    {"sshkey", "host_aliases", R"(\A[^\s,]*\z)", "must be names without blanks and commas", Each::Yes},
    {"sshkey", "type",
     R"(\A(ssh-dss|ssh-ed25519|ssh-rsa|(sk-)?ecdsa-sha2-nistp(256|384|521)(@openssh\.com)?|sk-ssh-ed25519@openssh\.com|dsa|ed25519|rsa|ecdsa-sk|ed25519-sk)\z)",
     "is no type of key"},
    {"tidy", "age", R"(\A(\d|\d+[smhdwSMHDW]\w*)\z)", "must be a number and one of s, m, h, d, w", Each::No, From::Text},
    {"tidy", "max_files", number_pattern, must_be_a_number},
    {"tidy", "recurse", R"(\A(true|false|inf|-?\d+)\z)", "must be true, false, inf or a number"},
    {"tidy", "size", R"(\A(\d|\d+[bkmgtBKMGT]\w*)\z)", "must be a number and one of b, k, m, g, t", Each::No, From::Text},
    {"user", "groups", R"(\A(?!\d+\z).+)", "must be names of groups, neither empty nor numbers", Each::Yes},
    {"user", "password_max_age|password_min_age|password_warn_days", signed_number_pattern, must_be_a_number},
    {"user", "shell", R"(\A(/|[A-Za-z]:|absent\z|false\z|\z))", "must be an absolute path: the user's provider looks for it"},
    {"user", "purge_ssh_keys", R"(\A(true\z|false\z|[/~]|%h))", "must be true, false or absolute paths", Each::Yes},
    {"yumrepo",
     "assumeyes|enabled|enablegroups|gpgcheck|keepalive|module_hotfixes|protect|repo_gpgcheck|s3_enabled|skip_if_unavailable|sslverify",
     yum_truth_pattern, must_be_a_yum_truth},
    {"yumrepo", "baseurl|gpgkey|metalink|mirrorlist|proxy", yum_url_pattern, must_be_a_url},
    {"yumrepo", "cost|deltarpm_percentage|minrate|mirrorlist_expire|retries|timeout", yum_number_pattern, must_be_a_yum_number},
    {"yumrepo", "bandwidth", R"(\A(\d+[kMG]?|absent)\z)", must_be_a_yum_number},
    {"yumrepo", "failovermethod", R"(\A(roundrobin|priority|absent)\z)", "must be roundrobin, priority or absent"},
    {"yumrepo", "http_caching", R"(\A(packages|all|none|absent)\z)", "must be packages, all, none or absent"},
    {"yumrepo", "metadata_expire", R"(\A(\d+[dhm]?|never|absent)\z)", "must be a number with d, h or m, never or absent"},
    {"yumrepo", "priority", R"(\A(-?\d+|absent)\z)", must_be_a_yum_number},
    {"yumrepo", "throttle", R"(\A(\d+[kMG%]?|absent)\z)", must_be_a_yum_number},
};

} // namespace pupc::compiler
