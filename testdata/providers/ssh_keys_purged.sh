for u in bob al; do
  useradd -d /srv/t/$u $u; mkdir -p /srv/t/$u/.ssh
  printf "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQD $u one\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQE two$u\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQF $u-three\n" > /srv/t/$u/.ssh/authorized_keys
  chown -R $u /srv/t/$u
done
printf "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQG more\n" > /srv/t/al/more; chown al /srv/t/al/more
