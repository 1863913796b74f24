mkdir /srv/t/rpm /srv/t/pip /srv/t/gem
cd /srv/t/rpm
for p in y-here y-latest y-up y-down y-exact y-only y-gone y-purge d-latest d-up d-down d-gone d-purge r-gone r-up; do echo "$p 0 1.0 1 noarch" > $p; done
echo "y-current 0 3.0 1 noarch" > y-current
for p in pip-here pip-latest pip-exact pip-gone; do echo 1.0 > ../pip/$p; done
for p in gem-here gem-latest gem-exact gem-gone; do echo 1.0 > ../gem/$p; done
touch /srv/t/r-new.rpm /srv/t/r-up.rpm /srv/t/x.gem
bin=$(dirname "$(type -p crontab)")
cat > $bin/rpm <<'S'
#!/bin/bash
cd /srv/t/rpm
case "$1" in
--version) echo "RPM version 4.16.1";;
-qa) cat $(ls | grep -v log);;
-q) case " $* " in *" -p "*) case "$*" in *NAME*) echo "r-up 0 2.0 1 noarch";; *) echo 2.0-1;; esac; exit 0;; *whatprovides*) echo "no package provides ${!#}"; exit 1;; esac
  n=; shift; for w in "$@"; do case $w in --qf) break;; -*) ;; *) n=$w;; esac; done; n=${n:-${!#}}
  [ -e "$n" ] && cat $n || { echo "package $n is not installed"; exit 1; };;
-ql) ;;
*) echo "rpm $*" >> log; f=${!#}; case " $* " in *" -e "*) rm -f ${f%-1.0-1*};; *) n=$(basename $f .rpm); echo "$n 0 2.0 1 noarch" > $n;; esac;;
esac
exit 0
S
cat > $bin/yum <<'S'
#!/bin/bash
cd /srv/t/rpm
case " $* " in
*" --version "*) echo 4.0; exit 0;;
*" check-update "*|*" list updates "*) printf 'y-latest.noarch 3.0-1 base\nd-latest.noarch 3.0-1 base\n'; exit 100;;
esac
[ "$1" = list ] && exit 0
echo "$(basename $0) $*" >> log
f=${!#}
case $f in y-fails) echo "No package y-fails available."; exit 1;; esac
n=$(echo $f | sed 's/-[0-9].*//'); v=3.0; case $f in *-2.0-1) v=2.0;; *-0.5-1) v=0.5;; esac
case " $* " in *" remove "*|*" erase "*) rm -f $n;; *) echo "$n 0 $v 1 noarch" > $n;; esac
S
sed 's/ --version / --never /' $bin/yum > $bin/dnf
cat > $bin/pip <<'S'
#!/bin/bash
cd /srv/t/pip
case "$1" in --version) echo "pip 22.0 from /x (python 3.11)"; exit 0;; freeze|list) for f in $(ls | grep -v log); do echo "$f==$(cat $f)"; done; exit 0;; esac
case "$*" in *==9\!0dev0+x*) echo "ERROR: Could not find a version that satisfies the requirement x (from versions: 1.0, 2.5, 3.0)"; exit 1;; *==versionplease*) echo "  Could not find a version that satisfies the requirement x==versionplease (from versions: 1.0, 2.5, 3.0)"; exit 1;; esac
echo "pip $*" >> log
f=${!#}; n=${f%%==*}; n=${n##*egg=}; n=$(echo $n | tr A-Z_ a-z-)
case "$1" in install) case $f in *==*) echo ${f#*==} > $n;; *) echo 3.0 > $n;; esac;; uninstall) rm -f $n;; esac
S
cat > $bin/gem <<'S'
#!/bin/bash
cd /srv/t/gem
case " $* " in *" --version "*) echo 3.3.5; exit 0;; *" list "*)
  want=${!#}; want=${want#^}; want=${want%\$}
  case " $* " in *remote*) echo "$want (3.0, 2.0, 1.0)"; exit 0;; esac
  for f in $(ls | grep -v log); do case $want in $f|--*) echo "$f ($(cat $f))";; esac; done; exit 0;; esac
echo "gem $*" >> log
n=${!#}; case "$n" in *.gem) n=gem-file;; -*) n=gem-gone;; esac; case $* in *gem-gone*) n=gem-gone;; esac
case " $* " in *" uninstall "*) rm -f $n;; *" -v 2.0 "*) echo 2.0 > $n;; *) echo 3.0 > $n;; esac
S
chmod 755 $bin/*
