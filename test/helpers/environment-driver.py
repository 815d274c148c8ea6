"""Runs in a container without network: serves an index of wheels that it makes itself, and runs environment/__main__.py for each job.

stdin: lines of {"packages": [...], "jobs": [{"files", "after", ...}]}; stdout: for each of them a JSON list of its jobs' results.
In files, @NAME-VERSION@ stands for --hash=sha256:… of the wheel, @pytest@ for the version of the image's pytest, @port@ for the port of the index, which `after` has as $PORT."""

import base64
import hashlib
import http.server
import importlib.metadata
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

PYTHON = "/opt/tilth/venv/bin/python"
PROGRAM = "/opt/tilth/environment/__main__.py"
PYTEST = importlib.metadata.version("pytest")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata(package):
    lines = ["Metadata-Version: 2.1", f"Name: {package.get('calls_itself', package['name'])}"]
    lines += [f"Version: {package['version']}", *(f"Requires-Dist: {one}" for one in package.get("requires", []))]
    lines += [f"Requires-Python: {package['requires_python']}"] if "requires_python" in package else []
    return "\n".join(lines) + "\n"


def wheel(package):
    stem = f"{normal(package['name']).replace('-', '_')}-{package['version']}"
    info = f"{stem}.dist-info"
    files = {
        **package.get("files", {}),
        f"{info}/METADATA": metadata(package),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if "entry_points" in package:
        files[f"{info}/entry_points.txt"] = package["entry_points"]
    filled = {"@data@": f"{stem}.data", "@lib@": f"lib/python3.{sys.version_info[1]}"}
    files = {re.sub("@data@|@lib@", lambda found: filled[found[0]], name): text for name, text in files.items()}
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = package.get("modes", {}).get(name, 0o100644) << 16
            archive.writestr(entry, text)
    return f"{stem}-py3-none-any.whl", content.getvalue()


def sdist(package):
    stem = f"{package['name']}-{package['version']}"
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in {**package["sdist"], "PKG-INFO": metadata(package)}.items():
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{stem}.tar.gz", content.getvalue()


class Index:
    def __init__(self, packages):
        self.files, self.pages, self.asked = {}, {}, []
        self.hashes = {}
        for package in packages:
            package["version"] = package["version"].replace("@pytest@", PYTEST)
            made = [sdist(package)] if "sdist" in package else []
            made += [wheel(package)] if package.get("wheel", True) else []
            for name, content in made:
                self.files[name] = content
                self.pages.setdefault(normal(package["name"]), []).append(name)
            self.hashes[f"{package['name']}-{package['version']}"] = hashlib.sha256(made[-1][1]).hexdigest()

    def serve(self):
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.do_GET()

            def do_GET(self):
                index.asked.append(self.path)
                content, kind = index.answer(self.path)
                self.send_response(404 if content is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content or b"")

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.port = self.server.server_address[1]

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path):
        parts = path.strip("/").split("/")
        if len(parts) == 2 and parts[0] == "0" and parts[1] in self.pages:
            links = [
                f'<a href="/files/{name}#sha256={hashlib.sha256(self.files[name]).hexdigest()}">{name}</a>'
                for name in self.pages[parts[1]]
            ]
            return f"<html><body>{''.join(links)}</body></html>".encode(), "text/html"
        if len(parts) == 2 and parts[0] == "files" and parts[1] in self.files:
            return self.files[parts[1]], "application/octet-stream"
        return None, "text/plain"

    def filled(self, text):
        found = re.sub(r"@([A-Za-z0-9._]+-[0-9][\w.]*)@", lambda one: f"--hash=sha256:{self.hashes[one[1]]}", text)
        found = re.sub(r"@bare:([A-Za-z0-9._-]+)@", lambda one: self.hashes[one[1]], found)
        return found.replace("@pytest@", PYTEST).replace("@port@", str(self.port))


def program(verb, text, env=None):
    done = subprocess.run([PYTHON, "-I", PROGRAM, verb], input=text, capture_output=True, text=True, env=env)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def done(verb, spec, job):
    lines, errors = program(verb, json.dumps(spec), {**os.environ, **job.get("env", {})})
    result = next((line["result"] for line in lines if "result" in line), {"ok": None, "problem": errors})
    return lines, errors, result


def ran(job, index):
    files = {
        path: text["base64"] if isinstance(text, dict) else base64.b64encode(index.filled(text).encode()).decode()
        for path, text in job.get("files", {}).items()
    }
    spec = {
        "files": files,
        "named": job.get("named"),
        "from_source": job.get("from_source", []),
        "version": job.get("version"),
        "index_url": f"http://127.0.0.1:{job.get('port', index.port)}/0/",
        "extra_index_urls": [],
        "lock": index.filled(job["lock"]) if job.get("lock") is not None else None,
        "prefer": None,
        "wheels": {},
    }
    index.asked.clear()
    started = time.monotonic()
    lines, errors, result = done("wheels" if spec["from_source"] else "build", spec, job)
    if spec["from_source"] and result["ok"]:
        built = {"lock": result["lock"] or None, "wheels": result["wheels"]}
        lines, errors, result = done("build", {**spec, **built}, job)
    asked = list(index.asked)
    environment = {**os.environ, "PORT": str(index.port)}
    command = ["/bin/bash", "-c", job.get("after", "true")]
    after = subprocess.run(command, capture_output=True, text=True, env=environment)
    return {
        "said": [line["say"] for line in lines if "say" in line],
        "result": result,
        "after": after.stdout + after.stderr,
        "verified": program("verify", "")[0][0] if job.get("verify") else None,
        "asked": asked,
        "asked_afterwards": index.asked[len(asked) :],
        "errors": errors,
        "seconds": time.monotonic() - started,
    }


def emptied(folder):
    for entry in os.scandir(folder):
        shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.remove(entry.path)


def main():
    for line in sys.stdin:
        given = json.loads(line)
        emptied("/tmp")
        emptied("/workspace")
        index = Index(given["packages"])
        index.serve()
        print(json.dumps([ran(job, index) for job in given["jobs"]]), flush=True)
        index.close()


main()
