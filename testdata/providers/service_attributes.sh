mkdir -p /srv/t/sd
cd /srv/t/sd
touch b.active d.active f.active h.active j.active b.enabled f.enabled i.active
for i in a b c d e f g h i j k l m broken indirect static; do touch $i.unit; done
bin=$(dirname "$(type -p crontab)")
cat > $bin/systemctl <<'S'
#!/bin/bash
verb=$1; shift; while [ "${1#-}" != "$1" ]; do shift; done; u=$1; cd /srv/t/sd
case $verb in
is-active) [ -e $u.active ] && { echo active; exit 0; }; echo inactive; exit 3;;
is-enabled) case $u in indirect) echo indirect; exit 0;; static) echo static; exit 0;; esac
  [ -e $u.masked ] && { echo masked; exit 1; }; [ -e $u.enabled ] && { echo enabled; exit 0; }; echo disabled; exit 1;;
show) echo NeedDaemonReload=no; [ $u = e ] && { [ -e e.reloaded ] || echo NeedDaemonReload=yes; };;
cat) [ -e $u.unit ] || exit 1;;
daemon-reload) touch e.reloaded; echo daemon-reload >> log;;
*) echo "$verb $u" >> log
  case $verb in start) [ $u = broken ] && { echo "cannot start"; exit 1; }; touch $u.active;; stop) rm -f $u.active;; enable) touch $u.enabled;; disable) rm -f $u.enabled;;
  mask) touch $u.masked;; unmask) rm -f $u.masked;; esac;;
esac
exit 0
S
printf '#!/bin/sh\necho "journal of $*" | sed "s/[0-9]* minutes ago/then/"\n' > $bin/journalctl
chmod 755 $bin/systemctl $bin/journalctl
# systemd counts only as the first process; in this namespace alone it is.
echo systemd > $bin/comm
mount --bind $bin/comm /proc/1/comm
