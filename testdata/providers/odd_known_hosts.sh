cd /srv/t
n() { printf "$2" > known.$1; }
n real '# keys\ngithub.com,140.82.121.4 ssh-rsa AAAAB3\n|1|JfKTdBh7rNbXkVAQCRp4OQoPfmI=|USECr3SWf1JUPsms5AqfD5QfxkM= ssh-rsa AAAA1234\n[host]:2222   ecdsa-sha2-nistp256   AAAAE2\n@cert-authority *.example.com ssh-rsa AAAA note\n@revoked * ssh-rsa AAAA\nhost ssh-rsa AAAA comment  with   blanks\n\n'
n double 'dup ssh-rsa OLD1\ndup ssh-rsa OLD2\ndup ssh-dss KEPT\n'
n aliases 'al1,b,c ssh-rsa KEY\nal2 ssh-rsa KEY\nal3,x ssh-rsa KEY\nal4, ssh-rsa KEY\n'
n empty ''
n noend 'a   ssh-rsa KEY'
n crlf '# c\r\na  ssh-rsa KEY\r\n'
n utf8 'größe ssh-rsa KEY\n'
n comments '#a\n\n   \n#b\nx\tssh-rsa\tKEY\n'
n gone 'gone ssh-rsa KEY\ngone ssh-dss KEY\n'
n move 'mover ssh-rsa   KEY\n'
