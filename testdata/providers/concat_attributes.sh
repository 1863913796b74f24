cd /srv/t; for f in c1 c2 c3 c4 c5; do echo old > $f; done; chmod 600 c1
