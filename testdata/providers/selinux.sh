# A machine with SELinux: a stand-in for libselinux, and one for Puppet's binding, keep labels in /srv/t/.labels and read the policy in /srv/t/.policy.
cd /srv/t
mkdir kept_directory source source/below tree tree2 tree2/below nfs
for f in wrong wrong_type wrong_ignored same no_policy refused gone source/one source/below/two tree/one tree2/below/f named_range hosts lines; do printf 'old\n' > $f; done
printf '127.0.0.1\tlocalhost\n' > hosts
ln -s same kept_link
mount -t tmpfs tmpfs /sys/fs; mkdir /sys/fs/selinux; echo 1 > /sys/fs/selinux/enforce
mount -t ramfs ramfs nfs
cat > .policy <<'P'
^/srv/t/[^/]*$ * system_u:object_r:any_t:s0
^/srv/t/[^/]*$ - system_u:object_r:regular_t:s0
^/srv/t/[^/]*$ d system_u:object_r:directory_t:s0
^/srv/t/[^/]*$ l system_u:object_r:link_t:s0
^/srv/t/tree/.* * system_u:object_r:tree_t:s0-s0:c0.c9
^/srv/t/no_policy$ * <<none>>
^/srv/t/nfs/.* * system_u:object_r:nfs_t:s0
P
cat > .labels <<'L'
/srv/t/kept_link system_u:object_r:link_t:s0
/srv/t/lines system_u:object_r:regular_t:s0
/srv/t/same system_u:object_r:regular_t:s0
/srv/t/wrong user_u:object_r:tmp_t:s0
/srv/t/wrong_ignored user_u:object_r:tmp_t:s0
/srv/t/wrong_type system_u:object_r:tmp_t:s0
L
printf '# names\ns0=SystemLow\ns0-s0:c0.c1023 = SystemHigh\n' > setrans.conf
lib=$(dirname "$0")/lib; mkdir $lib
cat > $lib/selinux.rb <<'R'
module Selinux
  LABELS = '/srv/t/.labels'
  def self.all = File.readlines(LABELS).to_h { |l| l.chomp.split(' ', 2) }
  def self.is_selinux_enabled = 1
  def self.selinux_translations_path = '/srv/t/setrans.conf'
  def self.lgetfilecon(path)
    return -1 unless File.exist?(path) || File.symlink?(path)
    label = all[path] || 'system_u:object_r:default_t:s0'
    [label.size + 1, label]
  end
  def self.lsetfilecon(path, label)
    return -1 if label.include?('refused_t')
    File.write(LABELS, all.merge(path => label).sort.map { |p, l| "#{p} #{l}\n" }.join)
    0
  end
  def self.matchpathcon(path, mode)
    type = { 0o100000 => '-', 0o040000 => 'd', 0o120000 => 'l' }[mode & 0o170000]
    found = File.readlines('/srv/t/.policy').map { |l| l.chomp.split(' ') }.select { |re, t, _| path =~ /#{re}/ && (t == '*' || !type || t == type) }.last
    found && found[2] != '<<none>>' ? [found[2].size + 1, found[2]] : -1
  end
  def self.matchpathcon_fini = nil
end
R
cat > $lib/selinux.c <<'C'
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
struct line { char path[256], label[256]; };
static struct line lines[500];
static int count;
static void read_labels(void) {
  FILE* f = fopen("/srv/t/.labels", "r");
  for (count = 0; f && fscanf(f, "%255s %255s", lines[count].path, lines[count].label) == 2;) ++count;
  if (f) fclose(f);
}
static int by_path(const void* a, const void* b) { return strcmp(a, b); }
int is_selinux_enabled(void) { return 1; }
const char* selinux_translations_path(void) { return "/srv/t/setrans.conf"; }
void freecon(char* c) { free(c); }
int lgetfilecon(const char* path, char** out) {
  struct stat s;
  if (lstat(path, &s)) return -1;
  read_labels();
  const char* label = "system_u:object_r:default_t:s0";
  for (int i = 0; i < count; ++i)
    if (!strcmp(lines[i].path, path)) label = lines[i].label;
  *out = strdup(label);
  return strlen(label) + 1;
}
int lsetfilecon(const char* path, const char* label) {
  if (strstr(label, "refused_t")) return -1;
  read_labels();
  int at = 0;
  while (at < count && strcmp(lines[at].path, path)) ++at;
  if (at == count) strcpy(lines[count++].path, path);
  strcpy(lines[at].label, label);
  qsort(lines, count, sizeof *lines, by_path);
  FILE* f = fopen("/srv/t/.labels", "w");
  for (int i = 0; i < count; ++i) fprintf(f, "%s %s\n", lines[i].path, lines[i].label);
  fclose(f);
  return 0;
}
// pupc names an open file: /proc/self/fd/N leads to it.
static const char* of_descriptor(const char* path) {
  static char real[4096];
  ssize_t n = readlink(path, real, sizeof real - 1);
  real[n < 0 ? 0 : n] = 0;
  return n < 0 ? path : real;
}
int getfilecon(const char* path, char** out) { return lgetfilecon(of_descriptor(path), out); }
int setfilecon(const char* path, const char* label) { return lsetfilecon(of_descriptor(path), label); }
int matchpathcon(const char* path, mode_t mode, char** out) {
  char type = S_ISREG(mode) ? '-' : S_ISDIR(mode) ? 'd' : S_ISLNK(mode) ? 'l' : 0, pattern[256], t[4], label[256], found[256] = "";
  FILE* f = fopen("/srv/t/.policy", "r");
  while (fscanf(f, "%255s %3s %255s", pattern, t, label) == 3) {
    regex_t r;
    regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB);
    if (!regexec(&r, path, 0, 0, 0) && (t[0] == '*' || !type || t[0] == type)) strcpy(found, label);
    regfree(&r);
  }
  fclose(f);
  if (!found[0] || !strcmp(found, "<<none>>")) return -1;
  *out = strdup(found);
  return 0;
}
C
cc -shared -fPIC -o $lib/libselinux.so.1 $lib/selinux.c
