import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { startDaemon } from "./daemon.js";
import { ask, engineAddress } from "./engine-address.js";
import { handedOn, isDebian, isInstalled, isRoot } from "./host.js";
import { SetUpStopped, say } from "./say.js";

/** Gives the address of an engine that answers, and never touches one that answers already. */
export async function ensureEngine(apt) {
  const address = engineAddress();
  const { status, text } = await ask(address, "/_ping");
  if (status === 200) return address;
  if (text === "EACCES")
    throw new SetUpStopped(
      `you may not use the container engine at ${address.shown}`,
      `sudo usermod -aG docker "$USER" && newgrp docker`,
    );
  if (!address.ours)
    throw new SetUpStopped(
      `no container engine answers at ${address.shown}, which DOCKER_HOST or the docker context names`,
      "unset DOCKER_HOST; docker context use default",
    );
  if (process.platform !== "linux")
    throw new SetUpStopped(
      "no container engine answers: Docker Desktop is not installed or not started",
      "open -a Docker",
    );
  if (!isInstalled("dockerd")) installEngine(apt);
  await startEngine(address);
  return address;
}

function installEngine(apt) {
  if (!isDebian())
    throw new SetUpStopped(
      "there is no container engine on this machine",
      "curl -fsSL https://get.docker.com | sudo sh",
    );
  if (!isRoot)
    throw new SetUpStopped(
      "there is no container engine on this machine, and only root can install one",
      `sudo apt-get install -y docker.io && sudo usermod -aG docker "$USER" && newgrp docker`,
    );
  // recommended packages are not installed, so the ones that are needed are named here
  const more = [
    ...(existsSync("/etc/ssl/certs/ca-certificates.crt") ? [] : ["ca-certificates"]),
    ...(usesAppArmor() ? ["apparmor"] : []),
    ...(hasControlGroups() ? [] : ["cgroupfs-mount"]),
  ];
  apt.install(["docker.io", ...more], "there is no container engine on this machine");
}

function usesAppArmor() {
  const file = "/sys/module/apparmor/parameters/enabled";
  return existsSync(file) && readFileSync(file, "utf8").trim() === "Y";
}

function hasControlGroups() {
  return / cgroup2? /.test(readFileSync("/proc/mounts", "utf8"));
}

async function startEngine(address) {
  if (!isRoot)
    throw new SetUpStopped(
      "the container engine of this machine is not running, and only root can start it",
      existsSync("/run/systemd/system") ? "sudo systemctl start docker" : "sudo service docker start",
    );
  if (existsSync("/run/systemd/system")) {
    say("starting the container engine (systemctl start docker)");
    spawnSync("systemctl", ["start", "docker"], { stdio: ["ignore", 2, 2], env: handedOn() });
  }
  if (!hasControlGroups() && isInstalled("cgroupfs-mount"))
    spawnSync("cgroupfs-mount", [], { stdio: ["ignore", 2, 2], env: handedOn() });
  await startDaemon({ address });
}
