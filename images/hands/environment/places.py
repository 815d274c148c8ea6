"""Paths in a container."""

import os
import sys

ENVIRONMENT = "/opt/tilth/env"
WORKSPACE = "/workspace"
IMAGE = "/opt/tilth/venv"
UV = f"{IMAGE}/bin/uv"
PYTHON = os.path.realpath("/opt/tilth/python")

LIBRARY = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}"
PACKAGES = f"{LIBRARY}/site-packages"
SITE = f"{ENVIRONMENT}/{PACKAGES}"
IMAGE_SITE = f"{IMAGE}/{PACKAGES}"
MANIFEST = f"{ENVIRONMENT}/tilth.json"
