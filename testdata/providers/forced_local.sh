# Tools in the place of libuser's: they write down how they were called and do it by the others.
work=$(cd "$(dirname "$0")" && pwd); mkdir $work/real $work/sbin; mount --bind /usr/sbin $work/real; ln -s $work/real/* $work/sbin/
for t in luseradd luserdel lusermod lgroupadd lgroupdel lgroupmod lchage; do
  cat > $work/sbin/$t <<'END'
#!/bin/sh
echo "$(basename $0) $*" "conf=$(basename "$LIBUSER_CONF")" >> /srv/t/called
tool=$(basename $0); tool=${tool#l}
case "$tool $1" in "groupmod -M") for m in $(echo $2 | tr , ' '); do gpasswd -a $m $3; done;; "groupmod -m") for m in $(echo $2 | tr , ' '); do gpasswd -d $m $3; done;; *) exec $tool "$@";; esac
END
  chmod 755 $work/sbin/$t
done
mount --bind $work/sbin /usr/sbin
groupadd -g 3000 lg1; groupadd -g 3001 lg2; groupadd -g 3002 lg3; groupadd -g 3003 lg4; groupadd -g 3004 lg5
useradd -u 3000 -g lg1 lu1; useradd -u 3001 -g lg1 -G audio lu2; useradd -u 3002 lu3; useradd -u 3003 -m lu4
gpasswd -a lu1 lg3; gpasswd -a lu3 lg3
