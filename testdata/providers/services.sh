mkdir -p /srv/t/sd /srv/t/init
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
for i in 1 2 3 4 5; do
printf '#!/bin/sh\n[ $1 = status ] || echo "init%s $1" >> /srv/t/init.log\ncase $1 in status) [ -e /srv/t/init/%s.up ];; start) [ %s != 5 ] && touch /srv/t/init/%s.up;; stop) rm -f /srv/t/init/%s.up;; esac\n' $i $i $i $i $i > /srv/t/init/init$i
chmod 755 /srv/t/init/init$i
done
touch /srv/t/init/2.up /srv/t/init/4.up
