#!/bin/sh
# Installs what is missing of Debian's packages. Groups: build (compiler, libraries), package (what makes the .deb of it), test (Puppet, real modules, tools
# that look at packages).
#   tools/dev/install_packages.sh [--list] build [package] [test]      --list: only prints what is missing
set -eu

list=no
if [ "${1:-}" = --list ]; then
    list=yes
    shift
fi

build="git ca-certificates g++ cmake ninja-build ccache mold antlr4 libantlr4-runtime-dev uuid-dev libboost-dev libfmt-dev nlohmann-json3-dev
libonig-dev libyaml-dev libssl-dev libdeflate-dev libisal-dev libgtest-dev libsqlite3-dev python3"
package="dpkg-dev file"
# Tests compile these modules.
run="puppet-module-puppetlabs-stdlib puppet-module-puppetlabs-ntp"
test="clang-format jq lintian groff-base python3-yaml python3-jsonschema libxml2-utils chromium git curl openssl puppet-agent puppet-module-puppetlabs-apt puppet-module-puppetlabs-concat libaugeas0 augeas-lenses ruby-augeas
octocatalog-diff puppet-lint ruby-rspec-puppet mariadb-server postgresql iptables subversion mercurial kmod acl rpm zsh fish mandoc debootstrap"

wanted=""
modules=no
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    run) wanted="$wanted $run" ;;
    package) wanted="$wanted $package" ;;
    test) wanted="$wanted $package $run $test"; modules=yes ;;
    *) echo "unknown group $group" >&2; exit 2 ;;
    esac
done

missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done

if [ $list = yes ]; then
    # shellcheck disable=SC2086 # a list of words
    echo $missing
    exit 0
fi

if [ -n "$missing" ] && [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "Packages are missing, and only root can install them. Let root run:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
if [ -n "$missing" ]; then
    echo "Installs:$missing" >&2
fi

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
updated=no
update() {
    [ $updated = yes ] || as_root apt-get update -qq
    updated=yes
}

if [ -n "$missing" ]; then
    update
    # shellcheck disable=SC2086 # a list of words
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# The parser's corpus: every packaged module.
if [ $modules = yes ] && [ "$(ls -d /usr/share/puppet/modules.available/* 2>/dev/null | wc -l)" -lt 80 ]; then
    update
    all=$(apt-cache search --names-only '^puppet-module-' | cut -d' ' -f1)
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $all >/dev/null
fi
