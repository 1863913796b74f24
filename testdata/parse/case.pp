case $a { 1, /x/: { a() } default: { } }
