import { constants, fstatSync, openSync, write } from "node:fs";
import { Socket } from "node:net";

/**
 * Settles when the bytes are written, and fails with the system's error if they cannot be: EPIPE if nobody is left to
 * read them. While nobody reads, no thread waits in a write: that would hold up even the end of the process.
 */
export type Sink = (bytes: Buffer) => Promise<void>;

const askAgainMs = 20;

export function sinkTo(fd: number): Sink {
  const stat = fstatSync(fd);
  if (stat.isSocket()) return socketSink(new Socket({ fd, readable: false, writable: true }));
  const waits = stat.isFIFO() || stat.isCharacterDevice();
  const own = waits ? unwaiting(fd) : fd;
  return (bytes) => writeAll(own, bytes);
}

/**
 * Opens the same pipe or terminal a second time: the non-blocking flag must not reach other programs that write to it.
 */
function unwaiting(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // no /proc here, or the terminal is another user's
    return fd;
  }
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const written = await new Promise<number>((resolve, reject) => {
      write(fd, bytes, at, bytes.length - at, null, (error, count) => {
        if (!error) resolve(count);
        else if (error.code === "EAGAIN") setTimeout(() => resolve(0), askAgainMs);
        else reject(error);
      });
    });
    at += written;
  }
}

function socketSink(socket: Socket): Sink {
  socket.on("error", () => socket.destroy());
  return (bytes) =>
    new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
}
