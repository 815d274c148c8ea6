"""One check of a repository mounted read-only at /source, for CI without Node: ruff and pytest over a copy of it.

The report is the only thing on stdout, as JSON. Exit 0: passed, 1: failed, 2: could not run.
"""

import errno
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time

SOURCE = "/source"
WORKSPACE = "/workspace"
PYTHON = "/opt/tilth/venv/bin/python"
RUFF = "/opt/tilth/venv/bin/ruff"
LOOKING_ONLY = ["--no-fix", "--no-fix-only", "--no-cache"]
PINNED_RULES = ["--isolated", "--select", "E4,E7,E9,F"]
LEFT_BEHIND = {".git", ".venv", "venv", "node_modules", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
HINTS = {errno.ENOSPC: "; raise TILTH_CHECK_DISK", errno.EACCES: "; set TILTH_UID to a user who may read it"}
OUTPUT_SHOWN = 8_000
PASSED, FAILED, COULD_NOT_RUN = 0, 1, 2


class CannotRun(Exception):
    pass


def main():
    started = time.monotonic()
    report = {"passed": False, "problem": None, "checks": []}
    try:
        copy_source()
        limit = time_limit()
        report["checks"] = [run_ruff(limit), run_pytest(limit)]
        report["passed"] = all(check["passed"] for check in report["checks"])
        code = PASSED if report["passed"] else FAILED
    except CannotRun as problem:
        report["problem"] = str(problem)
        code = COULD_NOT_RUN
    report["ms"] = round((time.monotonic() - started) * 1000)
    print(json.dumps(report, indent=2))
    return code


def time_limit():
    given = os.environ.get("TILTH_CHECK_TIMEOUT_SECONDS") or "180"
    if not re.fullmatch(r"[1-9]\d{0,5}", given):
        raise CannotRun(f"TILTH_CHECK_TIMEOUT_SECONDS must be a number of seconds, and is {given!r}")
    return int(given)


def copy_source():
    """Pipes, sockets and devices stay behind, and so does what only a machine at work leaves in a folder."""
    try:
        if not os.listdir(SOURCE):
            raise CannotRun("there is nothing in TILTH_REPO")
        for folder, folders, files in os.walk(SOURCE, onerror=stop):
            folders[:] = [name for name in folders if name not in LEFT_BEHIND]
            target = os.path.join(WORKSPACE, os.path.relpath(folder, SOURCE))
            os.makedirs(target, exist_ok=True)
            for name in [*folders, *files]:
                copy(os.path.join(folder, name), os.path.join(target, name))
    except OSError as error:
        hint = HINTS.get(error.errno, "")
        raise CannotRun(f"cannot copy {error.filename}: {error.strerror}{hint}") from error


def stop(error):
    raise error


def copy(source, target):
    """Links as links; files so that they can be written to in the copy, whatever their modes say."""
    mode = os.lstat(source).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISREG(mode):
        shutil.copyfile(source, target)
        os.chmod(target, mode & 0o777 | 0o600)


def run_ruff(limit):
    rules = [] if has_ruff_configuration() else PINNED_RULES
    started = time.monotonic()
    done = run([RUFF, "check", *LOOKING_ONLY, "--quiet", "--output-format=json", *rules, "."], limit)
    if done is None:
        return failed("ruff", "timeout", started)
    if done.returncode not in (0, 1):
        raise CannotRun(f"ruff could not run: {text_of(done.stderr).strip()}")
    findings = [
        {
            "path": os.path.relpath(found["filename"], WORKSPACE),
            "line": found["location"]["row"],
            "rule": found["code"],
            "message": found["message"],
        }
        for found in json.loads(done.stdout)
    ]
    return {"name": "ruff", "passed": done.returncode == 0, "reason": None, "findings": findings, "ms": since(started)}


def has_ruff_configuration():
    if any(os.path.exists(os.path.join(WORKSPACE, name)) for name in ("ruff.toml", ".ruff.toml")):
        return True
    try:
        with open(os.path.join(WORKSPACE, "pyproject.toml"), encoding="utf-8") as file:
            return re.search(r"^\s*\[tool\.ruff[.\]]", file.read(), re.MULTILINE) is not None
    except (OSError, UnicodeDecodeError):
        return False


def run_pytest(limit):
    started = time.monotonic()
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as told:
        done = run([PYTHON, "-I", __file__, "--pytest", str(writing)], limit, writing)
        said = told.read()
    if done is None:
        return failed("pytest", "timeout", started)
    if not said:
        return failed("pytest", "check_died", started, output=text_of(done.stdout))
    seen = json.loads(said)
    output = text_of(done.stdout)
    if seen["unserved"]:
        raise CannotRun(f"pytest options that nothing in the image serves: {', '.join(seen['unserved'])}")
    if seen["exit"] == 5:
        raise CannotRun("pytest found no tests")
    if seen["exit"] not in (0, 1, 2):
        raise CannotRun(f"pytest could not run: {output.strip()}")
    passed = seen["exit"] == 0 and done.returncode == 0
    return {
        "name": "pytest",
        "passed": passed,
        "reason": None if passed else "test_failed",
        "tests": seen["tests"],
        "dropped_options": seen["dropped"],
        "output": "" if passed else output,
        "ms": since(started),
    }


def run(command, limit, report=None):
    """None when it took too long. Nothing that it started lives on: the container ends with this program."""
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/home/tilth",
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # to files: a process that outlives the command holds a pipe open, and would be waited for
    with open("/tmp/out", "w+b") as out, open("/tmp/err", "w+b") as err:
        child = subprocess.Popen(
            command,
            cwd=WORKSPACE,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err if report is None else out,
            pass_fds=() if report is None else (report,),
        )
        if report is not None:
            os.close(report)
        try:
            child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return None
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, child.returncode, out.read(), err.read())


def failed(name, reason, started, output=""):
    return {"name": name, "passed": False, "reason": reason, "output": output, "ms": since(started)}


def text_of(output):
    text = output.decode("utf-8", "replace")
    if len(text) <= OUTPUT_SHOWN:
        return text
    half = OUTPUT_SHOWN // 2
    return f"{text[:half]}\n… {len(text) - OUTPUT_SHOWN} characters left out …\n{text[-half:]}"


def since(started):
    return round((time.monotonic() - started) * 1000)


class Results:
    """The one outcome of each test: the call's, unless setting up or tearing down went wrong."""

    def __init__(self):
        self.tests = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            outcome = "error" if report.failed and report.when != "call" else report.outcome
            self.tests[report.nodeid] = {"id": report.nodeid, "outcome": outcome, "text": report.longreprtext}

    def pytest_collectreport(self, report):
        if report.failed:
            self.tests[report.nodeid] = {"id": report.nodeid, "outcome": "error", "text": report.longreprtext}


def pytest_child(descriptor):
    """Its own process, in isolated mode: the project stands behind the library and the image's packages."""
    os.set_inheritable(descriptor, False)
    import pytest

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from check_options import ProjectOptions

    del sys.path[0]
    options = ProjectOptions(["."])
    arguments = options.arguments()
    seen = {"exit": None, "tests": [], "dropped": options.dropped, "unserved": options.unserved}
    if not options.unserved:
        sys.path.extend(options.paths())
        results = Results()
        plain = ["--import-mode=append", "-p", "no:cacheprovider", "-q", "--color=no"]
        seen["exit"] = int(pytest.main([*plain, *arguments], plugins=[results]))
        seen["tests"] = list(results.tests.values())
    with os.fdopen(descriptor, "w") as told:
        json.dump(seen, told)
    return seen["exit"] or 0


if __name__ == "__main__":
    sys.exit(pytest_child(int(sys.argv[2])) if sys.argv[1:2] == ["--pytest"] else main())
