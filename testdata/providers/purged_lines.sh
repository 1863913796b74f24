mount -t tmpfs t /var/spool; mkdir -p /var/spool/cron/crontabs; touch /var/spool/cron/crontabs/daemon /var/spool/cron/crontabs/.keep_x
printf '127.0.0.1\tlocalhost\n10.0.0.1 kept   a\n# comment\n10.0.0.2 other\n10.0.0.3 dup\n10.0.0.4 dup\n10.0.0.5 w\n' > /etc/hosts
printf '# al\nroot: ann\nkept:   x,y\nfile: :include: /etc/x\n' > /etc/aliases
mkdir -p /etc/ssh; printf '# k\na ssh-rsa AAAA\na ssh-dss AAAA\nkept,b   ssh-rsa AAAA\n' > /etc/ssh/ssh_known_hosts
printf '# c\nMAILTO=x\n1 * * * *  /bin/unnamed  job\n# Puppet Name: old\nA=1\n2 * * * * /bin/old\n@daily /bin/unnamed  job\n# Puppet Name: kept\n3 * * * * /bin/kept\n4 * * * * /bin/adopt\n' | crontab -
printf '5 * * * * /bin/daemon\n# Puppet Name: kept\n6 * * * * /bin/kept\n' | crontab -u daemon -
