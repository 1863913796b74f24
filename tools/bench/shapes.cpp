#include "tools/bench/shapes.h"

#include <fmt/format.h>

namespace pupc::bench {
namespace {

std::string resources(size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i)
    out += fmt::format(
        "file {{ '/srv/bench/{0}': ensure => file, owner => 'root', group => 'root', mode => '0644', content => \"number {0}\\n\" }}\n", i);
  return out;
}

std::string resources_in_a_loop(size_t n) {
  return fmt::format(
      "Integer[1, {}].each |$i| {{ file {{ \"/srv/bench/${{i}}\": ensure => file, mode => '0644', content => \"number ${{i}}\" }} }}\n", n);
}

std::string classes(size_t n) {
  std::string out;
  for (size_t i = 0; i < n / 2; ++i)
    out += fmt::format(
        "class c{0}(Integer $size = {0}, String $where = \"/srv/${{size}}\") {{ file {{ $where: ensure => directory }} }}\ninclude c{0}\n",
        i);
  return out;
}

std::string defines(size_t n) {
  return fmt::format("define leaf(String $text) {{ file {{ $title: content => $text }} notify {{ \"n ${{title}}\": message => $text }} }}\n"
                     "define branch(Integer $n) {{ leaf {{ \"/srv/${{title}}\": text => \"leaf ${{n}}\" }} }}\n"
                     "Integer[1, {}].each |$i| {{ branch {{ \"b${{i}}\": n => $i }} }}\n",
                     n / 4);
}

std::string collectors(size_t n) {
  std::string out = fmt::format("Integer[1, {}].each |$i| {{ @notify {{ \"v${{i}}\": tag => \"t${{$i % 40}}\" }} }}\n", n);
  for (int i = 0; i < 40; ++i) out += fmt::format("Notify <| tag == 't{}' |>\n", i);
  return out;
}

std::string chain(size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += fmt::format("notify {{ 'c{}': }}\n", i);
  for (size_t i = 1; i < n; ++i) out += fmt::format("Notify['c{}'] -> Notify['c{}']\n", i - 1, i);
  return out;
}

std::string overrides(size_t n) {
  return fmt::format("Integer[1, {}].each |$i| {{ file {{ \"/srv/o${{i}}\": ensure => file }} }}\nFile <| |> {{ owner => 'root' }}\n", n);
}

std::string expressions(size_t n) {
  return fmt::format("$list = Integer[1, {}].map |$i| {{ $i * 3 % 7 + $i }}\n"
                     "$kept = $list.filter |$x| {{ $x > 10 and $x =~ Integer }}\n"
                     "$texts = $kept.map |$x| {{ \"value ${{x}}\".upcase }}\n"
                     "$sum = $kept.reduce(0) |$memo, $x| {{ $memo + $x }}\n"
                     "notify {{ \"sum ${{sum}} of ${{texts.length}}\": }}\n",
                     n * 5);
}

std::string hash_growth(size_t n) {
  return fmt::format("$h = Integer[1, {}].reduce({{}}) |$memo, $i| {{ if $i % 100 == 0 {{ $memo + {{ \"k${{i}}\" => $i }} }} else {{ $memo "
                     "}} }}\nnotify {{ \"${{h.length}}\": }}\n",
                     n);
}

} // namespace

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"resources", resources}, {"loop", resources_in_a_loop}, {"classes", classes},
      {"defines", defines},     {"collectors", collectors},    {"relationships", chain},
      {"overrides", overrides}, {"expressions", expressions},  {"hashes", hash_growth},
  };
  return all;
}

std::string mixed_source(size_t bytes) {
  std::string out;
  for (size_t i = 0; out.size() < bytes; ++i)
    out += fmt::format(R"(# A class like many others, number {0}.
class bench::c{0} (
  Enum['present', 'absent']     $ensure  = 'present',
  Array[String[1]]              $servers = ['a.example.com', 'b.example.com'],
  Optional[Integer[1, 65535]]   $port    = undef,
  Hash[String, Variant[String, Integer]] $options = {{ 'a' => 1, 'b' => 'two' }},
) inherits bench::params {{
  $config = $facts['os']['family'] ? {{
    'Debian'  => "/etc/bench{0}/${{title}}.conf",
    'RedHat'  => '/etc/sysconfig/bench{0}',
    default   => fail("Unsupported: ${{facts['os']['family']}}"),
  }}
  if $port and $port > 1024 {{
    $servers.each |Integer $index, String $server| {{
      file {{ "/srv/${{server}}-${{index}}":
        ensure  => $ensure ? {{ 'present' => file, default => absent }},
        content => epp('bench/server.epp', {{ 'server' => $server, 'port' => $port + $index }}),
        require => Package['bench{0}'],
        notify  => Service["bench{0}"],
      }}
    }}
  }} elsif $ensure =~ /^abs/ {{
    notice("removing ${{name}}")
  }}
  package {{ 'bench{0}': ensure => $ensure }}
  -> service {{ 'bench{0}': ensure => running, enable => true }}
}}
)",
                       i);
  return out;
}

} // namespace pupc::bench
