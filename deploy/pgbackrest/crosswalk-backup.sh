#!/bin/sh
# Backs up the database with pgBackRest, or restores it. Copy this file to /usr/local/sbin/crosswalk-backup on each machine of the database, and run it
# as root. docs/guides/backup.md explains how to use it.
set -eu
# cron does not look for runuser in /usr/sbin.
PATH=$PATH:/usr/sbin

fail() {
  echo "crosswalk-backup: $*" >&2
  exit 1
}

usage="Usage: crosswalk-backup full|diff, or crosswalk-backup restore TIME|latest, with a TIME such as '2026-11-27 09:30:00+00'"

as_postgres() {
  runuser -u postgres -- "$@"
}

# Variables with the passphrase and the keys of pgBackRest: those of Patroni, or those that Debian gives to PostgreSQL.
load_variables() {
  if [ -n "${CROSSWALK_BACKUP_VARIABLES:-}" ]; then
    variables=$CROSSWALK_BACKUP_VARIABLES
  elif [ -e /etc/patroni_env.conf ]; then
    variables=/etc/patroni_env.conf
  else
    set -- /etc/postgresql/*/main/environment
    [ $# -eq 1 ] || fail "There are several clusters: $*. Set CROSSWALK_BACKUP_VARIABLES to one of these files."
    variables=$1
  fi
  [ -r "$variables" ] || fail "$variables can't be read. Run this as root on a machine of the database."
  set -a
  . "$variables"
  set +a
}

under_patroni() {
  [ -n "${PATRONI_RESTAPI_CONNECT_ADDRESS:-}" ]
}

back_up() {
  # Under Patroni, only the primary is backed up. The others respond with 503, which is curl's exit code 22. If restapi has a certificate: https and
  # --cacert.
  if under_patroni; then
    asked=0
    curl --silent --fail --max-time 10 --output /dev/null "http://$PATRONI_RESTAPI_CONNECT_ADDRESS/primary" || asked=$?
    case $asked in
      0) ;;
      22) exit 0 ;;
      *)
        fail "Patroni at $PATRONI_RESTAPI_CONNECT_ADDRESS does not say whether this is the primary (curl: $asked). Nothing was backed up."
        ;;
    esac
  fi

  as_postgres pgbackrest --stanza=crosswalk --type="$1" backup

  # Renamed once it is complete, so that node_exporter never reads half a file.
  metrics=${CROSSWALK_BACKUP_METRICS:-/var/lib/prometheus/node-exporter}/crosswalk-backup.prom
  echo "backup_finished_timestamp_seconds $(date +%s)" >"$metrics.new"
  chmod 644 "$metrics.new"
  mv "$metrics.new" "$metrics"
}

patroni_config=${CROSSWALK_PATRONI_CONFIG:-/etc/patroni/config.yml}

patronictl_here() {
  as_postgres patronictl -c "$patroni_config" "$@"
}

# Lists the machines on which Patroni runs, one per line.
running_members() {
  patronictl_here list --format=tsv | awk -F '\t' 'NR > 1 && $5 != "stopped" { print $2 }'
}

restore() {
  if [ "$1" = latest ]; then
    options=
  else
    echo "$1" | grep -Eq '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?[+-][0-9]{2}(:?[0-9]{2})?$' || fail "$usage"
    options="--type=time --target-action=promote --target='$1'"
  fi
  if under_patroni; then
    data=$PATRONI_POSTGRESQL_DATA_DIR
    others=$(running_members | grep -Fvx "$PATRONI_NAME" || true)
    [ -z "$others" ] || fail "Patroni still runs on $(echo $others). Stop it on all machines: systemctl stop patroni"
  else
    data=${PGBACKREST_PG1_PATH:-$(sed -n 's/^pg1-path *= *//p' "${PGBACKREST_CONFIG:-/etc/pgbackrest/pgbackrest.conf}")}
  fi
  # Before anything is stopped: can the repository be read, and does it have a backup?
  as_postgres pgbackrest --stanza=crosswalk info | grep -q "full backup" || fail "The repository has no full backup."

  before=$data.before-$(date +%Y%m%dT%H%M%S)
  if under_patroni; then
    systemctl stop patroni
    # What etcd knows of the cluster would keep a restored state from starting.
    printf 'crosswalk\nYes I am aware\n' | patronictl_here remove crosswalk
  else
    systemctl stop postgresql
  fi
  # A new machine has no data yet.
  [ ! -e "$data" ] || as_postgres mv "$data" "$before"
  if under_patroni; then
    restore_with_patroni
  else
    restore_alone
  fi
  echo "The database is restored. Check it as docs/guides/backup.md says, and then make a full backup: crosswalk-backup full"
  [ ! -e "$before" ] || echo "The data from before the restore is in $before. Delete it after the checks."
}

restore_alone() {
  as_postgres mkdir -m 700 "$data"
  if ! eval "as_postgres pgbackrest --stanza=crosswalk $options restore"; then
    as_postgres rm -rf "$data"
    [ ! -e "$before" ] || as_postgres mv "$before" "$data"
    fail "pgBackRest could not restore (see above). The data is as before. To use it, start PostgreSQL: systemctl start postgresql"
  fi
  systemctl start postgresql
  until [ "$(as_postgres psql -X -At -d postgres -c 'SELECT pg_is_in_recovery()' 2>&1)" = f ]; do
    pid=$(head -n 1 "$data/postmaster.pid" 2>/dev/null || true)
    { [ -n "$pid" ] && kill -0 "$pid"; } 2>/dev/null || fail "PostgreSQL ended during the recovery. Its log says why. The data from before is in $before."
    sleep 1
  done
}

# Patroni would start PostgreSQL with settings of the old state, so it restores the backup itself when it creates the cluster.
restore_with_patroni() {
  kept=$patroni_config.before-restore
  cp -p "$patroni_config" "$kept"
  trap 'mv "$kept" "$patroni_config"' EXIT
  bootstrap="  method: pgbackrest\n  pgbackrest:\n    command: pgbackrest --stanza=crosswalk $options restore\n    keep_existing_recovery_conf: true\n    no_params: true"
  sed "s|^bootstrap:.*|&\n$bootstrap|" "$kept" >"$patroni_config"
  systemctl start patroni
  until patronictl_here list --format=tsv | awk -F '\t' '$4 == "Leader" && $5 == "running" { found = 1 } END { exit !found }'; do
    systemctl is-active --quiet patroni || fail "Patroni ended during the restore. Its log says why. The data from before is in $before."
    sleep 1
  done
  echo "This machine is the primary. Start Patroni on the others, which copy the data: systemctl start patroni"
}

case "${1:-} $#" in
  "full 1" | "diff 1") command=back_up ;;
  "restore 2") command=restore ;;
  *) fail "$usage" ;;
esac
load_variables
if [ "$command" = restore ]; then restore "$2"; else back_up "$1"; fi
