#!/bin/sh
# Makes the base of the tested image: the Debian packages of the published base, gcr.io/distroless/base-nossl-debian12, unpacked without
# their scripts, as that image is made.
#
#   sh deploy/test/base.sh FILE.tar         needs root and mmdebstrap
set -eu
file="$1"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}"

# What these need for their scripts only (openssl, debconf, mawk) is removed again.
export PACKAGES="base-files ca-certificates libc6 netbase tzdata"

# Writes what the scripts of the packages would write, and the list of packages where scanners look for it in such images.
finish='set -e
  cd "$1"
  cat usr/share/ca-certificates/mozilla/*.crt >etc/ssl/certs/ca-certificates.crt
  printf "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n" >etc/passwd
  printf "root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n" >etc/group
  echo "hosts: files dns" >etc/nsswitch.conf
  mkdir -p var/lib/dpkg/status.d
  for archive in var/cache/apt/archives/*.deb; do
    package="$(dpkg-deb --field "$archive" Package)"
    case " $PACKAGES " in
      *" $package "*) dpkg-deb --field "$archive" >"var/lib/dpkg/status.d/$package" ;;
      *) dpkg-deb --fsys-tarfile "$archive" | tar --list | grep -v "/$" | xargs rm -f ;;
    esac
  done'
mmdebstrap --quiet --mode=root --variant=extract --format=tar --include="$(echo "$PACKAGES" | tr " " ",")" \
  --extract-hook="$finish" bookworm "$file.unfinished"
mv "$file.unfinished" "$file"
