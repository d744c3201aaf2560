#!/bin/sh
# Writes the secrets of compose.yaml to the folder `secrets` beside it. Existing files stay, so it can be run again.
set -eu
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets
chmod 700 secrets

random() {
  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'
}

# The folder protects the files on this machine. Within a container they must be readable by its user, which differs from yours.
write() {
  if [ -s "secrets/$1" ]; then return; fi
  # An interrupted run may have left this file, which cannot be written to.
  rm -f "secrets/$1.tmp"
  printf '%s' "$2" >"secrets/$1.tmp"
  chmod 444 "secrets/$1.tmp"
  mv -f "secrets/$1.tmp" "secrets/$1"
  echo "secrets/$1"
}

write master_secret "$(random)"
write postgres_password "$(random)"
write metrics_token "$(random)"
write grafana_password "$(random)"
write database_url "postgres://switchyard:$(cat secrets/postgres_password)@postgres:5432/switchyard"
write redis_conf "requirepass $(random)"
write redis_url "redis://:$(sed -n 's/^requirepass //p' secrets/redis_conf)@redis:6379"
