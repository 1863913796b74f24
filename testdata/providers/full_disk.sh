mkdir /srv/t/small; mount -t tmpfs -o size=64k tmpfs /srv/t/small; echo old > /srv/t/small/kept
