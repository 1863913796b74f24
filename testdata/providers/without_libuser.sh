groupadd -g 3000 lg1; useradd -u 3000 -g lg1 lu1
