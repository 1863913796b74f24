groupadd -g 3000 wtga; groupadd -g 3001 wtgb
for n in 1 2 3 4 5 6 7 8; do useradd -m -u 300$n -g wtga -G audio wu$n; done
usermod -e 2030-01-01 wu1; chage -m 1 -M 90 -W 5 wu1
usermod -c 'Old Name,,,' -p 'oldhash' wu2
useradd -M -u 3050 wgone; useradd -m -u 3051 wgone2; touch /home/wgone2/x
printf '#!/bin/sh\n' > /srv/t/noexec; printf '#!/bin/sh\n' > /srv/t/shell; chmod 755 /srv/t/shell
