mkdir -p /etc/chrony
