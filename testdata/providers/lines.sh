printf 'one\ntwo\nkey=1\ngone\nrm1\nrm2\ngone\ndup=1\ndup=2\nrep=1\nlast no newline' > /srv/t/f1
printf '; c\n[main]\na = 1\n#com = x\nz=3\n\n[gone]\ng=1\n\n[last]\n  deep = 1\n' > /srv/t/x.ini
printf 'Port 21\nOther x\n' > /srv/t/sp.conf
echo from source > /srv/t/src; echo x > /srv/t/cgone
