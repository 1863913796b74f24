for u in zoe:1777 yan:1778 kept:1779 system:300; do echo "${u%:*}:x:${u#*:}:100::/home/${u%:*}:/bin/sh" >> /etc/passwd; echo "${u%:*}:*:19000:0:99999:7:::" >> /etc/shadow; done
