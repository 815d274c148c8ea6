import { isDebian, isInstalled, isRoot, isUbuntu } from "./host.js";
import { SetUpStopped } from "./say.js";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const why = "this machine has no Chromium, and the tests open pages in one";
const installers = {
  "apt-get": "sudo apt-get install -y chromium",
  dnf: "sudo dnf install -y chromium",
  zypper: "sudo zypper install -y chromium",
  pacman: "sudo pacman -S chromium",
  apk: "sudo apk add chromium",
};

/** Chrome's own package, because Ubuntu's Chromium is a snap, which sees neither /tmp nor hidden folders. */
const onUbuntu =
  "wget -P /tmp https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb && " +
  "sudo apt-get install -y /tmp/google-chrome-stable_current_amd64.deb";

/** Needed by `npm test` only; nothing else opens a page. */
export function ensureBrowser(apt, path = process.env.PATH, mayInstall = isDebian() && !isUbuntu() && isRoot) {
  const isThere = () => names.some((name) => isInstalled(name, path));
  if (isThere()) return;
  if (mayInstall) apt.install(["chromium"], why);
  if (mayInstall && isThere()) return;
  if (isUbuntu()) throw new SetUpStopped(why, onUbuntu);
  const known = Object.keys(installers).find((program) => isInstalled(program));
  throw new SetUpStopped(why, known ? installers[known] : "brew install --cask chromium");
}
