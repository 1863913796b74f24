#!/usr/bin/env python3
"""Writes first inputs for the fuzzers: make_seeds.py OUT. They come from testdata, one directory per target."""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "testdata"
LARGEST = 20_000


def case_sources(pattern):
    """Yields the code of each case in .cases files (the text between title and expected result), and the files that the case contains."""
    for path in sorted(DATA.glob(pattern)):
        for case in path.read_text(errors="replace").split("\n=== ")[1:]:
            source = case.split("\n", 1)[1] if "\n" in case else ""
            source = source.split("\n----\n", 1)[0]
            parts = source.split("\n-- ")
            yield "", parts[0]
            for part in parts[1:]:
                name, _, text = part.partition(" --\n")
                yield name, text


def collect():
    seeds = {name: [] for name in (
        "auth_conf batch catalog epp erb facts fileserver_conf format hiera hocon json manifest parsed_file puppet_conf ruby_type server_request srv_answer wire yaml").split()}
    for path in sorted(DATA.glob("parse/*.pp")):
        seeds["manifest"].append(path.read_bytes())
    for name, text in case_sources("**/*.cases"):
        data = text.encode()
        if name in ("",) or name.endswith(".pp"):
            seeds["manifest"].append(data)
        elif name.endswith(".epp"):
            seeds["epp"].append(data)
        elif name.endswith(".erb"):
            seeds["erb"].append(data)
        elif name.endswith(".rb"):
            seeds["ruby_type"].append(data)
        elif name.endswith("hiera.yaml"):
            seeds["hiera"].append(data)
        elif name.endswith((".yaml", ".yml", ".eyaml")):
            seeds["yaml"].append(data)
        elif name.endswith(".json"):
            seeds["json"].append(data)
        elif name.endswith(".conf"):
            seeds["hocon"].append(data)
    for name, text in case_sources("erb/*.cases"):
        if not name and "inline_template(" in text:
            for piece in text.split("inline_template(")[1:]:
                seeds["erb"].append(piece[1:].split("')", 1)[0].encode())
    for pattern, target in (("**/*.epp", "epp"), ("**/*.erb", "erb"), ("**/lib/puppet/type/**/*.rb", "ruby_type"),
                            ("**/lib/puppet/datatypes/**/*.rb", "ruby_type"), ("**/hiera.yaml", "hiera"), ("**/*.yaml", "yaml"),
                            ("**/*.json", "json"), ("facts/**/*.yaml", "facts"), ("facts/**/*.json", "facts"),
                            ("**/puppet.conf", "puppet_conf"), ("**/*.pp", "manifest")):
        for path in sorted(DATA.glob(pattern)):
            if path.is_file() and "fuzz" not in path.relative_to(DATA).parts[:1]:
                seeds[target].append(path.read_bytes())
    seeds["facts"] += [b"os:\n  family: Debian\n  release: {major: '12'}\n", b'{"name": "a", "values": {"os": {"family": "x"}}}']
    seeds["hocon"] += [b'a { b = 1, c = ${a.b}foo }\nd = [1, "x", null] # note\ne += 2\nf = """x\ny"""\n', b"a = ${?HOME}\na = ${a} b\n"]
    seeds["hiera"] += [b"version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - name: a\n    path: '%{facts.os}.yaml'\n"
                       b"  - {name: b, globs: ['*.yaml'], mapped_paths: [list, x, 'x%{x}.yaml']}\ndefault_hierarchy: []\n",
                       b":backends: [yaml]\n:hierarchy: ['%{::a}', common]\n:yaml: {:datadir: data}\n"]
    seeds["puppet_conf"] += [b"[main]\ncodedir = /x\nmodulepath = $codedir/a:${codedir}/b # c\n[server]\nstrict = error\n"
                             b"basemodulepath=/a\nnode_name_fact = fqdn\nnode_name=facter\ncertname = a.b\n"]
    seeds["batch"] += [json.dumps({"id": 1, "code": "notify { 'a': message => $facts['x'] }", "node": "a.b", "facts": {"x": "y"}}).encode(),
                       b'{"id":"a","code":"$x = [1,2].map |$i| { $i * 2 } notice($x)"}']
    seeds["format"] = list(seeds["manifest"])
    seeds["auth_conf"] += [(ROOT / "tools/server/usual_auth_rules.cpp").read_text().split('R"(')[1].split(')"')[0].encode(),
                           b'authorization: { version: 1\n rules: [ { name: a, sort-order: 1, deny: [ "*.example.com", { certname: "/^x/" }, { extensions: { pp_role: [ a, b ] } } ]\n'
                           b'  allow: { certname: "$1" }, match-request: { path: "^/puppet/v3/(.*)$", type: regex, method: [ get, put ], query-params: { environment: [ a, b ] } } } ] }\n']
    seeds["fileserver_conf"] += [b"# c\n[extra]\n  path /srv/%h/%H/%d/%%\n  allow *\n\n[modules]\n allow *\n"]
    certificate = "X-Name: node.example.com\nX-Extension: \x0c\x06worker\n"
    form = "facts_format=application/json&facts=%257B%2522name%2522%253A%2522node.example.com%2522%252C%2522values%2522%253A%257B%2522x%2522%253A1%257D%257D&environment=production&static_catalog=true&checksum_type=sha256"
    report = '{"host":"node.example.com","logs":[{"source":"a","message":"b"}],"metrics":{},"status":"changed","x":[1,2.5,null,true]}'
    for first, more, body in (("POST /puppet/v3/catalog/node.example.com?environment=production", "Accept: application/vnd.puppet.rich+json, application/json\n", form),
                              ("GET /puppet/v3/file_metadatas/modules/demo/tree?environment=production&recurse=true&ignore=%2A.bak&links=follow&max_files=-1&checksum_type=md5", "", ""),
                              ("GET /puppet/v3/file_metadata/modules/demo/tree/a?environment=production&source_permissions=use", "", ""),
                              ("GET /puppet/v3/file_content/plugins/facter/f.rb?environment=production", "Accept: application/octet-stream\n", ""),
                              ("PUT /puppet/v3/report/node.example.com?environment=production", "Content-Type: application/json\n", report),
                              ("PUT /puppet/v3/facts/node.example.com?environment=production", "Content-Type: application/json\n", '{"name":"node.example.com","values":{"a":{"b":[1]}}}'),
                              ("PUT /puppet/v3/file_bucket_file/sha256/" + "0" * 64 + "//etc/x?environment=production", "Content-Type: application/octet-stream\n", "x"),
                              ("GET /puppet/v3/node/node.example.com?environment=production", "", ""), ("GET /puppet/v3/environments", "", ""),
                              ("GET /puppet/v3/environment_classes?environment=production", "If-None-Match: x--gzip\n", ""),
                              ("GET /puppet/v3/static_file_content/modules/demo/files/tree/a?environment=production&code_id=" + "0" * 40, "", ""),
                              ("GET /status/v1/services", "Accept-Encoding: gzip;q=0.5, *;q=0\n", ""), ("GET /status/v1/metrics", "", ""),
                              ("GET /puppet-ca/v1/certificate_revocation_list/ca", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\n", "")):
        seeds["server_request"].append(f"{first}\n{certificate}{more}\n{body}".encode())
    seeds["srv_answer"] += [bytes.fromhex("0001818000010002000000000a5f782d707570706574045f746370076578616d706c65000021000100c00c00210001") + bytes.fromhex(
        "0000003c000b000a00051fcc036f6e6500c00c002100010000003c000b0014000000011fcd0374776f00")[2:]]
    for code in [s for s in seeds["manifest"] if len(s) < 2000][:300]:
        seeds["batch"].append(json.dumps({"id": "s", "code": code.decode(errors="replace")}).encode())
    seeds["catalog"] += [json.dumps({
        "name": "a", "version": 1, "environment": "production", "catalog_format": 2, "tags": ["a"], "classes": ["settings"],
        "resources": [{"type": "File", "title": "/x", "tags": ["file"], "exported": False, "line": 1, "file": "/m.pp",
                       "parameters": {"ensure": "file", "mode": {"__ptype": "Sensitive", "__pvalue": "0600"},
                                      "content": {"__ptype": "Deferred", "name": "a", "arguments": [{"__ptype": "Timestamp", "__pvalue": "2020-01-01T00:00:00 UTC"}]}},
                       "sensitive_parameters": ["mode"]}],
        "edges": [{"source": "Class[main]", "target": "File[/x]"}]}).encode()]
    seeds["parsed_file"] += [b"\x00127.0.0.1\tlocalhost lo # x\n\n# c\n::1 a\n", b"\x01/dev/a /mnt/a\\040b ext4 defaults 0 0\nnone /proc proc\n",
                             b"\x02a: b, c\n# x\nd: \"|/bin/x\", :include:/y\n", b"\x03a,b ssh-rsa AAAA c\n|1|x|y ssh-ed25519 BBBB\n@revoked * ssh-dss C\n"]
    seeds["wire"] += [bytes.fromhex(h) for h in (
        "040830", "04085b0769066907", "04087b063a0661690649", "0408492208616263063a064554", "04086608312e35", "04086c2b0900000000000000ff",
        "04085b0849220661063a06455440", "04086f3a0b4f626a656374063a074061690a")] + [b"a\x02\0\0\0nt", b"h\x01\0\0\0s\x01\0\0\0ai\x01\0\0\0\0\0\0\0"]
    return seeds


def main():
    out = pathlib.Path(sys.argv[1])
    for target, inputs in collect().items():
        directory = out / target
        directory.mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(dict.fromkeys(inputs)):
            if 0 < len(data) <= LARGEST:
                (directory / f"seed-{i:05}").write_bytes(data)


if __name__ == "__main__":
    main()
