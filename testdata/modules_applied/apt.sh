mkdir -p /etc/apt/sources.list.d /etc/apt/preferences.d; echo 'deb http://old.example.com/ x main' > /etc/apt/sources.list.d/old.list
