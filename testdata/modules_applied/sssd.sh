mkdir -p /etc/sssd
