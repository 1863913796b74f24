useradd -r redis || true; mkdir -p /etc/redis
