import { honestPart, partPath } from "./session-parts.js";
import { bash, present, reply, type Step, writeFile } from "./session-play.js";

/** The argument of every process that is started to stay; no other process has it. */
export const mark = `3${Date.now()}`;
const alive = bash(
  `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c '${mark.slice(0, -1)}[${mark.slice(-1)}]'; echo up`,
);
const isAlone = /^exit code 0\n0\nup/;

export const python = (program: string) => bash(`python - <<'END'\n${program}\nEND`);

/** Makes folders deeper than a path can say, and closes the last ones. */
export const deepFolders = `import os
for _ in range(300):
    os.mkdir("d" * 20)
    os.chdir("d" * 20)
os.mkfifo("fifo")
os.chmod("..", 0)
os.chmod(".", 0)`;

const processes: readonly Step[] = [
  reply([
    bash(
      `setsid nohup sleep ${mark} > /dev/null 2>&1 &
       (trap '' TERM HUP INT; while :; do sleep ${mark}; done) &
       sleep ${mark} &
       sh -c 'sh -c "exec -a [kworker] sleep ${mark}" & exit' &
       sleep 0.2; echo started`,
    ),
    alive,
  ]),
  reply(
    [
      python(
        `import os, time
while True:
    try:
        if os.fork() == 0:
            os.setsid()
    except OSError:
        time.sleep(0.1)`,
      ),
      alive,
    ],
    /^exit code 0\nstill running at its end, killed: [\s\S]*started/,
    isAlone,
  ),
  reply(
    [
      bash("kill -STOP 1; kill -TERM 1; kill -9 1; kill -9 -1; for p in /proc/[0-9]*; do kill -9 $(basename $p); done"),
      bash("echo still here; echo > /proc/1/mem; echo > /proc/1/fd/0; ls /proc/1/fd"),
      python(
        `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print("attach", libc.ptrace(16, 1, 0, 0), os.strerror(ctypes.get_errno()))`,
      ),
      python("import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (4, 4))"),
      alive,
    ],
    /^timed out after 7 s/,
    isAlone,
  ),
  reply(
    [honestPart(1), present()],
    /^(killed by|exit code)/,
    /still here[\s\S]*Permission denied[\s\S]*Permission denied/,
    /attach -1/,
    /PermissionError/,
    isAlone,
  ),
];

const floods: readonly Step[] = [
  reply([
    bash("head -c 268435456 /dev/zero"),
    bash("while yes | head -c 4000000; do sleep 0.1; done"),
    bash(`read line; echo "read: $?"; python -c 'input()'; cat < /dev/tty; true`),
    bash("truncate -s 1T huge; dd if=/dev/zero of=huge bs=1M count=1 seek=1048576 2>&1; ls -s huge"),
    bash("dd if=/dev/zero of=/tmp/full bs=1M; dd if=/dev/zero of=$HOME/full bs=1M; df /tmp | tail -1"),
    bash(`python -c "b'x' * (4 << 30)"; python -c "l = []
while True: l.append(bytearray(b'x' * (1 << 24)))"; echo survived`),
    writeFile("sparse.bin", "x"),
  ]),
  reply(
    [bash("rm -f huge; truncate -s 9G sparse.bin"), present()],
    /\d{9,} of \d{9,} bytes left out/,
    /^timed out after 7 s[\s\S]*bytes left out/,
    /read: 1[\s\S]*EOFError/,
    /File size limit exceeded[\s\S]*File size limit exceeded/,
    /No space left[\s\S]*No space left/,
    /survived/,
    /wrote/,
  ),
  reply([bash("rm sparse.bin /tmp/full $HOME/full"), honestPart(2), present()], /exit code 0/, /new or changed files/),
];

const repositories: readonly Step[] = [
  reply([
    bash("rm -rf .git; mv .git gone; ln -sfn /tmp .git; rm -f .git; git rev-parse --git-dir"),
    bash(
      "git commit -q --allow-empty -m scratch && git log --oneline | head -1; git update-ref refs/heads/session/x HEAD",
    ),
    bash("echo x > /repo/HEAD; echo x > /repo/objects/x; git push /repo HEAD:refs/heads/x 2>&1; true"),
    bash(
      "git init -q nested && cd nested && echo a > a && git add a && git commit -q -m a; mkdir ../bare && git init -q --bare ../bare",
    ),
    honestPart(3),
    present(),
  ]),
  reply(
    [
      bash("rm -rf nested bare; mkfifo pipe; chmod 000 parts/__init__.py"),
      python(`import socket\nsocket.socket(socket.AF_UNIX).bind("socket")`),
      bash("ln -s /etc/passwd out; ln -s ../../../../etc up; ln -s .git/config inside; chmod 000 . || :"),
      present(),
    ],
    /Device or resource busy[\s\S]*\/home\/tilth\/\.scratch\.git/,
    /scratch/,
    /Read-only file system[\s\S]*Read-only file system/,
    /exit code 0/,
    /wrote/,
    /nested[\s\S]*nested git repository/,
  ),
  reply(
    [
      bash("rm -f pipe socket out up inside; chmod 644 parts/__init__.py"),
      python(deepFolders),
      python(
        `import os
os.mkdir("many")
for number in range(21_000):
    os.close(os.open(f"many/{number}", os.O_CREAT))`,
      ),
      present(),
    ],
    /exit code 0/,
    /exit code 0/,
    /exit code 0/,
    /(?=[\s\S]*pipe: is a FIFO)(?=[\s\S]*socket: is a socket)(?=[\s\S]*out: )(?=[\s\S]*up: )(?=[\s\S]*inside: )/,
  ),
  reply(
    [
      bash(
        `rm -rf many; find . -type d ! -perm -0700 -execdir chmod u+rwx {} \\; ; rm -rf d*; chmod 6755 ${partPath(3)}; ls -la parts`,
      ),
      present(),
    ],
    /exit code 0/,
    /exit code 0/,
    /./,
    /folders deep/,
  ),
];

/** Leaves files behind the ignore rules, where no tree ever holds them. */
const left = `mkdir -p .venv/bin .venv/locked && cd .venv
git init -q . && printf '[core]\\n\\tfsmonitor = touch /tmp/x\\n' >> .git/config && printf '#!/bin/sh\\n' > .git/hooks/post-checkout
git init -q --bare deep.git
mkfifo bin/pipe; cp /bin/true bin/su; chmod 6755 bin/su; python -c 'import socket; socket.socket(socket.AF_UNIX).bind("s")'
deep=$(printf 'd/%.0s' {1..150}); mkdir -p $deep && git init -q $deep
chmod 2777 bin; chmod 000 locked; chmod 000 .; setsid nohup sleep ${mark} > /dev/null 2>&1 &`;

const leavings: readonly Step[] = [
  reply([honestPart(4), bash(left)]),
  reply([bash("ls -la"), present()], /wrote/, /exit code 0/),
];

export const hostilePlay: Readonly<Record<string, readonly Step[]>> = {
  "T-001": processes,
  "T-002": floods,
  "T-003": repositories,
  "T-004": leavings,
};
