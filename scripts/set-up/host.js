import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { SetUpStopped, say } from "./say.js";

export const isRoot = process.getuid?.() === 0;
export const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function isDebian() {
  return /^ID="?(debian|ubuntu)"?$/m.test(osRelease());
}

export function isUbuntu() {
  return /^ID="?ubuntu"?$/m.test(osRelease());
}

function osRelease() {
  return existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
}

export function isInstalled(program, path = searchPath) {
  return path.split(":").some((folder) => existsSync(`${folder}/${program}`));
}

/** Installs packages of Debian; only as root on Debian or Ubuntu. */
export class Apt {
  #hasLists = false;

  install(names, why) {
    say(`installing ${names.join(", ")} with apt-get: ${why}`);
    if (!this.#hasLists) this.#run("update");
    this.#hasLists = true;
    if (this.#run("install", "-y", "--no-install-recommends", ...names) === 0) return;
    throw new SetUpStopped(
      `apt-get could not install ${names.join(", ")}`,
      `apt-get update && apt-get install -y --no-install-recommends ${names.join(" ")}`,
    );
  }

  #run(...args) {
    const env = { ...handedOn(), DEBIAN_FRONTEND: "noninteractive" };
    const options = ["-qq", "-o", "DPkg::Lock::Timeout=300"];
    return spawnSync("apt-get", [...options, ...args], { stdio: ["ignore", "ignore", 2], env }).status;
  }
}

/** The part of our environment that programs of the machine are given: how to reach the network, and no secret. */
export function handedOn() {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];
  const certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"];
  const kept = [...names, ...certificates].filter((name) => process.env[name]);
  return {
    PATH: searchPath,
    HOME: "/root",
    NEEDRESTART_SUSPEND: "1",
    ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
  };
}
