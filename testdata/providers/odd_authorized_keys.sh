for u in a b; do
  echo "u$u:x:$((n = n + 1, n + 2000)):100::/srv/t/u$u:/bin/sh" >> /etc/passwd
  mkdir -p /srv/t/u$u/.ssh; chmod 700 /srv/t/u$u/.ssh
done
cd /srv/t/ua/.ssh
n() { printf "$2" > $1; }
n authorized_keys '# keys\n\n  # indented\nssh-rsa AAAA ann@box\nssh-ed25519   BBBB   spaced   comment \nssh-rsa CCCC\necdsa-sha2-nistp256 DDDD \n'
n options 'no-pty ssh-rsa AAAA o1\nno-pty,command="/bin/x a, \\"b\\" c" ssh-rsa BBBB o2\nfrom="10.0.0.1,10.0.0.2", no-agent-forwarding   ssh-rsa CCCC o3\nenvironment="A=b c",odd%%thing,no-pty ssh-rsa DDDD o4\nNo-PTY ssh-rsa EEEE o5\ncommand="" ssh-rsa FFFF o6\ncommand="ssh-rsa x" ssh-dss GGGG o7\nno-pty\tssh-rsa HHHH o8\n'
n first '1024 35 1234567890 old@key\n no-pty 1024 35 12345 o v1\n'
n noend 'ssh-rsa   AAAA noend'
n crlf '# c\r\nssh-rsa AAAA crlf\r\nssh-rsa BBBB\r\n'
n empty ''
n utf8 'ssh-rsa   AAAA größe\n'
n double 'ssh-rsa AAAA dup\nssh-rsa BBBB dup\n'
n change 'no-pty,no-agent-forwarding ssh-rsa AAAA c1\nssh-rsa AAAA c2\nssh-dss AAAA c3\nno-pty ssh-rsa   AAAA c4\n'
n types 'sk-ssh-ed25519@openssh.com   AAAA t1\nssh-rsa-cert-v01@openssh.com AAAA t2\necdsa-sk  AAAA t3\n'
chown -R ua:users /srv/t/ua; chmod 644 authorized_keys
chown -R ub:users /srv/t/ub
