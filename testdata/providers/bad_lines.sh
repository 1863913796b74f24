cd /srv/t
printf 'root: ann\nno colon here\nx: y\n' > aliases
printf '# keys\n  indented ssh-rsa AAAA\n' > known
printf '# fine\nssh-rsa AAAA ok\nnonsense\n' > keys
printf 'ok: x\n' > aliases.ok
printf '1 * * * * /bin/ok\nnonsense\n' | crontab -
printf '10.0.0.1 caf\351\n' > hosts
printf '  /dev/a /mnt/a ext4 defaults 0 0\n/dev/b /mnt/b ext4 defaults 0 0\n' > fstab
