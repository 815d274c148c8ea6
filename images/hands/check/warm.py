"""Imports what tests commonly import, while there is no tree yet that could bring a module of the same name."""

from __future__ import annotations

import _thread
import importlib
import inspect
import os
import random
import sys

from _pytest.config import default_plugins

from check.ground import ground
from check.project import fixtureless, options, plugins, ready_config

NUMBERS_SKIPPED = 64
SCATTERED = ("/workspace", "/tmp", "/dev/shm")
WARM = """
    abc argparse array ast asyncio atexit base64 bisect builtins calendar codecs collections collections.abc
    concurrent.futures concurrent.futures.thread configparser contextlib copy csv dataclasses datetime decimal difflib
    doctest email.message enum errno fcntl fnmatch fractions functools gc getpass gettext glob gzip hashlib heapq hmac
    html http http.client http.server importlib importlib.metadata importlib.resources importlib.util inspect io
    ipaddress itertools json keyword linecache locale logging logging.handlers math mimetypes multiprocessing numbers
    operator os os.path pathlib pdb pickle pkgutil platform pprint queue random re reprlib runpy sched secrets select
    selectors shelve shlex shutil signal socket sqlite3 stat statistics string struct subprocess sys sysconfig tarfile
    tempfile textwrap threading time timeit tokenize tomllib traceback types typing unicodedata unittest
    unittest.async_case unittest.mock urllib.error urllib.parse urllib.request uuid warnings weakref xml.dom.minidom
    xml.etree.ElementTree zipfile zlib zoneinfo
    _pytest.assertion.rewrite _pytest.assertion.util _pytest._code.source _pytest._io.terminalwriter
    _pytest._argcomplete _pytest._py.path faulthandler iniconfig packaging.requirements packaging.version
    pygments pygments.formatters.terminal pygments.lexers.python readline
"""


def warm() -> None:
    """Takes the tree's folders off the path: they are not there yet, and an environment lists them for its own
    programs."""
    sys.path[:] = options.without_tree(sys.path)

    for name in [*WARM.split(), *(f"_pytest.{plugin}" for plugin in default_plugins)]:
        try:
            importlib.import_module(name)
        except ImportError:
            pass  # another Python or pytest than the image's own may lack it
    if plugins.import_ahead():
        ground.take()  # the plugins may replace what they like; the ground is as they left it
    fixtureless.pass_over()
    ready_config.make()
    inspect.getmodule(warm.__code__)  # fills a cache over all modules, which the first traceback would wait for


def scatter() -> None:
    """Skips a random number of process ids and inodes, so that a test cannot tell from its own how many runs came
    before."""
    draw = random.SystemRandom().randrange
    done = _thread.allocate_lock()
    done.acquire()
    for _ in range(draw(NUMBERS_SKIPPED)):
        _thread.start_new_thread(done.release, ())
        done.acquire()
    for folder in SCATTERED:
        try:
            for _ in range(draw(NUMBERS_SKIPPED)):
                os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            pass  # another kind of disk than the one that numbers its files one by one
