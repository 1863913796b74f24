mkdir /srv/t/pk
cd /srv/t/pk
put() { echo "$2 $3 $4 $1 $5" > $1; }
put here install ok installed 1.0; put gone install ok installed 1.0; put purge install ok installed 1.0; put removed deinstall ok config-files 1.0
put old install ok installed 1.0-1; put newest install ok installed 3.0-1; put exact install ok installed 1.0-1; put exact2 install ok installed 1.0-1
put range install ok installed 1.0-1; put rangeok install ok installed 1.0-1; put unhold hold ok installed 1.0; put held hold ok installed 1.0-1
put error install reinst-required installed 1.0; put postfix install ok installed 3.5; put deb3 install ok installed 1; put deb4 install ok installed 1
echo q > /srv/t/answers; touch /srv/t/x.deb
bin=$(dirname "$(type -p crontab)")
cat > $bin/fake-dpkg-query <<'S'
#!/bin/bash
cd /srv/t/pk
format=${3#\'}; name=$4
show() { while read -r d e s n v; do p=; [ $n = postfix ] && p="mail-agent, x"; t=${format//'${Status}'/$d $e $s}; t=${t//'${Package}'/$n}; t=${t//'${Version}'/$v}; t=${t//'${Architecture}'/amd64}; t=${t//'${Provides}'/$p}; printf "${t%\'}"; done; }
if [ -z "$name" ]; then cat $(ls | grep -v '^log$') | show; else [ -e "$name" ] || { echo "dpkg-query: no packages found matching $name" >&2; exit 1; }; show < $name; fi
S
cat > $bin/fake-apt-get <<'S'
#!/bin/bash
cd /srv/t/pk
line="apt-get $* [$DEBIAN_FRONTEND $APT_LISTBUGS_FRONTEND]"; line=${line/ --force-yes/}; line=${line/ --allow-downgrades --allow-change-held-packages/}; echo "$line" >> log
name=${!#}; verb=install; for w in "$@"; do [ $w = remove ] && verb=remove; [ $w = --purge ] && verb=purge; done
[ $name = fails ] && { echo "E: Unable to locate package fails"; exit 100; }
v=3.0-1; case $name in *=*) v=${name#*=}; name=${name%%=*};; *.deb) name=fromfile;; esac
case $verb in install) echo "install ok installed $name $v" > $name;; remove) echo "deinstall ok config-files $name 1.0" > $name;; purge) rm -f $name;; esac
exit 0
S
cat > $bin/fake-apt-cache <<'S'
#!/bin/bash
case $1 in policy) printf "$2:\n  Installed: 1.0-1\n  Candidate: 3.0-1\n  Version table:\n";; madison) printf " $2 | 3.0-1 | x\n $2 | 2.5-1 | x\n $2 | 2.0-1 | x\n";; esac
S
cat > $bin/fake-apt-mark <<'S'
#!/bin/bash
[ $1 = showmanual ] || [ ! -e /srv/t/pk/$2 ] || echo "apt-mark $*" >> /srv/t/pk/log
S
cat > $bin/fake-dpkg <<'S'
#!/bin/bash
cd /srv/t/pk
if [ "$1" = --set-selections ]; then read -r n s; echo "selections $n $s" >> log; read -r d e rest < $n; echo "$s $e $rest" > $n; exit 0; fi
echo "dpkg $*" >> log
case $1 in --force*) echo "install ok installed deb1 1" > deb1;; -r) echo "deinstall ok config-files $2 1" > $2;; --purge) rm -f $2;; esac
S
printf '#!/bin/bash\necho "preseed $(cat $1)" >> /srv/t/pk/log\n' > $bin/fake-debconf-set-selections
chmod 755 $bin/fake-*
# Over the real ones, in this namespace alone; without it nothing may go on.
for p in dpkg-query apt-get apt-cache apt-mark dpkg debconf-set-selections; do mount --bind $bin/fake-$p /usr/bin/$p || kill -9 $PPID; done
