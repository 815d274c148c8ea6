#!/bin/sh
# Makes the hands image from a base that has Python; runs once, in the Dockerfile's build stage.
set -eu

lock=/build/requirements.lock
bundle=/build/ca-bundle.crt
if [ -s "$bundle" ]; then export PIP_CERT="$bundle"; else bundle=; fi

if ! command -v git >/dev/null || ! command -v rg >/dev/null; then
  apt="apt-get -qq -o Acquire::Retries=3 ${bundle:+-o Acquire::https::CAInfo=$bundle}"
  $apt update
  DEBIAN_FRONTEND=noninteractive $apt install -y --no-install-recommends git ripgrep ca-certificates >/dev/null
fi

# A base that has these tools already (one of our own images) needs no package index.
if ! cmp -s "$lock" /opt/tilth/requirements.lock; then
  rm -rf /opt/tilth
  mkdir -p /opt/tilth
  ln -s "$(command -v python3)" /opt/tilth/python
  # by its real path: a venv keeps the folder its Python was called in, and looks for the library from there
  "$(readlink -f /opt/tilth/python)" -m venv --symlinks /opt/tilth/venv
  pip="/opt/tilth/venv/bin/python -m pip --disable-pip-version-check --no-cache-dir -q"
  $pip install --no-compile --only-binary :all: --require-hashes -r "$lock"
  $pip freeze --all | grep -Eo '^(pip|setuptools|wheel)==' | tr -d = | xargs $pip uninstall -y
  cp "$lock" /opt/tilth/
fi

# Git trusts a repository of another owner: the worktree is root's where the host's user is root.
printf '[safe]\n\tdirectory = *\n' >/etc/gitconfig

rm -rf /build /root/.cache /var/lib/apt/lists/* /var/cache/apt/*.bin /var/cache/debconf/*-old /var/log/* \
  /usr/share/doc/* /usr/share/man/* /usr/share/info/* /usr/share/locale/*
library="$(/opt/tilth/python -c 'import os; print(os.path.dirname(os.__file__))')"
/opt/tilth/python -m compileall -q -j 0 -f --invalidation-mode unchecked-hash /opt/tilth/venv/lib "$library"
find / -xdev -perm /6000 -exec chmod ug-s {} +
mkdir -p /workspace /repo /home/tilth /opt/tilth/env
chmod 0777 /workspace /repo /home/tilth /opt/tilth/env
