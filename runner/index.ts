export { type AppendOrder, addAgain, appendTasks } from "./append-tasks.js";
export { examine, examineMachine } from "./doctor.js";
export { examineLive, type Live } from "./doctor-live.js";
export { type ListedEnvironment, listEnvironments, pruneEnvironments } from "./environment-verbs.js";
export { otlpDocument } from "./export/otlp-document.js";
export type { Finding } from "./finding.js";
export { type Beyond, type Forecast, forecastOf, type Spread } from "./forecast.js";
export { findEngine } from "./ground.js";
export { buildHandsImage, listHandsImages, pruneHandsImages, verifyHandsImage } from "./image-verbs.js";
export { type InFlightPolicy, sessionsInFlight, startAgain } from "./in-flight.js";
export type { InterviewOrder } from "./interview-over.js";
export {
  configJsonSchema,
  doctorJsonSchema,
  doctorLiveJsonSchema,
  type LiveReport,
  type SessionJson,
  sessionJson,
  sessionJsonSchema,
  verificationJsonSchema,
} from "./json-shapes.js";
export { type PrepEnd, type PrepOrder, prepFeature } from "./prep-feature.js";
export { branchText, lossText, type Removal, remarksOnRemoval, restoreCommand } from "./removal.js";
export { type ResetOrder, resetSession } from "./reset-session.js";
export { type RunOrder, resumeSession, runSession } from "./run-session.js";
export { checkpointSchema } from "./session/checkpoint.js";
export { eventSchema, ledgerEntrySchema, type TilthEvent } from "./session/events.js";
export { isFinished, type SessionRow } from "./session/listing.js";
export { prdSchema } from "./session/prd.js";
export { seedMetaSchema } from "./session/seed-meta.js";
export type { SessionFiles } from "./session/session-files.js";
export { SessionStore } from "./session/store.js";
export type { Summary } from "./session/summary-schema.js";
export { summarySchema } from "./session/summary-schema.js";
export type { RunEnd } from "./session-run.js";
export { type SharedEndpoint, sharedEndpoints } from "./shared-endpoints.js";
export { type StageOrder, stageSeed } from "./stage-seed.js";
export { type Verification, type VerifyOrder, verifySession } from "./verify/verify-session.js";
