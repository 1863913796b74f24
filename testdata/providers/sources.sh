cd /srv/t; export HOME=/root GIT_AUTHOR_DATE=@1700000000 GIT_COMMITTER_DATE=@1700000000; git init -q -b master src; cd src; git config user.email a@b; git config user.name n
echo 1 > f; git add f; git commit -qm 1; git tag v1; git checkout -qb dev; echo 2 > f; git commit -qam 2; git checkout -q master; echo 3 > f; git commit -qam 3
cd ..; git clone -q src c9; mkdir full; touch full/x
mkdir out p; echo hello > p/f; tar cf pkg.tar --mtime=@0 -C p f; gzip -n pkg.tar; printf 'hello\n' > bin; echo x > gone.bin
