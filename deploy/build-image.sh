#!/bin/sh
# Builds the container image with buildah. Equal inputs give an image with an equal digest.
#
#   sh deploy/build-image.sh [TAG]          the default tag is switchyard:VERSION
#
#   BASE=IMAGE               instead of the base in the Dockerfile; name a digest (IMAGE@sha256:…) to get the same image later
#   EXECUTABLE=FILE          below the context, instead of dist/switchyard
#   CONTEXT=FOLDER           instead of the project's folder
#   ARCHITECTURE=arm64       of the executable, if it is not this machine's
#   SOURCE=URL               the address of the sources, for the image's label
#   SOURCE_DATE_EPOCH=N      the time of every file in the image, in seconds since 1970; by default that of the commit
#   PACKAGES=FILE            also writes the descriptions of the base's Debian packages to a file, for a bill of materials
#   ARCHIVE=FILE.tar         also writes the image to a file, for "docker load" and "podman load"
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "build-image: $1" >&2
  exit 1
}

for program in buildah jq; do command -v "$program" >/dev/null || fail "$program is not installed"; done
executable="${EXECUTABLE:-dist/switchyard}"
context="${CONTEXT:-.}"
[ -x "$context/$executable" ] || fail "$context/$executable is missing: run \"npm run build\", or set EXECUTABLE"
version="$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)"
revision="$(git rev-parse HEAD 2>/dev/null || echo unknown)"
epoch="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)}" || fail 'set SOURCE_DATE_EPOCH: this folder has no git history'
created="$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)"
tag="${1:-switchyard:$version}"

# The docker format keeps the health check, which the OCI format lacks.
set -- --isolation chroot --format docker --timestamp "$epoch" --file deploy/Dockerfile --tag "$tag" \
  --build-arg "EXECUTABLE=$executable" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
  --build-arg "CREATED=$created" --build-arg "SOURCE=${SOURCE:-unknown}"
if [ -n "${BASE:-}" ]; then set -- "$@" --build-arg "BASE=$BASE" --pull=false; fi
if [ -n "${ARCHITECTURE:-}" ]; then set -- "$@" --arch "$ARCHITECTURE"; fi
buildah build "$@" "$context"

# buildah writes the id and the host name of its container into the image, which are random. The image is written to a folder, where its
# configuration is replaced by one without them, and read again.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
buildah push --quiet --format v2s2 --disable-compression "$tag" "dir:$work/image"
old="$(jq --raw-output '.config.digest | ltrimstr("sha256:")' "$work/image/manifest.json")"
jq --compact-output --sort-keys 'del(.container, .container_config, .config.Hostname)' "$work/image/$old" >"$work/config"
rm "$work/image/$old"
new="$(sha256sum "$work/config" | cut -d ' ' -f 1)"
jq --compact-output --arg digest "sha256:$new" --argjson size "$(wc -c <"$work/config")" \
  '.config.digest = $digest | .config.size = $size' "$work/image/manifest.json" >"$work/manifest"
mv "$work/config" "$work/image/$new"
mv "$work/manifest" "$work/image/manifest.json"
if [ -n "${PACKAGES:-}" ]; then
  for layer in $(jq --raw-output '.layers[].digest | ltrimstr("sha256:")' "$work/image/manifest.json"); do
    # Other layers have no such files, which tar reports as an error.
    tar --extract --to-stdout --file "$work/image/$layer" --wildcards --exclude '*.md5sums' '*var/lib/dpkg/status.d/?*' 2>/dev/null || true
  done >"$PACKAGES"
  [ -s "$PACKAGES" ] || fail 'the base has no list of its packages (var/lib/dpkg/status.d)'
fi
buildah rmi "$tag" >/dev/null
buildah tag "$(buildah pull --quiet "dir:$work/image")" "$tag"

if [ -n "${ARCHIVE:-}" ]; then
  rm -f "$ARCHIVE"
  buildah push "$tag" "docker-archive:$ARCHIVE:$tag"
fi
