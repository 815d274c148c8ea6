"""Some packages bring a folder `tests` along by mistake. Who asks for it means the tree's own."""

import sys
from importlib.machinery import PathFinder

import check_options as options
from check_scan_library import CARELESS


class TestsFirst:
    @staticmethod
    def find_spec(name, path=None, target=None):
        folders = [folder for folder in sys.path if options.is_in_tree(folder)] if name == "tests" else []
        return PathFinder.find_spec(name, folders, target) if folders else None


def install():
    if CARELESS:
        sys.meta_path.insert(0, TestsFirst)
