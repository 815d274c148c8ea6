import { isFinished } from "../../runner/session/listing.js";
import { SessionStore } from "../../runner/session/store.js";
import { GitRepo } from "../helpers/git-repo.js";
import { workToTheEnd } from "../helpers/plug.js";
import type { TaskKind } from "../helpers/stateless-model.js";

// one process that works on a session, to be killed at any of its steps

const [root = "", id = "", ...kinds] = process.argv.slice(2);
const repo = new GitRepo("source", root);
const store = new SessionStore(repo.tilthHome);
const files = store.open(id);
const source = await repo.preflight();
const plugged = { source, folder: repo.root, files, kinds: kinds as TaskKind[] };
// as with `tilth resume`, there is nothing to do when all is done
const isDone = isFinished(store.row(files.id));
process.stdout.write(`${isDone ? "all_done" : (await workToTheEnd(plugged)).stop.reason}\n`);
