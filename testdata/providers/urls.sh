printf 'abc\n' > /srv/t/same
printf 'keep\n' > /srv/t/older; touch -d 2014-01-01 /srv/t/older
printf 'keep\n' > /srv/t/old
mkdir /srv/t/many /srv/t/few; touch /srv/t/many/a /srv/t/many/b /srv/t/few/a /srv/t/few/b
