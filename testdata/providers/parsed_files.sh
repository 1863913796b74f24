printf '# top\n127.0.0.1\tlocalhost\n\n10.1.1.2\told.example.com\told\n10.1.1.8\tweb\tw\t# note\n' > /srv/t/hosts
printf '# keys\nx ssh-rsa AAAA\nx ssh-dss AAAB\n' > /srv/t/known
printf '# al\nwebmaster: root\npostmaster: root\n' > /srv/t/aliases
printf '# fstab\n/dev/vda\t/\text4\tdefaults\t0\t1\n/dev/o\t/mnt/old\text4\tdefaults\t0\t0\nUUID=1\t/mnt/c\text4\tdefaults\t0\t0\n' > /srv/t/fstab
