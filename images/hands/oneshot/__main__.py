"""Starts the one-shot check: `/opt/tilth/python -I /opt/tilth/oneshot/__main__.py`."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from oneshot.check import main

sys.exit(main())
