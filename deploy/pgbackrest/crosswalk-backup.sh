#!/bin/sh
# Backs up the database with pgBackRest, and tells monitoring when it finished. Copy this file to /usr/local/sbin/crosswalk-backup on each machine
# of the database. cron runs it as root: crosswalk-backup full|diff. docs/guides/backup.md explains how to use it.
set -eu
# cron does not look for runuser in /usr/sbin.
PATH=$PATH:/usr/sbin

# Variables with the passphrase and the keys of pgBackRest: those of Patroni, or those that Debian gives to PostgreSQL.
variables=/etc/patroni_env.conf
[ -e "$variables" ] || variables=/etc/postgresql/17/main/environment
set -a
. "$variables"
set +a

# Under Patroni, only the primary is backed up. The others respond with 503, which is curl's exit code 22. If restapi has a certificate: https and
# --cacert.
if [ -n "${PATRONI_RESTAPI_CONNECT_ADDRESS:-}" ]; then
  asked=0
  curl --silent --fail --max-time 10 --output /dev/null "http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary" || asked=$?
  case $asked in
    0) ;;
    22) exit 0 ;;
    *)
      echo "Patroni at $PATRONI_RESTAPI_CONNECT_ADDRESS does not say whether this is the primary (curl: $asked). Nothing was backed up." >&2
      exit 1
      ;;
  esac
fi

runuser -u postgres -- pgbackrest --stanza=crosswalk --type="$1" backup

# Renamed once it is complete, so that node_exporter never reads half a file.
metrics=/var/lib/prometheus/node-exporter/crosswalk-backup.prom
echo "backup_finished_timestamp_seconds $(date +%s)" >"$metrics.new"
chmod 644 "$metrics.new"
mv "$metrics.new" "$metrics"
