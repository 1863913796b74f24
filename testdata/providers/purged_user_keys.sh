for u in ka kb kc kd; do useradd -d /srv/t/$u $u; mkdir -p /srv/t/$u/.ssh; done
keys() { printf "# top\nssh-rsa AAAA $1 one\nssh-rsa BBBB\nno-pty,command=\"a b\" ssh-ed25519 CCCC $1-three\n\nssh-rsa DDDD\nssh-dss EEEE kept-$1\n# end\n"; }
for u in ka kb kc; do keys $u > /srv/t/$u/.ssh/authorized_keys; keys $u-more > /srv/t/$u/more; chown -R $u /srv/t/$u; done
keys twice > /srv/t/kd/keys; keys twice >> /srv/t/kd/keys; chown -R kd /srv/t/kd
