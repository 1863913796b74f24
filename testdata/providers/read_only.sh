mkdir /srv/t/ro; mount -t tmpfs tmpfs /srv/t/ro; cd /srv/t/ro; for f in old mode owner gone same; do echo old > $f; chmod 644 $f; done; cd /; mount -o remount,ro /srv/t/ro
