"""One check of a repository mounted read-only at /source, for CI without Node: ruff and pytest over a copy of it.

The report is the only thing on stdout, as JSON. Exit 0: passed, 1: failed, 2: could not run.
"""

import ctypes
import errno
import hmac
import json
import os
import re
import secrets
import select
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time

SOURCE = "/source"
WORKSPACE = "/workspace"
PYTHON = "/opt/tilth/venv/bin/python"
RUFF = "/opt/tilth/venv/bin/ruff"
PYTEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oneshot_pytest.py")
RUFF_ARGUMENTS = ["check", "--no-fix", "--no-fix-only", "--no-cache", "--quiet", "--output-format=json"]
PINNED_RULES = ["--isolated", "--select", "E4,E7,E9,F"]
LEFT_BEHIND = {".git", ".venv", "venv", "node_modules", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
HINTS = {errno.ENOSPC: "; raise TILTH_CHECK_DISK", errno.EACCES: "; set TILTH_UID to a user who may read it"}
OUTPUT_SHOWN = 8_000
OUTPUT_READ = 64 * 1024 * 1024
REPORT_LIMIT = 64 * 1024 * 1024
PR_SET_DUMPABLE = 4
POLL = 0.02
GRACE = 2.0
PASSED, FAILED, COULD_NOT_RUN = 0, 1, 2


class CannotRun(Exception):
    pass


def main():
    # the tests have our uid: they must reach neither our memory nor our report
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    said = Said()
    try:
        deadline = time.monotonic() + time_limit()
        threading.Thread(target=end_at, args=(deadline + GRACE, said), daemon=True).start()
        copy_source()
        said.doing = "ruff"
        said.checks.append(run_ruff(deadline))
        said.doing = "pytest"
        said.checks.append(run_pytest(deadline))
        return said.report()
    except CannotRun as problem:
        return said.report(str(problem))


class Said:
    """The report, which is printed once: by the main thread, or by the watch if that one is held up."""

    def __init__(self):
        self.started = time.monotonic()
        self.doing = None
        self.checks = []
        self.once = threading.Lock()

    def report(self, problem=None):
        if not self.once.acquire(blocking=False):
            time.sleep(GRACE)  # the other one is saying it, and then ends the process
            os._exit(COULD_NOT_RUN)
        passed = problem is None and len(self.checks) == 2 and all(check["passed"] for check in self.checks)
        report = {"passed": passed, "problem": problem, "checks": self.checks, "ms": since(self.started)}
        print(json.dumps(report, indent=2), flush=True)
        return COULD_NOT_RUN if problem is not None else PASSED if passed else FAILED

    def too_late(self):
        if self.doing is None:
            return self.report("the repository could not be copied in time; raise TILTH_CHECK_TIMEOUT_SECONDS")
        self.checks = [*self.checks, failed(self.doing, "timeout", self.started)]
        return self.report()


def end_at(deadline, said):
    """Ends a check that none of its own deadlines ended. The container ends with this process, and with it all that
    runs there."""
    time.sleep(max(0.0, deadline - time.monotonic()))
    os._exit(said.too_late())


def time_limit():
    """Limits the whole check, from the first byte that is copied to the report."""
    given = os.environ.get("TILTH_CHECK_TIMEOUT_SECONDS") or "180"
    if not re.fullmatch(r"[1-9]\d{0,5}", given):
        raise CannotRun(f"TILTH_CHECK_TIMEOUT_SECONDS must be a number of seconds, and is {given!r}")
    return int(given)


def copy_source():
    """Leaves behind pipes, sockets, devices, and the folders that tools make while somebody works there."""
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


def run_ruff(deadline):
    rules = [] if has_ruff_configuration() else PINNED_RULES
    started = time.monotonic()
    done = run([RUFF, *RUFF_ARGUMENTS, *rules, "."], deadline)
    if done is None:
        return failed("ruff", "timeout", started)
    if done.returncode not in (0, 1) or len(done.stdout) == OUTPUT_READ:
        raise CannotRun(f"ruff could not run: {text_of(done.stderr).strip() or 'it finds more than can be read'}")
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


def run_pytest(deadline):
    started = time.monotonic()
    told = Told()
    done = run([PYTHON, "-I", PYTEST], deadline, told)
    if done is None:
        return failed("pytest", "timeout", started)
    seen, output = told.report(), text_of(done.stdout)
    if seen is None or (seen["exit"] or 0) != done.returncode:
        return failed("pytest", "check_died", started, output=output)
    if seen["unserved"]:
        raise CannotRun(f"pytest options that nothing in the image serves: {', '.join(seen['unserved'])}")
    outcomes = [test["outcome"] for test in seen["tests"]]
    if seen["exit"] == 5:
        raise CannotRun("pytest found no tests")
    if seen["exit"] not in (0, 1, 2):
        raise CannotRun(f"pytest could not run: {output.strip()}")
    if seen["exit"] == 0 and seen["finished"] and "passed" not in outcomes:
        raise CannotRun(f"no test passed or failed: {len(outcomes)} were skipped or expected to fail")
    passed = seen["exit"] == 0 and seen["finished"] and "passed" in outcomes
    return {
        "name": "pytest",
        "passed": passed,
        "reason": None if passed else "test_failed" if seen["finished"] else "ended_early",
        "tests": seen["tests"],
        "dropped_options": seen["dropped"],
        "output": "" if passed else output,
        "ms": since(started),
    }


class Told:
    """Holds the report of pytest's process: believed only with the nonce, and never waited for when that process is
    gone."""

    def __init__(self):
        self.nonce = secrets.token_hex(32)
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.ours, self.theirs = socket.socketpair()
        self.data = bytearray()

    def hand_over(self):
        socket.send_fds(self.ours, [self.nonce.encode()], [self.writing])
        for end in (self.ours, self.theirs):
            end.close()
        os.close(self.writing)

    def take(self, seconds):
        """Reads whatever comes within so many seconds."""
        if not select.select([self.reading], [], [], seconds)[0]:
            return
        try:
            chunk = os.read(self.reading, 1 << 16)
        except BlockingIOError:
            return
        if chunk:
            self.data += chunk[: REPORT_LIMIT - len(self.data)]
        else:
            time.sleep(seconds)  # every holder has closed it, and the process has yet to end

    def report(self):
        before = -1
        while before != len(self.data):
            before = len(self.data)
            self.take(0)
        try:
            seen = json.loads(self.data)
            return seen if hmac.compare_digest(seen["nonce"], self.nonce) else None
        except (ValueError, KeyError, TypeError):
            return None


def run(command, deadline, told=None):
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
            stdin=subprocess.DEVNULL if told is None else told.theirs,
            stdout=out,
            stderr=err if told is None else out,
        )
        if told is not None:
            told.hand_over()
        while child.poll() is None:
            if time.monotonic() >= deadline:
                child.kill()
                child.wait()
                return None
            told.take(POLL) if told is not None else time.sleep(POLL)
        return subprocess.CompletedProcess(command, child.returncode, ends_of(out), ends_of(err))


def ends_of(file):
    """The output of a program, as much of it as is read."""
    file.seek(0)
    return file.read(OUTPUT_READ)


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


if __name__ == "__main__":
    sys.exit(main())
