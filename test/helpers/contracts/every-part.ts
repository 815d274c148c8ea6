import { checksContract, suiteContract } from "./checks-contract.js";
import { clerkContract } from "./clerk-contract.js";
import type { HandsPart } from "./hands-contract.js";
import { treeContract } from "./tree-contract.js";
import { workContract } from "./work-contract.js";

/** For hands that are no fake. */
export const everyPart: Readonly<Record<string, HandsPart>> = {
  trees: treeContract,
  clerk: clerkContract,
  work: workContract,
  checks: checksContract,
  suite: suiteContract,
};
