#!/usr/bin/env python3
"""Writes the facts of the sample's 50 nodes to facts/. Run it again only to change them: what it writes is always the same."""
import json
import pathlib

SYSTEMS = {
    "debian12": {"family": "Debian", "name": "Debian", "release": {"full": "12.5", "major": "12", "minor": "5"}, "distro": {"codename": "bookworm"}},
    "ubuntu22": {"family": "Debian", "name": "Ubuntu", "release": {"full": "22.04", "major": "22.04"}, "distro": {"codename": "jammy"}},
    "redhat9": {"family": "RedHat", "name": "RedHat", "release": {"full": "9.3", "major": "9", "minor": "3"}},
    "rocky8": {"family": "RedHat", "name": "Rocky", "release": {"full": "8.9", "major": "8", "minor": "9"}},
}
# role: short name, nodes in each data centre
ROLES = {"bastion": ("bastion", 1), "web": ("web", 9), "database": ("db", 4), "balancer": ("lb", 2), "cache": ("cache", 3), "worker": ("worker", 5), "monitor": ("monitor", 1)}
KERNELS = {"Debian": "6.1.0-18-amd64", "RedHat": "5.14.0-362.el9.x86_64"}


def main():
    folder = pathlib.Path(__file__).parent / "facts"
    number = 0
    for centre_number, centre in enumerate(("fra", "ams"), 1):
        for role, (short, count) in ROLES.items():
            for i in range(1, count + 1):
                number += 1
                host = f"{short}{i}" if role == "bastion" else f"{short}{i:02}"
                system = dict(list(SYSTEMS.values())[(number + centre_number) % len(SYSTEMS)], hardware="x86_64", architecture="amd64")
                memory = (2 + number % 7) * 2**30
                ip = f"10.{centre_number}.{number // 20}.{number % 20 + 10}"
                facts = {
                    "datacenter": centre,
                    "kernel": "Linux",
                    "kernelrelease": KERNELS[system["family"]],
                    "role": role,
                    "os": system,
                    "networking": {
                        "domain": f"{centre}.example.com",
                        "fqdn": f"{host}.{centre}.example.com",
                        "hostname": host,
                        "ip": ip,
                        "primary": "eth0",
                        "interfaces": {"eth0": {"ip": ip, "netmask": "255.255.0.0", "mac": f"02:00:00:00:{centre_number:02x}:{number:02x}"}},
                    },
                    "processors": {"count": 1 << number % 4, "isa": "x86_64", "models": ["Model X"] * (1 << number % 4)},
                    "memory": {"system": {"total_bytes": memory, "available_bytes": memory // 2}, "swap": {"total_bytes": 0 if role == "cache" else 2**30}},
                    "mountpoints": {"/": {"device": "/dev/vda1", "filesystem": "ext4", "size_bytes": 40 * 2**30}},
                    "is_virtual": number % 3 != 0,
                }
                document = {"name": f"{host}.{centre}.example.com", "values": facts}
                (folder / f"{document['name']}.json").write_text(json.dumps(document, indent=1) + "\n")


main()
