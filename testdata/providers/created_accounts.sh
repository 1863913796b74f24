mkdir -p /srv/t/tabs
