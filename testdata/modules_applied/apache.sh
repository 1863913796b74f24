mkdir -p /etc/apache2/mods-available /etc/apache2/mods-enabled /etc/apache2/sites-available /etc/apache2/sites-enabled /etc/apache2/conf.d
echo stale > /etc/apache2/sites-enabled/000-default.conf
