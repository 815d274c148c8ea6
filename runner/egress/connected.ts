import { connect, type Socket } from "node:net";
import type { Destination } from "./destination.js";

/** Connects to the destination; fails as the connection does, or with the signal's reason. */
export function connected({ host, port }: Destination, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error);
    };
    const late = () => fail(signal.reason);
    signal.addEventListener("abort", late, { once: true });
    // this listener stays, because the socket may break before its receiver listens
    socket.on("error", fail);
    socket.once("close", () => signal.removeEventListener("abort", late));
    socket.once("connect", () => {
      signal.removeEventListener("abort", late);
      resolve(socket);
    });
  });
}
