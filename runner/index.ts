export { type AppendOrder, addAgain, appendTasks } from "./app/append-tasks.js";
export { examine, examineMachine } from "./app/doctor/doctor.js";
export { examineLive, type Live } from "./app/doctor/doctor-live.js";
export type { Finding } from "./app/doctor/finding.js";
export { type SharedEndpoint, sharedEndpoints } from "./app/doctor/shared-endpoints.js";
export { type ListedEnvironment, listEnvironments, pruneEnvironments } from "./app/environment-verbs.js";
export { type Beyond, type Forecast, forecastOf, type Spread } from "./app/forecast.js";
export { buildHandsImage, listHandsImages, pruneHandsImages, verifyHandsImage } from "./app/image-verbs.js";
export { findHands } from "./app/opening/basis.js";
export { type PrepEnd, type PrepOrder, prepFeature } from "./app/prep-feature.js";
export { type InFlightPolicy, sessionsInFlight, startAgain } from "./app/removal/in-flight.js";
export { branchText, lossText, type Removal, remarksOnRemoval, restoreCommand } from "./app/removal/removal.js";
export { type ResetOrder, resetSession } from "./app/reset-session.js";
export { type RunOrder, resumeSession, runSession } from "./app/run-session.js";
export type { RunEnd } from "./app/running/session-run.js";
export type { InterviewOrder } from "./app/seeding/interview-over.js";
export {
  configJsonSchema,
  doctorJsonSchema,
  doctorLiveJsonSchema,
  type LiveReport,
  type SessionJson,
  sessionJson,
  sessionJsonSchema,
  verificationJsonSchema,
} from "./app/shapes/json-shapes.js";
export { type StageOrder, stageSeed } from "./app/stage-seed.js";
export { type Verification, type VerifyOrder, verifySession } from "./app/verify/verify-session.js";
export { otlpDocument } from "./export/otlp-document.js";
export { isFinished, type SessionRow } from "./session/listing.js";
export { ledgerEntrySchema } from "./session/log/events/verdicts.js";
export { eventSchema, type TilthEvent } from "./session/log/events.js";
export type { SessionFiles } from "./session/session-files.js";
export { checkpointSchema } from "./session/state/checkpoint.js";
export { prdSchema } from "./session/state/prd.js";
export { seedMetaSchema } from "./session/state/seed-meta.js";
export { SessionStore } from "./session/store.js";
export type { Summary } from "./session/summary/summary-schema.js";
export { summarySchema } from "./session/summary/summary-schema.js";
