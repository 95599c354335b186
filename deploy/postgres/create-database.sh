#!/bin/sh
# Creates the two roles and the database of docs/guides/database.md. PostgreSQL's image runs it at the first start.
set -eu

psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
  --set owner_password="$DATABASE_OWNER_PASSWORD" --set password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE crosswalk_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE crosswalk_app LOGIN PASSWORD :'password' NOINHERIT;
CREATE DATABASE crosswalk OWNER crosswalk_owner;
REVOKE CONNECT ON DATABASE crosswalk FROM PUBLIC;
GRANT CONNECT ON DATABASE crosswalk TO crosswalk_app;
SQL
