#!/bin/sh
# Upgrades, backs up or restores what compose.yaml runs. README.md explains how to use it.
set -eu

fail() {
  echo "compose.sh: $*" >&2
  exit 1
}

image=crosswalk:0.1.0
# Has GNU tar, and is there already.
tar_image=postgres:18.6-trixie

# One after the other, so that no request fails.
replace() {
  for service in web-1 web-2 worker; do
    docker compose up --detach --no-build --no-deps --wait "$service"
  done
}

upgrade() {
  docker compose build migrate
  new=$(docker image inspect --format '{{.Id}}' "$image")
  # The workers are replaced last. So if a failed upgrade is repeated, they still have the previous version.
  worker=$(docker compose ps --quiet worker | head -n 1)
  [ -n "$worker" ] || fail "No worker runs. To start everything: docker compose up --detach --wait"
  running=$(docker inspect --format '{{.Image}}' "$worker")
  [ "$running" = "$new" ] || docker tag "$running" crosswalk:previous
  # The old version serves requests meanwhile.
  docker compose run --rm --no-deps migrate
  replace
}

# What migrations added stays: the previous version ignores it.
go_back() {
  docker image inspect crosswalk:previous >/dev/null || fail "There is no previous version."
  docker tag crosswalk:previous "$image"
  replace
}

# Images are stored before their records. So if the database is dumped first, the copy of the images has all that it refers to.
back_up() {
  mkdir "$folder" || fail "The folder must be new."
  docker compose exec -T postgres pg_dump --username=postgres --format=custom crosswalk >"$folder/crosswalk.dump"
  docker run --rm --volume crosswalk_images:/data:ro "$tar_image" \
    tar --create --directory=/data --xattrs --xattrs-include='user.*' . >"$folder/images.tar"
  date -u +%Y-%m-%dT%H:%M:%SZ >"$folder/complete"
  echo "The backup is in $folder. Keep a copy of .env elsewhere: without SECRET_KEY, signed links and webhook keys stop working."
}

restore() {
  [ -e "$folder/complete" ] || fail "$folder has no complete backup."
  for volume in crosswalk_postgres crosswalk_images; do
    ! docker volume inspect "$volume" >/dev/null 2>&1 ||
      fail "The volume $volume has data already. Restore on a new machine, or delete all data here first: docker compose down --volumes"
  done
  docker compose up --detach --wait postgres store
  docker compose exec -T postgres pg_restore --username=postgres --dbname=crosswalk --exit-on-error <"$folder/crosswalk.dump"
  docker run --rm --interactive --volume crosswalk_images:/data "$tar_image" \
    tar --extract --directory=/data --xattrs --xattrs-include='user.*' <"$folder/images.tar"
  docker compose up --build --detach --wait
  docker compose run --rm --no-deps worker node scripts/run.mjs scripts/images.ts check
}

case "${1:-} $#" in
  "backup 2" | "restore 2") folder=$(realpath "$(dirname "$2")")/$(basename "$2") ;;
esac
cd "$(dirname "$0")"
case "${1:-} $#" in
  "upgrade 1") upgrade ;;
  "go-back 1") go_back ;;
  "backup 2") back_up ;;
  "restore 2") restore ;;
  *) fail "Usage: compose.sh upgrade|go-back, or compose.sh backup|restore FOLDER" ;;
esac
