cd /srv/t
mkdir -p s1/sub s2/sub s3 c/sub/deeper d/extra v/x w0 x inner tidy/olddir tidy2 tidy3
printf 'one\n' > s1/one; printf 'script\n' > s1/script; chmod 4711 s1/script; printf 'sub\n' > s1/sub/f; printf 'b\n' > s1/x.bak; printf 'x\n' > s1/xfile; chown 1:1 s1/script
printf 'two\n' > s2/one; printf 'second\n' > s2/second; printf 'sub2\n' > s2/sub/g
printf 'real\n' > s3/real; ln -s real s3/link; ln -s /srv/t/s1 s3/dirlink
printf 'c\n' > c/file; printf 'deep\n' > c/sub/deeper/f; printf 'e\n' > d/extra/f; printf 'stale\n' > d/stale; printf 'other\n' > d/one
for f in h i j l q r s u bucketed o; do printf 'old\n' > $f; done; touch -d 2001-01-01 j
mkdir m; printf 'm\n' > m/f; printf 'v\n' > v/f; printf 'w\n' > w; printf 'x\n' > x/f; ln -s /nowhere y; printf 'z\n' > z; chmod 644 z
printf 'target\n' > lt; chmod 644 lt; ln -s lt lnk; ln -s lt2 lnk2; printf 't2\n' > lt2; printf 'p\n' > perm2; chmod 600 perm2
touch tidy/a.tmp tidy/keep tidy/olddir/f.tmp tidy/oldfile; head -c 2000 /dev/zero > tidy2/big; touch tidy3/a tidy3/b
