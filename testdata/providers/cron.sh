useradd -m wtc
printf 'MAILTO=me\n# a comment\n# Puppet Name: gone\n* * * * * /bin/gone\n\n1 2 * * * /bin/adopt me\n# Puppet Name: job2\nE=1\n5 3 1,2 * * /bin/job2\n@hourly /bin/h\n' | crontab -u wtc -
