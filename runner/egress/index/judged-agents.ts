import { Agent as PlainAgent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { awakeSignal } from "../../base/awake.js";
import type { AllowedHost } from "../allow-list.js";
import { type Destination, destination, spelt } from "../destination.js";
import { type DialOptions, DialRefused, dial, systemAddresses } from "../dial.js";

export interface JudgedAgentsOptions extends Omit<DialOptions, "allowed"> {
  readonly allowed: (to: Destination) => AllowedHost;
  /** certificates in PEM to trust beside those of Node */
  readonly ca: string | null;
  readonly mostIdle: number;
}

/** The server could not prove that it is the one that was asked for. */
export class NotTrusted extends Error {}

/** Connections for our own requests, kept open for the next one; each is made by `dial`. */
export class JudgedAgents implements Disposable {
  readonly plain: PlainAgent;
  readonly secure: SecureAgent;
  readonly #options: JudgedAgentsOptions;
  readonly #context: SecureContext;
  readonly #gone = new AbortController();

  constructor(options: JudgedAgentsOptions) {
    this.#options = { ...options, resolve: once(options.resolve ?? systemAddresses) };
    const { ca, mostIdle: maxFreeSockets } = options;
    this.#context = createSecureContext(ca === null ? {} : { ca: [...rootCertificates, ca] });
    const pool = { keepAlive: true, maxFreeSockets, scheduling: "lifo" } as const;
    this.plain = connecting(new PlainAgent(pool), (to) => this.#dialled(to));
    this.secure = connecting(new SecureAgent(pool), async (to) => this.#secured(await this.#dialled(to), to));
  }

  [Symbol.dispose](): void {
    this.#gone.abort(new Error("nothing is fetched any more"));
    this.plain.destroy();
    this.secure.destroy();
  }

  /** While a connection waits, only its end tells that the other side closed it, so our side must close with it. */
  async #dialled(to: Destination): Promise<Socket> {
    const socket = await dial(to, { ...this.#options, allowed: [this.#options.allowed(to)] }, this.#gone.signal);
    socket.allowHalfOpen = false;
    return socket;
  }

  /** Checks the certificate for the name that was asked for, whatever address it has. */
  #secured(socket: Socket, to: Destination): Promise<Socket> {
    const { host } = to;
    const names = isIP(host) === 0 ? { host, servername: host } : { host };
    const secured = connectTls({ socket, ...names, secureContext: this.#context, ALPNProtocols: ["http/1.1"] });
    const within = AbortSignal.any([this.#gone.signal, awakeSignal(this.#options.timeoutMs)]);
    return new Promise((resolve, reject) => {
      const late = () => secured.destroy(within.reason);
      within.addEventListener("abort", late, { once: true });
      // this listener stays, because the socket may break before its receiver listens
      secured.on("error", (error) => {
        secured.destroy();
        reject(reasonOf(error, to));
      });
      secured.once("close", () => {
        within.removeEventListener("abort", late);
        reject(reasonOf(new Error("the connection was closed"), to));
      });
      secured.once("secureConnect", () => {
        within.removeEventListener("abort", late);
        resolve(secured);
      });
    });
  }
}

type Resolve = NonNullable<DialOptions["resolve"]>;

/** Resolves each name once: dozens of connections begin together, and some name servers refuse so many questions. */
function once(resolve: Resolve): Resolve {
  const known = new Map<string, ReturnType<Resolve>>();
  return (name) => {
    const asked = known.get(name) ?? resolve(name);
    known.set(name, asked);
    asked.catch(() => known.delete(name));
    return asked;
  };
}

function connecting<A extends PlainAgent>(agent: A, connect: (to: Destination) => Promise<Socket>): A {
  agent.createConnection = ({ host, port }, done) => {
    const to = destination(host ?? "", Number(port));
    if (to === null) throw new Error(`${host}:${port} was asked for unjudged`);
    connect(to).then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  };
  return agent;
}

function reasonOf(error: Error, to: Destination): Error {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (/CERT|VERIFY|ISSUER|SIGNED|TRUST/.test(code))
    return new NotTrusted(`the certificate of ${spelt(to)} is not trusted: ${error.message}`);
  return new DialRefused("not_reached", `${spelt(to)} could not be reached: ${error.message}`);
}
