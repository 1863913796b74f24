#include "catalog/schema/public_types.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

struct PublicTypes {
  std::string_view module, types; // types: words between blanks
};

constexpr PublicTypes public_types[] = {
    {"puppetlabs-stdlib", " anchor file_line "},
    {"puppetlabs-inifile", " ini_setting ini_subsetting "},
    {"puppetlabs-concat", " concat_file concat_fragment "},
    {"puppetlabs-vcsrepo", " vcsrepo "},
    {"puppetlabs-firewall", " firewall firewallchain "},
    {"puppetlabs-mysql", " mysql_database mysql_user mysql_grant mysql_plugin mysql_login_path mysql_datadir "},
    {"puppetlabs-postgresql", " postgresql_psql postgresql_conf postgresql_conn_validator postgresql_replication_slot "},
    {"puppetlabs-java_ks", " java_ks "},
    {"puppetlabs-docker", " docker_network docker_volume docker_stack docker_compose "},
    {"puppetlabs-lvm", " physical_volume volume_group logical_volume filesystem "},
    {"puppetlabs-acl", " acl "},
    {"puppetlabs-registry", " registry_key registry_value "},
    {"puppetlabs-reboot", " reboot "},
    {"puppetlabs-chocolatey", " chocolateysource chocolateyfeature chocolateyconfig "},
    {"puppetlabs-scheduled_task", " scheduled_task "},
    {"puppetlabs-iis", " iis_site iis_application iis_application_pool iis_feature iis_virtual_directory "},
    {"puppetlabs-sqlserver", " sqlserver_instance sqlserver_features sqlserver_tsql "},
    {"puppetlabs-yumrepo_core", " yumrepo "},
    {"puppetlabs-cron_core", " cron "},
    {"puppetlabs-host_core", " host "},
    {"puppetlabs-mount_core", " mount "},
    {"puppetlabs-augeas_core", " augeas "},
    {"puppetlabs-sshkeys_core", " sshkey ssh_authorized_key "},
    {"puppetlabs-selinux_core", " selboolean selmodule "},
    {"puppetlabs-zfs_core", " zfs zpool "},
    {"puppetlabs-zone_core", " zone "},
    {"puppetlabs-mailalias_core", " mailalias "},
    {"puppetlabs-nagios_core",
     " nagios_host nagios_hostgroup nagios_service nagios_command nagios_contact nagios_contactgroup nagios_timeperiod "},
    {"puppet-archive", " archive "},
    {"puppet-selinux", " selinux_fcontext selinux_port selinux_permissive selinux_fcontext_equivalence selinux_login "},
    {"puppet-firewalld", " firewalld_zone firewalld_service firewalld_rich_rule firewalld_port firewalld_ipset firewalld_custom_service "
                         "firewalld_direct_chain firewalld_direct_rule firewalld_direct_passthrough firewalld_policy "},
    {"puppet-rabbitmq", " rabbitmq_user rabbitmq_vhost rabbitmq_exchange rabbitmq_queue rabbitmq_binding rabbitmq_plugin rabbitmq_policy "
                        "rabbitmq_user_permissions rabbitmq_parameter rabbitmq_cluster "},
    {"puppet-mongodb", " mongodb_database mongodb_user mongodb_replset mongodb_shard mongodb_conn_validator "},
    {"puppet-grafana", " grafana_dashboard grafana_datasource grafana_plugin grafana_folder grafana_user grafana_organization grafana_team "
                       "grafana_notification "},
    {"puppet-zabbix", " zabbix_host zabbix_template zabbix_template_host zabbix_proxy zabbix_application zabbix_userparameters "},
    {"puppet-corosync",
     " cs_primitive cs_group cs_colocation cs_order cs_property cs_rsc_defaults cs_location cs_clone cs_commit cs_shadow "},
    {"puppet-network", " network_config network_route "},
    {"puppet-posix_acl", " posix_acl "},
    {"puppet-openssl", " x509_cert x509_request ssl_pkey dhparam "},
    {"puppet-alternatives", " alternatives alternative_entry "},
    {"puppet-systemd", " loginctl_user "},
    {"puppet-swap_file", " swap_file "},
    {"puppet-windowsfeature", " windowsfeature "},
    {"puppet-dns", " dns_zone "},
    {"puppet-proxysql", " proxy_mysql_server proxy_mysql_user proxy_mysql_query_rule proxy_global_variable "},
    {"theforeman-foreman", " foreman_host foreman_smartproxy foreman_hostgroup "},
    {"richardc-datacat", " datacat_collector datacat_fragment "},
    {"puppet-augeasproviders_shellvar", " shellvar "},
    {"puppet-augeasproviders_ssh", " sshd_config sshd_config_subsystem sshd_config_match ssh_config "},
    {"puppet-augeasproviders_grub", " kernel_parameter grub_config grub_menuentry grub_user "},
    {"puppet-augeasproviders_pam", " pam "},
    {"puppet-augeasproviders_puppet", " puppet_auth "},
    {"puppet-augeasproviders_syslog", " syslog_filter "},
    {"puppet-augeasproviders_mounttab", " mounttab "},
    {"puppet-augeasproviders_postgresql", " pg_hba "},
    {"puppet-augeasproviders_apache", " apache_directive apache_setenv "},
    {"puppet-augeasproviders_nagios", " nrpe_command "},
};

} // namespace

std::string_view module_of_public_type(std::string_view type) {
  const auto has = [type](const PublicTypes& row) {
    for (size_t at = 0; (at = row.types.find(type, at)) != std::string_view::npos; ++at)
      if (at > 0 && row.types[at - 1] == ' ' && row.types[at + type.size()] == ' ') return true;
    return false;
  };
  if (type.empty() || type.find(' ') != std::string_view::npos) return {};
  const auto* const row = std::ranges::find_if(public_types, has);
  return row == std::end(public_types) ? std::string_view() : row->module;
}

} // namespace pupc::catalog
