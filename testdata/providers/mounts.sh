mkdir -p /srv/t/m1 /srv/t/m2 /srv/t/m3 /srv/t/m4 /srv/t/m5 "/srv/t/m 6" /srv/t/m7 /srv/t/m8
printf 'tmpfs   /srv/t/m2 tmpfs size=1m 0 0\ntmpfs /srv/t/m3 tmpfs size=1m 0 0\ntmpfs /srv/t/m4 tmpfs size=1m 0 0\n' > /etc/fstab
mount /srv/t/m3; mount /srv/t/m4; mount -t tmpfs ghost /srv/t/m5; mount -t tmpfs ghost /srv/t/m7; touch /srv/t/m5/inside /srv/t/m3/inside
