#!/usr/bin/env python3
"""What the Ruby worker costs: its start, a call, a render, a backend's lookup, each against its mark, and how renders grow.

    ruby_worker.py [PUPC]

Times are what --explain-ruby tells, on the clock, in microseconds; medians of several runs of one compile each. Exit status 1 when a mark is missed:
look at that on a quiet machine only.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile

PUPC = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "release", "pupc")
# Only Ruby can run the functions below, because pupc's native interpreter does not support this expression.
RUBY = "[].each { redo }"
FUNCTIONS = {
    "echo": f"def echo(x)\n    {RUBY}\n    x\n  end",
    "words": f"def words(x)\n    {RUBY}\n    %w[a b c d].map {{ |w| {{ 'word' => w, 'n' => x }} }}\n  end",
    "back": f"def back(x)\n    {RUBY}\n    call_function('upcase', \"v#{{x}}\")\n  end",
}
BACKEND = """Puppet::Functions.create_function(:'m::backend') do
  dispatch(:backend) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }
  def backend(key, options, context)
    %s
    data = context.cached_file_data(options['path']) { |text| YAML.safe_load(text) }
    context.not_found unless data.key?(key)
    context.cache_has_key(key) ? context.cached_value(key) : context.cache(key, data[key])
  end
end
""" % RUBY
MARKS = {"start": 60000, "call of echo": 60, "call of words": 60, "render of 100 lines": 300, "lookup by a backend": 100}


def main():
    with tempfile.TemporaryDirectory() as root:
        def write(name, text):
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            return path

        for name, body in FUNCTIONS.items():
            write(f"modules/m/lib/puppet/functions/m/{name}.rb", f"Puppet::Functions.create_function(:'m::{name}') do\n  {body}\nend\n")
        write("modules/m/lib/puppet/functions/m/backend.rb", BACKEND)
        lines = "".join(f"option{i} = <%= @values['k{i}'] %> <% if @on -%>on<% end %>\n" for i in range(100))
        write("modules/m/templates/t.erb", f"<% {RUBY} -%>\n{lines}")
        write("data.yaml", "".join(f"'k{i}': {{ name: 'value {i}', list: [1, 2, 3] }}\n" for i in range(2000)))
        hiera = write("hiera.yaml", f"version: 5\nhierarchy:\n  - {{ name: b, lookup_key: 'm::backend', path: '{root}/data.yaml' }}\n")

        def explain(code):
            done = subprocess.run([PUPC, "compile", "--modulepath", f"{root}/modules", "--hiera-config", hiera, "--explain-ruby", "-e", code], capture_output=True, check=True)
            return done.stderr.decode()

        def total(code):
            calls, milliseconds = re.search(r": (\d+) calls?, ([\d.]+) ms", explain(code)).groups()
            return float(milliseconds) * 1000

        def cost(code, few, many, runs=5):
            """Microseconds of one further call, without the start and the first call. `code(n)` returns code with n calls."""
            return statistics.median((total(code(many)) - total(code(few))) / (many - few) for _ in range(runs))

        starts = [float(re.search(r"started in ([\d.]+) ms", explain("notice(m::echo(1))")).group(1)) * 1000 for _ in range(9)]
        found = {"start": statistics.median(starts)}
        for name in FUNCTIONS:
            found[f"call of {name}"] = cost(lambda n, name=name: f"Integer[1, {n}].each |$i| {{ m::{name}($i) }}", 500, 4500)

        def render(n):
            return f"$on = true $values = Hash(Integer[0, 99].map |$i| {{ [\"k${{i}}\", \"v${{i}}\"] }}) Integer[1, {n}].each |$i| {{ template('m/t.erb') }}"
        found["render of 100 lines"] = cost(render, 100, 1100)
        found["lookup by a backend"] = cost(lambda n: f"Integer[0, {n}].each |$i| {{ lookup(\"k${{i}}\") }}", 500, 1999)
        few, many = cost(render, 10, 510, 3), cost(render, 1010, 2510, 3)
        missed = 0
        for name, time in found.items():
            mark = MARKS.get(name)
            missed += mark is not None and time > mark
            print(f"{name}: {time:.1f} µs" + (f" (mark {mark}{', MISSED' if time > mark else ''})" if mark else ""))
        print(f"a render after 1,000 others: {many / few:.2f} times the time of one after 10")
        missed += many / few > 1.3
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
