import { isDebian, isInstalled, isRoot } from "./host.js";
import { SetUpStopped } from "./say.js";

/** tilth itself needs git; the engine lists a container's processes with ps, and the tests type into tmux. */
const packages = { git: "git", ps: "procps", tmux: "tmux" };
const installers = {
  "apt-get": "sudo apt-get install -y git",
  dnf: "sudo dnf install -y git",
  zypper: "sudo zypper install -y git",
  pacman: "sudo pacman -S git",
  apk: "sudo apk add git",
};

export function ensurePrograms(apt) {
  const missing = Object.keys(packages).filter((program) => !isInstalled(program, process.env.PATH));
  if (missing.length === 0) return;
  const why = `this machine has no ${missing.join(" and no ")}`;
  if (isDebian() && isRoot) {
    const names = missing.map((program) => packages[program]);
    apt.install(names, why);
  } else if (missing.includes("git")) {
    const known = Object.keys(installers).find((program) => isInstalled(program));
    throw new SetUpStopped(why, known ? installers[known] : "xcode-select --install");
  }
}
