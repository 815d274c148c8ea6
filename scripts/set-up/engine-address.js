import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { SetUpStopped } from "./say.js";

/**
 * Follows Docker's own order: DOCKER_HOST, the current context, the socket of this machine. Only the last is ours to
 * bring up.
 */
export function engineAddress() {
  const named = process.env.DOCKER_HOST?.trim() || contextHost();
  if (named) return { ...parse(named), shown: named, ours: false };
  const desktop = join(homedir(), ".docker", "run", "docker.sock");
  const socketPath = !existsSync("/var/run/docker.sock") && existsSync(desktop) ? desktop : "/var/run/docker.sock";
  return { socketPath, shown: socketPath, ours: true };
}

function contextHost() {
  const folder = process.env.DOCKER_CONFIG || join(homedir(), ".docker");
  const name = process.env.DOCKER_CONTEXT || read(join(folder, "config.json"))?.currentContext;
  if (!name || name === "default") return null;
  const id = createHash("sha256").update(name).digest("hex");
  return read(join(folder, "contexts", "meta", id, "meta.json"))?.Endpoints?.docker?.Host ?? null;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function parse(text) {
  if (/^(unix:\/\/)?\//.test(text)) return { socketPath: text.replace(/^unix:\/\//, "") };
  const tcp = /^(?:tcp|http):\/\/([^/:@]+)(?::(\d+))?\/?$/.exec(text);
  if (tcp) return { host: tcp[1], port: Number(tcp[2] ?? 2375) };
  throw new SetUpStopped(
    "DOCKER_HOST or the current docker context is neither a unix:// socket nor a plain tcp:// address",
    "unset DOCKER_HOST; docker context use default",
  );
}

/** The status and the text of an answer; if none comes, a status of 0 and the error's code. */
export function ask({ socketPath, host, port }, path, timeoutMs = 5_000) {
  return new Promise((resolve) => {
    const asking = request({ socketPath, host, port, path, timeout: timeoutMs }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
      answer.on("error", (error) => resolve({ status: 0, text: error.code }));
    });
    asking.on("timeout", () => asking.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
    asking.on("error", (error) => resolve({ status: 0, text: error.code }));
    asking.end();
  });
}
