export { examine, type Finding } from "./doctor.js";
export { buildHandsImage, listHandsImages, verifyHandsImage } from "./image-verbs.js";
export {
  configJsonSchema,
  doctorJsonSchema,
  type SessionJson,
  sessionJson,
  sessionJsonSchema,
} from "./json-shapes.js";
export { type RunOrder, runSession } from "./run-session.js";
export { checkpointSchema } from "./session/checkpoint.js";
export { eventSchema, ledgerEntrySchema, type TilthEvent } from "./session/events.js";
export type { SessionRow } from "./session/listing.js";
export { prdSchema } from "./session/prd.js";
export { seedMetaSchema } from "./session/seed-meta.js";
export type { SessionFiles } from "./session/session-files.js";
export { SessionStore } from "./session/store.js";
export type { Summary } from "./session/summary-schema.js";
export { summarySchema } from "./session/summary-schema.js";
export type { RunEnd } from "./session-run.js";
export { type StageOrder, stageSeed } from "./stage-seed.js";
