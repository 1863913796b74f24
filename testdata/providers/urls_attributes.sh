cd /srv/t; printf 'bin\n' > bin
