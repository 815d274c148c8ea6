import { SessionLock } from "../../runner/session/lock/lock.js";

// tries once at the appointed time, says how it went, and holds on until its input ends or it is killed
const [path = "", at = "0"] = process.argv.slice(2);
while (Date.now() < Number(at));
try {
  const lock = SessionLock.acquire(path);
  process.stdin.resume().on("end", () => {
    lock[Symbol.dispose]();
    process.exit(0);
  });
  console.log(`held ${lock.takenOver?.reason ?? "free"}`);
} catch (error) {
  console.log(String(error));
  process.exit(0);
}
