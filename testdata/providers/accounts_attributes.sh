groupadd wtold; groupadd -g 4299 wtmv; useradd -m wtb; useradd -m -u 4050 -G video -e 2030-01-01 wtc
useradd -m wtz; mkdir -p /home/wta; chown 4001 /home/wta
printf '# c\nssh-rsa OLD k4\nno-pty,command="a b" ssh-rsa X y z\n' > /home/wta/keys; chown 4001 /home/wta/keys
printf '# c\nssh-rsa KZ kz\nssh-dss DSS\nno-pty,command="a b" ssh-rsa X w z\n' > /home/wtz/keys; chown wtz /home/wtz/keys
