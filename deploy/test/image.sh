#!/bin/bash
# Builds the image on a base of Debian's packages, checks it, and runs it: with buildah's chroot isolation, and as the first process of a
# PID namespace on a read-only root without capabilities. Prints "ok CHECK" or "not ok CHECK", and fails if a check failed.
#
#   bash deploy/test/image.sh FOLDER        FOLDER keeps everything that is built
#
#   CONTEXT=FOLDER                          has dist/switchyard, instead of the project's folder
#   BASE_ARCHIVE=FILE.tar                   the base, which is made if it does not exist; by default FOLDER/base.tar
#   PORT=N                                  a free port, by default 28787
#
# Needs root, buildah, mmdebstrap, curl and jq.
set -euo pipefail
mkdir -p "${1:?name a folder}"
folder="$(realpath "$1")"
port="${PORT:-28787}"
context="$(realpath "${CONTEXT:-.}")"
base="${BASE_ARCHIVE:-$folder/base.tar}"
origin="http://127.0.0.1:$port"
MOST_BYTES=200000000
cd "$(dirname "$0")/../.."
failed=0
running=()

cleanup() {
  for pid in "${running[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  buildah umount --all >/dev/null 2>&1 || true
  # What a killed command has left, innermost first, so that the folder can be removed.
  awk -v folder="$folder/" 'index($2, folder) == 1 { print $2 }' /proc/self/mounts | tac | xargs --no-run-if-empty umount
}
trap cleanup EXIT

# Runs a command, and reports whether it succeeded.
check() {
  local name="$1"
  shift
  if "$@"; then echo "ok $name"; else
    echo "not ok $name"
    failed=1
  fi
}

equals() {
  [[ "$1" == "$2" ]] || { echo "  expected $2, got $1"; return 1; }
}

# Waits until a command succeeds, at most a minute.
until_true() {
  for _ in $(seq 600); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.1
  done
  echo "  gave up waiting for: $*"
  return 1
}

configure_storage() {
  mkdir -p "$folder/storage" "$folder/run"
  printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/storage"\nrunroot = "%s/run"\n' "$folder" "$folder" >"$folder/storage.conf"
  export CONTAINERS_STORAGE_CONF="$folder/storage.conf"
}

make_base() {
  [[ -f "$base" ]] || sh deploy/test/base.sh "$base"
  local container
  container="$(buildah from scratch)"
  buildah add --quiet "$container" "$base" / >/dev/null
  buildah commit --quiet --rm --timestamp 0 "$container" localhost/switchyard-base >/dev/null
}

build() {
  CONTEXT="$context" BASE=localhost/switchyard-base SOURCE=https://example.com/switchyard PACKAGES="$folder/$1.packages" \
    sh deploy/build-image.sh "localhost/switchyard:$1" >"$folder/$1.log" 2>&1 || { cat "$folder/$1.log"; exit 1; }
}

digest() {
  buildah images --no-trunc --format '{{.ID}} {{.Digest}}' "localhost/switchyard:$1"
}

# Prints a value of the image's configuration, as JSON unless it is a text.
config() {
  buildah inspect --type image localhost/switchyard:first | jq -r ".Docker.config$1"
}

is_small() {
  local bytes
  bytes="$(du --summarize --apparent-size --block-size=1 "$root" | cut -f1)"
  echo "size: $((bytes / 1000000)) MB"
  [[ "$bytes" -le "$MOST_BYTES" ]]
}

has_labels() {
  local label
  for label in title description licenses version revision created source; do
    [[ "$(config ".Labels.\"org.opencontainers.image.$label\"")" =~ ^.{3,}$ ]] || { echo "  no label $label"; return 1; }
  done
  equals "$(config '.Labels."org.opencontainers.image.version"')" "$(jq -r .version package.json)"
}

has_no_shell() {
  local found
  found="$(find "$root" -xdev \( -name sh -o -name bash -o -name dash -o -name busybox -o -perm /6000 \) ! -type d)"
  equals "$found" ''
}

only_data_is_writable() {
  # Directories and files that the image's user could change, if the root were writable.
  local found
  found="$(find "$root" -xdev -path "$root/dev" -prune -o \( -uid 10001 -o -perm -o+w \) ! -type l -printf '/%P\n' | sort | paste -sd ' ')"
  equals "$found" '/data /data/media /tmp /var/lock /var/tmp'
}

# Starts the image's command with buildah's chroot isolation, which has no PID namespace.
start_in_buildah() {
  buildah run --isolation chroot --env "PORT=$port" --env SWITCHYARD_FIRST_START=print "$container" -- "${command[@]}" >"$folder/output" 2>&1 &
  running+=($!)
}

# buildah does not pass signals on, so the gateway itself, the last of its descendants, gets one.
stop_in_buildah() {
  local pid="${running[-1]}" child="${running[-1]}"
  while [[ -n "$child" ]]; do
    pid="$child"
    child="$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children")"
  done
  kill -TERM "$pid"
  wait "${running[-1]}" || true
}

# Starts a command of the image as the first process of a PID namespace, on a read-only root, without capabilities.
start_alone() {
  env -i "${environment[@]}" "PORT=$port" unshare --mount --pid --fork --kill-child bash -ec '
    root="$1" data="$2"
    shift 2
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount --bind "$data" "$root/data"
    mount -t tmpfs tmpfs "$root/tmp"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec setpriv --no-new-privs unshare --root="$root" --wd=/data --setgid 10001 --setuid 10001 "$@"
  ' bash "$root" "$folder/data" "$@" >"$folder/output" 2>&1 &
  running+=($!)
}

# Prints the first process of the namespace that was started last.
first_process() {
  local parent="${running[-1]}"
  cut -d ' ' -f 1 "/proc/$parent/task/$parent/children"
}

inside() {
  env -i "${environment[@]}" "PORT=$port" nsenter --target "$(first_process)" --mount --pid --root --wd --setgid 10001 --setuid 10001 -- "$@"
}

is_up() {
  curl --silent --fail "$origin/readyz"
}

is_down() {
  ! curl --silent --fail "$origin/healthz"
}

has_key() {
  key="$(grep -o 'sk-[0-9A-Za-z]*' "$folder/output" | head -1)"
  [[ -n "$key" ]]
}

# The output is not a terminal, so the gateway itself prints no secret.
makes_key() {
  ! grep --quiet 'sk-\|welcome#' "$folder/output" || return 1
  key="$(inside /usr/local/bin/switchyard first-start | grep -o 'sk-[0-9A-Za-z]*' | head -1)"
  [[ -n "$key" ]]
}

answers() {
  curl --silent --show-error --fail "$origin/v1/chat/completions" --header "Authorization: Bearer $key" \
    --header 'Content-Type: application/json' --data '{"model": "sandbox-chat", "messages": [{"role": "user", "content": "Hello!"}]}' |
    jq --exit-status '.choices[0].message.content | test("synthetic")' >/dev/null
}

# Sends SIGTERM to the first process; its exit code becomes that of its parent.
stops_with() {
  local status=0
  kill -TERM "$(first_process)"
  wait "${running[-1]}" || status=$?
  equals "$status" "$1" || { tail -5 "$folder/output"; return 1; }
}

configure_storage
make_base
build first
# Other times of the files must make no difference.
touch "$context/dist/switchyard"
build second
container="$(buildah from --pull-never localhost/switchyard:first)"
root="$(buildah mount "$container")"
mapfile -t command < <(config '| (.Entrypoint + .Cmd)[]')
mapfile -t environment < <(config '.Env[]')

check 'two builds have the same digest' equals "$(digest first)" "$(digest second)"
check 'the image has at most 200 MB' is_small
check 'the packages of the base are listed for the bill of materials' grep --quiet '^Package: libc6$' "$folder/first.packages"
check 'the user is not root' equals "$(config .User)" 10001:10001
check 'the data folder is a volume' equals "$(config '.Volumes | keys[]')" /data
check 'the health check runs the health command' equals "$(config '.Healthcheck.Test | join(" ")')" 'CMD /usr/local/bin/switchyard health'
check 'the labels name version, revision, date, license and source' has_labels
check 'there is no shell and no file with a setuid bit' has_no_shell
check 'only the data folder and folders for temporary files are writable' only_data_is_writable

start_in_buildah
check 'it is ready with chroot isolation' until_true is_up
check 'it prints a first key with chroot isolation' until_true has_key
check 'it gives a first answer with chroot isolation' answers
stop_in_buildah

rm -rf "$folder/data"
mkdir -p "$folder/data"
chown 10001:0 "$folder/data"
chmod 0770 "$folder/data"
start_alone "${command[@]}"
check 'it is ready as the first process on a read-only root' until_true is_up
check 'a command makes the first key on a read-only root' makes_key
check 'it gives a first answer on a read-only root' answers
check 'the health command finds it' inside /usr/local/bin/switchyard health
check 'it stops with exit code 0 on SIGTERM' stops_with 0
check 'nothing answers when it has stopped' is_down
start_alone "${command[@]}"
check 'it is ready on the same data folder' until_true is_up
check 'the first key still works' answers
check 'it stops again' stops_with 0

# A database that accepts connections and never answers keeps the gateway from starting.
node -e 'require("net").createServer(() => console.log("asked")).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' \
  >"$folder/database" &
running+=($!)
check 'the database listens' until_true grep --quiet . "$folder/database"
environment+=("DATABASE_URL=postgres://user:password@127.0.0.1:$(head -1 "$folder/database")/none?connect_timeout=600")
environment+=(SWITCHYARD_SECRET=a-secret-for-this-check-only)
start_alone "${command[@]}"
check 'it waits for its database' until_true grep --quiet asked "$folder/database"
check 'it can be stopped while it starts' stops_with 143

exit "$failed"
