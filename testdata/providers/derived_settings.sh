mkdir -p /etc/nova /etc/keystone /etc/glance /etc/ceph /etc/libvirt /etc/neutron
printf 'ARGS = "-Xmx1 -d -x"\nLIST = abc d\nONE = y\nSAME = k:v\n' > /srv/t/d
printf '[DEFAULT]\n# a\n#commented = 1\nmany = a\nmany = b\nsecret = old\n\n[api]\ngone = 1\ndefault = 2\nkept = 3\n[plain]\ns = x\n' > /etc/nova/nova.conf
printf '[DEFAULT]\n  debug = True\n  other = 1\n\n[token]\n# c\n' > /etc/keystone/keystone.conf
printf '[filter:x]\nk=w\n' > /etc/glance/glance-api-paste.ini
printf '#listen_tls = 1\nauth = "sasl"\n' > /etc/libvirt/libvirtd.conf
printf '[a]\nkeep = k\ndrop = d\n[b]\ndrop = e\n' > /etc/neutron/neutron.conf
touch /etc/ceph/ceph.conf
