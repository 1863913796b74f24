mkdir -p /srv/t
