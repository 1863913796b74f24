#!/usr/bin/env python3
"""Scenarios of `pupc apply` against the reference.

    apply_scenarios.py golden [FILTER…]   pupc against the answers stored in testdata/apply/*.expected.json
    apply_scenarios.py live [FILTER…]     pupc against the oracle, now
    apply_scenarios.py update [FILTER…]   writes the oracle's answers (only of scenarios without `expect`)

A scenario (testdata/apply/*.yaml) is a map with `id`, `code` (%{root} stands for a fresh directory), and when wanted
  setup: shell text run in the directory first          args: more words for the command line
  expect: {exit, lines, tree}: pinned by hand, where the reference lacks the feature or we are better
  lines: false  compare no messages                      again: what the second run's exit code is (default 0)
  noop: false   leave out the check that --noop changes nothing
  between: shell text run before the second run
  user: NAME    set up by root, run by this user, who owns the directory; skipped when not started by root
  report: true  compare last_run_report.yaml, last_run_summary.yaml and the keys of state.yaml too, without times and numbers of runs
Compared: exit code (with --detailed-exitcodes), the tree (type, mode, owner, group, content), messages of the run, exit code of a second run.
For every scenario pupc is also run with --noop on a fresh directory, which must stay as it is.
"""
import base64
import hashlib
import json
import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(TOP, 'testdata', 'apply')
PUPC = os.path.abspath(os.environ.get('PUPC', os.path.join(TOP, 'build', 'release', 'pupc')))
BASE = tempfile.mkdtemp(prefix='pupc-apply-')
ROOT = os.path.join(BASE, 'root')
# Other users may not be able to reach the build's directory.
PROGRAMS = tempfile.mkdtemp(prefix='pupc-program-')


def scenarios(filters):
    for name in sorted(os.listdir(DATA)):
        if not name.endswith('.yaml'):
            continue
        with open(os.path.join(DATA, name), encoding='utf-8') as f:
            for s in yaml.safe_load(f) or []:
                s['file'] = name[:-5]
                s['key'] = s['file'] + '/' + s['id']
                if not filters or any(x in s['key'] for x in filters):
                    yield s


def fill(value):
    if isinstance(value, str):
        return value.replace('%{root}', ROOT)
    if isinstance(value, list):
        return [fill(v) for v in value]
    return value


def fresh(scenario):
    subprocess.run(['chmod', '-R', 'u+rwX', BASE], check=False, stderr=subprocess.DEVNULL)
    shutil.rmtree(BASE, ignore_errors=True)
    os.makedirs(ROOT)
    os.chmod(BASE, 0o755)
    os.chmod(ROOT, 0o755)
    os.makedirs(os.path.join(BASE, 'home'))
    own(scenario, BASE, ROOT, os.path.join(BASE, 'home'))
    shell(scenario.get('setup'))


def account(scenario):
    return pwd.getpwnam(scenario['user']) if 'user' in scenario else None


def own(scenario, *paths):
    who = account(scenario)
    for path in paths if who else ():
        os.chown(path, who.pw_uid, who.pw_gid)


def as_user(who):
    """What subprocess needs to run a program as another user."""
    if who is None:
        return {}
    environment = dict(os.environ, PATH=f"{ROOT}/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME=os.path.join(BASE, 'home'), USER=who.pw_name,
                       LOGNAME=who.pw_name)
    return {'env': environment, 'user': who.pw_uid, 'group': who.pw_gid, 'extra_groups': []}


def program(who):
    if who is None:
        return PUPC
    copy = os.path.join(PROGRAMS, 'pupc')
    if not os.path.exists(copy):
        os.chmod(PROGRAMS, 0o755)
        shutil.copy(PUPC, copy)
    return copy


def shell(text):
    if text:
        subprocess.run(['sh', '-ec', 'umask 022; ' + fill(text)], check=True, cwd=ROOT)


def tree():
    out = {}
    for directory, names, files in os.walk(ROOT):
        for name in sorted(names + files):
            path = os.path.join(directory, name)
            s = os.lstat(path)
            kind = stat.filemode(s.st_mode)
            text = ''
            if stat.S_ISLNK(s.st_mode):
                text = '-> ' + os.readlink(path)
            elif stat.S_ISREG(s.st_mode):
                with open(path, 'rb') as f:
                    data = f.read().replace(ROOT.encode(), b'%{root}')
                text = data.decode('utf-8') if len(data) < 200 and b'\0' not in data and data.isascii() else hashlib.sha256(data).hexdigest()
            out[os.path.relpath(path, ROOT)] = f'{kind} {s.st_uid}:{s.st_gid} {text}'.replace(ROOT, '%{root}')
    return out


def normal(text):
    """Message lines without what differs from run to run."""
    lines = []
    wrapped = False
    for line in text.splitlines():
        wrapped, skip = line == 'Wrapped exception:', wrapped
        if skip:
            continue  # the text of the exception inside another one
        line = line.replace(ROOT, '%{root}')
        if re.match(r'Notice: (Compiled|Applied) catalog', line) or line == 'Wrapped exception:':
            continue
        line = re.sub(r'(?:\d{8}|\.pupc)-\d+-?\w*(\.lock)?', '', line)
        line = line.replace(' (line: ', ' (file: F, line: ').replace('(file: , line', '(file: F, line')
        line = re.sub(r'^(Notice: \S.*?): current_value .*\(noop\)$', r'\1: (noop)', line)
        line = re.sub(r'^(Notice: /Stage.*?): .*\(noop\)$', r'\1: (noop)', line)
        line = re.sub(r'^(---|\+\+\+) .*', r'\1', line)
        lines.append(line)
    return lines


def answer(exit_code, out, err):
    return {'exit': exit_code, 'out': normal(out), 'err': normal(err)}


def words(scenario, extra):
    return fill(scenario.get('args', [])) + extra + ['--detailed-exitcodes', '-e', fill(scenario['code'])]


def run_pupc(scenario, extra=(), var='var'):
    who = account(scenario)
    r = subprocess.run([program(who), 'apply', '--vardir', os.path.join(BASE, var), '--node', 'node.example.com'] + words(scenario, list(extra)), capture_output=True, text=True,
                       timeout=120, cwd=ROOT, stdin=subprocess.DEVNULL, check=False, **as_user(who))
    return answer(r.returncode, r.stdout, r.stderr)


class AnyTag(yaml.SafeLoader):
    """Ruby's objects as plain maps."""


AnyTag.add_multi_constructor('!ruby/object', lambda loader, suffix, node: loader.construct_mapping(node, deep=True))
AnyTag.add_multi_constructor('!ruby/sym', lambda loader, suffix, node: loader.construct_scalar(node))

# What no two runs have in common.
VARYING = {'time', 'transaction_uuid', 'catalog_uuid', 'job_id', 'puppet_version', 'configuration_version', 'evaluation_time', 'cached_catalog_status', 'producer'}


def plain(value, key=''):
    if key in VARYING:
        return 'some' if value not in (None, '') else value
    if isinstance(value, dict):
        if key == 'values' or key == 'time':
            return {k: plain(v) for k, v in value.items()}
        return {k.replace(ROOT, '%{root}'): plain(v, k) for k, v in value.items() if k not in ('cached_catalog_status', 'puppet_version', 'corrective_change', 'job_id')}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, str):
        value = value.replace(ROOT, '%{root}').lstrip(':')
        value = re.sub(r'in [0-9.]+ seconds', 'in N seconds', value)
        if value.startswith('e3NoYTI1N'):
            value = base64.b64decode(value).decode()
        return re.sub(r'(?:\d{8}|\.pupc)-\d+-?\w*(\.lock)?', '', value)
    return value


def report(var):
    """The files that a run leaves for others to read."""
    with open(os.path.join(var, 'state', 'last_run_report.yaml'), encoding='utf-8') as f:
        out = yaml.load(f, AnyTag)
    times = [row[0] for row in out['metrics']['time']['values']]
    out['metrics']['time']['values'] = sorted(t for t in times if t not in NOT_COMPARED_TIMES)
    # The oracle's version lists unchanged resources too; version 8 leaves them out.
    out['resource_statuses'] = {k: v for k, v in out['resource_statuses'].items()
                                if any(v[x] for x in ('failed', 'failed_to_restart', 'out_of_sync', 'skipped')) and v['resource'] not in BUILT_IN}
    for status in out['resource_statuses'].values():
        for event in status['events']:
            event['message'] = normal('Notice: /Stage: ' + event['message'])[0] if '(noop)' in event['message'] else event['message']
        status['tags'] = sorted(status['tags'])
    for line in out['logs']:
        line['tags'] = sorted(line['tags'])
        if '(noop)' in line['message']:
            line['message'] = normal('Notice: /Stage: ' + line['message'])[0]
    # Phases are logged by pupc at level info only; the reference's lines about itself are no part of what was done,
    # those of the catalog's making come before its report begins.
    out['logs'] = [x for x in out['logs'] if not re.match(r'(Compiled catalog|Applied catalog|Using a checksum in)', x['message'])]
    # The reference logs an error once per exception around it, and the compiler's lines into no report.
    logs, out['logs'] = out['logs'], []
    for line in plain(logs):
        if line['source'].startswith('Scope('):
            continue
        line['message'] = normal(line['message'] + '\n')[0] if line['level'] == 'err' else line['message']
        if not (line['level'] == 'err' and any(x['message'] == line['message'] and x['source'] == line['source'] for x in out['logs'])):
            out['logs'].append(line)
    # The reference keeps the summary where everyone may read it.
    places = [os.path.join(var, 'state'), os.path.join(os.path.dirname(var), 'public')]
    with open(next(p for p in (os.path.join(d, 'last_run_summary.yaml') for d in places) if os.path.exists(p)), encoding='utf-8') as f:
        summary = yaml.load(f, AnyTag)
    summary['time'] = sorted(k for k in summary['time'] if k not in NOT_COMPARED_TIMES)
    summary['version'] = sorted(summary['version'])
    return {'report': plain(out), 'keys': list(out), 'summary': plain(summary), 'summary keys': list(summary)}


BUILT_IN = {'Schedule[puppet]', 'Schedule[hourly]', 'Schedule[daily]', 'Schedule[weekly]', 'Schedule[monthly]', 'Schedule[never]', 'Filebucket[puppet]'}
NOT_COMPARED_TIMES = {'filebucket', 'schedule', 'node_retrieval', 'plugin_sync', 'fact_generation', 'convert_catalog', 'transaction_evaluation', 'catalog_application',
                      'startup_time', 'load', 'compile', 'converge', 'cleanup'}


def judge(scenario, run, var):
    fresh(scenario)
    first = run(scenario)
    first['tree'] = tree()
    if scenario.get('report'):
        first['report'] = report(var)
    shell(scenario.get('between'))
    second = run(scenario)
    first['again'] = second['exit']
    first['same'] = tree() == first['tree'] if not scenario.get('between') else True
    return first


class Runner:
    """The reference as one user, many runs per start."""

    def __init__(self, who):
        self.directory = tempfile.mkdtemp(prefix='pupc-oracle-')
        self.inward = os.path.join(self.directory, 'in')
        self.outward = os.path.join(self.directory, 'out')
        os.mkfifo(self.inward)
        os.mkfifo(self.outward)
        runner = shutil.copy(os.path.join(HERE, 'oracle', 'apply.rb'), self.directory)
        for path in (self.directory, self.inward, self.outward, runner) if who else ():
            os.chown(path, who.pw_uid, who.pw_gid)
        self.process = subprocess.Popen(['ruby', runner, self.inward, self.outward], cwd='/', **as_user(who))
        # The runner opens its output for writing first, then its input.
        self.answers = open(self.outward, encoding='utf-8')
        self.requests = open(self.inward, 'w', encoding='utf-8')

    def ask(self, request):
        self.requests.write(json.dumps(request) + '\n')
        self.requests.flush()
        return json.loads(self.answers.readline())

    def close(self):
        self.requests.close()
        self.process.wait()
        shutil.rmtree(self.directory)


class Oracle:
    def __init__(self):
        self.runners = {}

    def run(self, scenario):
        base = os.path.join(BASE, 'oracle')
        os.makedirs(base, exist_ok=True)
        own(scenario, base)
        user = scenario.get('user')
        if user not in self.runners:
            self.runners[user] = Runner(account(scenario))
        a = self.runners[user].ask({'id': 'x', 'args': words(scenario, []), 'vardir': base, 'cwd': ROOT})
        return answer(a['exit'], a['out'], a['err'])

    def close(self):
        for runner in self.runners.values():
            runner.close()


def duplicates(lines):
    """The reference logs a failure's text once per exception around it; once is enough."""
    out = []
    for line in lines:
        if line not in out or not line.startswith('Error: '):
            out.append(line)
    return out


def differences(scenario, want, got):
    out = []
    if want['exit'] != got['exit']:
        out.append(f"exit {got['exit']}, want {want['exit']}")
    for path in sorted(set(want['tree']) | set(got['tree'])):
        if want['tree'].get(path) != got['tree'].get(path):
            out.append(f"{path}: {got['tree'].get(path)!r}, want {want['tree'].get(path)!r}")
    if scenario.get('lines', True):
        for stream in ('out', 'err'):
            a, b = duplicates(want[stream]), duplicates(got[stream])
            if a != b:
                out += [f'{stream} lacks: {x}' for x in a if x not in b] + [f'{stream} has: {x}' for x in b if x not in a]
                if sorted(a) == sorted(b):
                    out.append(f'{stream} in another order: {b}')
    if want['again'] != got['again']:
        out.append(f"second run: exit {got['again']}, want {want['again']}")
    if 'report' in want:
        unequal('', want['report'], got['report'], out)
    return out


def unequal(where, want, got, out):
    if isinstance(want, dict) and isinstance(got, dict):
        for key in list(want) + [k for k in got if k not in want]:
            unequal(f'{where}/{key}', want.get(key, 'NOT THERE'), got.get(key, 'NOT THERE'), out)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for n, (a, b) in enumerate(zip(want, got)):
            unequal(f'{where}/{n}', a, b, out)
    elif want != got:
        out.append(f'{where}: {got!r}, want {want!r}')


def pinned(scenario, got):
    """Differences from a hand-written expectation; only what it names is compared."""
    e = scenario['expect']
    # Pinned lines are written with %{root}, as the normalised ones are.
    out = []
    if 'exit' in e and e['exit'] != got['exit']:
        out.append(f"exit {got['exit']}, want {e['exit']}")
    text = '\n'.join(got['out'] + got['err'])
    for line in e.get('lines', []):
        if line not in got['out'] + got['err']:
            out.append(f'no line: {line}\n{text}')
    for part in e.get('without', []):
        if part in text:
            out.append(f'must not be shown: {part}')
    for path, content in e.get('tree', {}).items():
        have = got['tree'].get(path)
        if content is None:
            if have is not None:
                out.append(f'{path} exists')
        elif have is None or not re.search(r'(?s)^' + content + r'\Z', have.split(' ', 2)[-1]):
            out.append(f'{path}: {have!r}, want {content!r}\n{text}')
    if scenario.get('again', 0) != got['again']:
        out.append(f"second run: exit {got['again']}, want {scenario.get('again', 0)}")
    return out


def expected_file(name):
    return os.path.join(DATA, name + '.expected.json')


def load_expected():
    out = {}
    for name in os.listdir(DATA):
        if name.endswith('.expected.json'):
            with open(os.path.join(DATA, name), encoding='utf-8') as f:
                for k, v in json.load(f).items():
                    out[name[:-len('.expected.json')] + '/' + k] = v
    return out


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else 'golden'
    filters = sys.argv[2:]
    if mode not in ('golden', 'live', 'update'):
        sys.exit(__doc__)
    expected = load_expected()
    oracle = Oracle() if mode != 'golden' else None
    good = bad = 0
    skipped = []
    for s in scenarios(filters):
        if (s.get('root') or 'user' in s) and os.geteuid() != 0:
            skipped.append(s['key'])
            continue
        problems = []
        if 'expect' not in s and mode != 'golden':
            expected[s['key']] = judge(s, oracle.run, os.path.join(BASE, 'oracle', 'var'))
        if mode == 'update':
            print('.', end='', flush=True)
            continue
        got = judge(s, run_pupc, os.path.join(BASE, 'var'))
        if 'expect' in s:
            problems += pinned(s, got)
        elif s['key'] not in expected:
            problems.append('no stored answer: run update')
        else:
            problems += differences(s, expected[s['key']], got)
        if s.get('noop', True):
            fresh(s)
            before = tree()
            noop = run_pupc(s, ['--noop'])
            if tree() != before:
                problems.append('--noop changed the directory')
            if noop['exit'] & 2:
                problems.append(f"--noop: exit {noop['exit']}")
        if problems:
            bad += 1
            print(f"FAIL {s['key']}")
            for p in problems:
                print('    ' + p)
        else:
            good += 1
    if oracle:
        oracle.close()
    if mode == 'update':
        by_file = {}
        for key, v in expected.items():
            name, _, rest = key.partition('/')
            by_file.setdefault(name, {})[rest] = v
        for name, content in by_file.items():
            with open(expected_file(name), 'w', encoding='utf-8') as f:
                json.dump(content, f, indent=1, sort_keys=True)
                f.write('\n')
        return 0
    print(f'{good} passed, {bad} failed')
    if skipped:
        print(f"{len(skipped)} skipped, which only root can run: {', '.join(skipped)}")
    shutil.rmtree(BASE, ignore_errors=True)
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
