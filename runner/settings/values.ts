import { z } from "zod";
import { apis } from "../base/apis.js";
import { allowedHost } from "../egress/allow-list.js";
import { oneLine } from "../text/sanitise.js";

export const whole = (least: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number of at least ${least}`)
    .transform(Number)
    .refine((value) => value >= least, `must be a whole number of at least ${least}`);
/** more than any kernel allows */
const mostProcesses = 4_194_304;
export const processes = whole(32).refine((value) => value <= mostProcesses, `must be at most ${mostProcesses}`);
export const cpus = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, "must be a number of at least 0.01")
  .transform(Number)
  // less would be refused too, but only when a container starts
  .refine((value) => value >= 0.01, "must be a number of at least 0.01");
export const positive = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, "must be a number above 0")
  .transform(Number)
  .refine((value) => value > 0, "must be a number above 0");
const units: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
/** a longer time exceeds what Node's timers can wait, and would be over at once */
const mostSeconds = 1_000_000;
export const seconds = positive.refine((value) => value <= mostSeconds, `must be at most ${mostSeconds}`);
export const size = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,3})?[bkmgt]?b?$/i, "must be a size such as 300m or 2g")
  .transform((text) => {
    const unit = /[bkmgt]/i.exec(text)?.[0].toLowerCase() ?? "";
    return Math.floor(Number.parseFloat(text) * (units[unit] ?? 1));
  })
  .refine((bytes) => bytes >= 64 * 1024 ** 2, "must be at least 64m")
  .refine((bytes) => bytes <= 1024 ** 5, "must be at most 1024t");
export const url = z.string().transform((text, ctx) => {
  const parsed = URL.canParse(text) ? new URL(text) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) ctx.addIssue("must be an http or https address");
  else if (parsed.username || parsed.password)
    ctx.addIssue("must not hold a user or a password; a key belongs in the API_KEY variable beside it");
  else if (parsed.search || parsed.hash) ctx.addIssue("must not have a query or a fragment");
  return text.replace(/\/+$/, "");
});
export const text = z.string();
/** names that can stand in the path of a request for an image */
export const image = z
  .string()
  .regex(/^(?!.*\.\.)[a-z0-9][\w.:/@-]*$/i, "must be the name of an image, with its tag or digest, or its id");
/** characters that fit an HTTP header */
export const key = z.string().regex(/^[\x21-\x7e]+$/, "must be letters, digits and ASCII signs without spaces");
export const list = z.string().transform((names): readonly string[] =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
);
export const hosts = list.superRefine((names, ctx) => {
  for (const name of names)
    if (allowedHost(name) === null)
      ctx.addIssue(
        `must be hosts such as pypi.org, pypi.org:443, *.pypi.org or 10.0.0.5:5432; ${JSON.stringify(oneLine(name, 60))} is none`,
      );
});
const noPath = /^\/|^\.{1,2}$|^\.{1,2}\/|\/\.{1,2}(\/|$)|\/\/|\/$|\\/;
export const dependencies = list
  .superRefine((paths, ctx) => {
    const stray = paths.find((path) => noPath.test(path) || oneLine(path, 1_000) !== path);
    if (stray !== undefined)
      ctx.addIssue(
        `must be paths of files in the repo, or the word none; ${JSON.stringify(oneLine(stray, 60))} is neither`,
      );
    else if (paths.length === 0 || (paths.length > 1 && paths.includes("none")))
      ctx.addIssue("must be paths of files in the repo, or the word none alone");
  })
  .transform((paths): readonly string[] | "none" => (paths[0] === "none" ? "none" : [...new Set(paths)]));
export const distributions = list
  .superRefine((names, ctx) => {
    const stray = names.find((name) => !/^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/i.test(name));
    if (stray !== undefined)
      ctx.addIssue(`must be names of distributions; ${JSON.stringify(oneLine(stray, 60))} is none`);
  })
  .transform((names): readonly string[] => [
    ...new Set(names.map((name) => name.toLowerCase().replace(/[._-]+/g, "-"))),
  ]);
export const api = z.enum(["auto", ...apis], { message: "must be chat, responses or auto" });
export const switched = z.enum(["on", "off"], { message: "must be on or off" }).transform((word) => word === "on");
export const suiteMode = z.enum(["hold", "tell", "off"], { message: "must be hold, tell or off" });
export const zeroIsOff = whole(0).transform((value) => (value === 0 ? null : value));
const leastContext = 1_000;
export const contextLimit = zeroIsOff.refine((tokens) => tokens === null || tokens >= leastContext, {
  message: `must be 0 or at least ${leastContext}`,
});
export const costLimit = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, "must be an amount in US dollars")
  .transform((amount) => (Number(amount) === 0 ? null : Number(amount)));
/** The values of OpenAI, OpenRouter, Google, Fireworks and Ollama; `default` is Groq's. */
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"] as const;
export const effort = z.enum(efforts, { message: `must be one of ${efforts.join(", ")}` });
const mostTemperature = 2;
export const temperature = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,6})?$/, `must be a number from 0 to ${mostTemperature}`)
  .transform(Number)
  .refine((value) => value <= mostTemperature, `must be a number from 0 to ${mostTemperature}`);
