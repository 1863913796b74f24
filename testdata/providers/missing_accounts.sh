touch /srv/t/there
