import type { z } from "zod";
import type { operations } from "../../pipe/wire/operations.js";
import type { RoleView } from "../../ports/sandbox.js";
import type { ReceiptItem } from "../../ports/work.js";
import type { SpecContext } from "./container-spec.js";
import { containerSpec } from "./container-spec.js";
import type { Namespaces } from "./namespaces.js";

/** The facts that the resident's `self_test` sees from inside. */
export type SelfTestFacts = z.infer<typeof operations.self_test.reply>;

export interface ExpectedIsolation {
  readonly view: RoleView;
  readonly context: SpecContext;
  /** names of variables that the image itself declares */
  readonly imageEnv: readonly string[];
  readonly host: Namespaces;
}

/** Compares the facts with the spec; each item says what was seen. */
export function receiptItems(facts: SelfTestFacts, expected: ExpectedIsolation): ReceiptItem[] {
  const { identity } = expected.context;
  const raised = Object.entries(facts.caps).filter(([, mask]) => !/^0+$/.test(mask));
  return [
    item("capabilities", raised.length === 0, raised.map(([set, mask]) => `${set}=${mask}`).join(" ") || "none"),
    item("no-new-privileges", facts.no_new_privs === 1, String(facts.no_new_privs)),
    item("seccomp", facts.seccomp === 2, `mode ${facts.seccomp}`),
    item("other processes", !facts.others_limits, facts.others_limits ? "limits can be set" : "out of reach"),
    item(
      "network",
      facts.interfaces.every((name) => name === "lo"),
      facts.interfaces.join(" ") || "no interface",
    ),
    apart(facts.namespaces, expected.host),
    item("root file system", facts.rootfs_readonly, facts.rootfs_readonly ? "read-only" : "writable"),
    item("user", facts.uid === identity.uid && facts.gid === identity.gid, `${facts.uid}:${facts.gid}`),
    differences("mounts", mountLines(facts), wantedMounts(expected), mountsOfEngines),
    differences("environment", facts.env_names, wantedEnv(expected), envOfEngines),
    item("outside", facts.readable_outside.length === 0, facts.readable_outside.join(" ") || "nothing readable"),
  ];
}

/** Namespace numbers of two different kernels cannot be compared. */
function apart(own: Namespaces, host: Namespaces): ReceiptItem {
  const sameKernel = own.boot !== undefined && own.boot === host.boot;
  const kinds = Object.keys(own).filter((kind) => kind !== "boot");
  const shared = sameKernel ? kinds.filter((kind) => own[kind] === host[kind]) : [];
  const seen = shared.length > 0 ? `${shared.join(" ")} of the host` : `own ${kinds.join(" ")}`;
  return item("namespaces", shared.length === 0, seen);
}

function item(name: string, passed: boolean, seen: string): ReceiptItem {
  return { name, passed, seen };
}

/** `habits` may be there or not. */
function differences(
  name: string,
  seen: readonly string[],
  wanted: readonly string[],
  habits: ReadonlySet<string>,
): ReceiptItem {
  const missing = wanted.filter((each) => !seen.includes(each)).map((each) => `without ${each}`);
  const strange = seen.filter((each) => !wanted.includes(each) && !habits.has(each)).map((each) => `besides ${each}`);
  const wrong = [...missing, ...strange];
  return item(name, wrong.length === 0, wrong.join(", ") || `as expected (${seen.length})`);
}

/** The engine's own mounts in every container: devices, /proc, /sys, and the three files that name the host inside. */
const ofTheEngine = /^\/$|^\/(?:proc|sys|dev)(?:\/|$)|^\/etc\/(?:hosts|hostname|resolv\.conf)$/;

/** podman's mark of a container; some versions mount it over our /run, some below it. */
const mountsOfEngines: ReadonlySet<string> = new Set(["/run/.containerenv ro"]);

function mountLines({ mounts }: SelfTestFacts): string[] {
  const ours = mounts.filter(({ dest }) => !ofTheEngine.test(dest));
  return ours.map(({ dest, options }) => `${dest} ${options.includes("ro") ? "ro" : "rw"}`);
}

function wantedMounts({ view, context }: ExpectedIsolation): string[] {
  const { HostConfig: host } = containerSpec(view, context);
  const mounted = (host?.Mounts ?? []).map(({ Target, ReadOnly }) => `${Target} ${ReadOnly ? "ro" : "rw"}`);
  return [...mounted, ...Object.entries(host?.Tmpfs ?? {}).map(tmpfsLine)];
}

function tmpfsLine([dest, options]: readonly [string, string]): string {
  return `${dest} ${options.split(",").includes("ro") ? "ro" : "rw"}`;
}

/** Names that engines add by themselves; each engine has others. */
const envOfEngines: ReadonlySet<string> = new Set(["HOSTNAME", "TERM", "container"]);

function wantedEnv({ view, context, imageEnv }: ExpectedIsolation): string[] {
  const given = (containerSpec(view, context).Env ?? []).map((line) => line.slice(0, line.indexOf("=")));
  return [...new Set([...given, ...imageEnv])];
}
