#!/bin/sh
# Makes of a folder the root of what follows, as process 1 of a pid namespace in a mount namespace of its own:
#   enter.sh ROOT USER LEASE [MODE SOURCE TARGET]...
# USER is `uid:gid`, or empty for whoever is root of a user namespace only. MODE is `rw` or `ro`; SOURCE is a path of
# the host, or `memory` for a file system that lives as long as the process.
set -eu
root=$1 user=$2 lease=$3
shift 3

own=
if [ -n "$user" ]; then own=",uid=${user%:*},gid=${user#*:}"; fi
read_only() { mount -o remount,bind,ro,nosuid,nodev "$1"; }

mount --bind "$root" "$root"
read_only "$root"
mount -t proc proc "$root/proc"
for device in null zero full random urandom tty; do mount --bind "/dev/$device" "$root/dev/$device"; done
while [ $# -gt 0 ]; do
  mode=$1 source=$2 target=$root$3
  shift 3
  if [ "$source" = memory ]; then
    mount -t tmpfs -o "nosuid,nodev,mode=1777$own" memory "$target"
  else
    mount --bind "$source" "$target"
    if [ "$mode" = ro ]; then read_only "$target"; fi
  fi
done

change=
if [ -n "$user" ]; then change="--reuid=${user%:*} --regid=${user#*:} --clear-groups"; fi
# shellcheck disable=SC2086 # several words, or none
exec chroot "$root" /usr/bin/setpriv $change --bounding-set=-all --inh-caps=-all --no-new-privs \
  /usr/bin/env -i PATH=/opt/tilth/venv/bin:/usr/local/bin:/usr/bin:/bin HOME=/home/tilth LANG=C.UTF-8 \
  /opt/tilth/python -I -S /opt/tilth/resident/__main__.pyc --lease-seconds "$lease"
