cd /srv/t; printf 'one\ntwo\ntwo\nkey=1\nkey=2\nrm1\nrm2\n' > f1; cp f1 f2; cp f1 f3; cp f1 f4; cp f1 f5; printf 'gr\xfc\xdfe\n' > latin
printf '[main]\na = 1\n  b = 2\n\n[other]\nk = v\n' > x.ini; printf '<main>\na = 1\n</main>\n' > y.ini; printf 'JAVA_ARGS="-Xmx192m -Xms64m -XX:a=/b"\nEMPTY="-x"\nplain = a b\n' > z.conf
