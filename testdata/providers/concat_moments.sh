mkdir -p /srv/t/purged/deep /srv/t/before_tidy /srv/t/after_tidy
for f in purged/stray purged/deep/stray before_tidy/kept before_tidy/stray after_tidy/gone after_tidy/stray no_source_kept empty absent; do echo old > /srv/t/$f; done
