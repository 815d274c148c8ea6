import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { connected } from "./connected.js";
import type { Destination } from "./destination.js";

export interface ProxySettings {
  readonly https: string | null;
  readonly http: string | null;
  /** hosts reached without a proxy, each with all its subdomains; `*` for every host */
  readonly none: readonly string[];
}

export const noProxies: ProxySettings = { https: null, http: null, none: [] };

const mostHeadBytes = 16 * 1024;

/** Returns null for a host that is reached without a proxy. */
export function proxyFor({ host, port }: Destination, settings: ProxySettings): URL | null {
  const exempt = settings.none.some((entry) => covers(entry, host, port));
  const url = port === 80 ? settings.http : settings.https;
  return exempt || url === null ? null : new URL(url);
}

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, name = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  return (only === undefined || Number(only) === port) && (host === name || host.endsWith(`.${name}`));
}

/** Opens a tunnel to the destination; the proxy resolves the name. */
export async function throughProxy(proxy: URL, { host, port }: Destination, signal: AbortSignal): Promise<Socket> {
  const secure = proxy.protocol === "https:";
  const own = Number(proxy.port) || (secure ? 443 : 80);
  const plain = await connected({ host: proxy.hostname, port: own }, signal);
  const socket = secure ? connectTls({ socket: plain, servername: proxy.hostname }) : plain;
  socket.on("error", () => socket.destroy());
  try {
    const authority = `${host}:${port}`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization(proxy)}\r\n`);
    const head = await headOf(socket, signal);
    if (!/^HTTP\/1\.[01] 2\d\d /.test(head)) throw new Error(`the proxy said ${head.split("\r\n")[0]?.slice(0, 100)}`);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function authorization({ username, password }: URL): string {
  if (username === "") return "";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`;
}

/** Returns the head of the answer and leaves the rest in the socket. */
function headOf(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const end = (settle: () => void) => {
      socket.off("readable", read).off("error", fail).off("close", closed);
      signal.removeEventListener("abort", late);
      settle();
    };
    const fail = (error: unknown) => end(() => reject(error));
    const closed = () => fail(new Error("the proxy closed the connection"));
    const late = () => fail(signal.reason);
    const read = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        seen = Buffer.concat([seen, chunk]);
        const length = seen.indexOf("\r\n\r\n");
        if (length < 0 && seen.length <= mostHeadBytes) continue;
        if (length < 0) return fail(new Error("the proxy did not answer as one"));
        const head = seen.subarray(0, length).toString("latin1");
        return end(() => {
          if (seen.length > length + 4) socket.unshift(seen.subarray(length + 4));
          resolve(head);
        });
      }
    };
    if (signal.aborted) return late();
    signal.addEventListener("abort", late, { once: true });
    socket.on("readable", read).on("error", fail).on("close", closed);
  });
}
