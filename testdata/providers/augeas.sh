mkdir -p /etc/ssh
printf 'Port 22\nX11Forwarding yes\n# c\nPermitRootLogin yes\n' > /etc/ssh/sshd_config
printf 'A=1\nB=x\nD=4\nF=5\n' > /srv/t/vars
printf 'A=1\nX=x\nY=y\n' > /srv/t/vars2
printf '1.2.3.4 a b\n' > /srv/t/h
printf 'not a hosts file {\n' > /srv/t/bad
