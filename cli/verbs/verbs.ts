import { imageVerbs, settingVerbs } from "./machine.js";
import { prepVerb, seedVerbs } from "./seeding.js";
import { pageVerb, proofVerbs, resetVerb, sessionVerbs } from "./sessions.js";
import { workVerbs } from "./work.js";

/** Every verb, in the order of the help. */
export const describedVerbs = [
  settingVerbs,
  imageVerbs,
  prepVerb,
  seedVerbs,
  workVerbs,
  sessionVerbs,
  pageVerb,
  resetVerb,
  proofVerbs,
];
