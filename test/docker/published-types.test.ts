import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Api, apis } from "../../runner/base/apis.js";
import { packageFolder } from "../../runner/base/package-folder.js";
import type { ScriptedRequest, Turn } from "../../runner/demo/script/script.js";
import { openModelClient } from "../../runner/model/openai-client.js";
import type { Tuning } from "../../runner/settings/endpoints.js";
import { LoopSession } from "../helpers/loop-session.js";
import { bash, caseOf, write } from "../helpers/loop-turns.js";
import { ResponsesFront } from "../helpers/responses-front.js";
import { scratch } from "../helpers/scratch.js";
import { endpointsOf, startModel } from "../helpers/scripted-model.js";

const types: Readonly<Record<Api, { readonly from: string; readonly name: string }>> = {
  chat: { from: "chat/completions/completions.js", name: "ChatCompletionCreateParamsNonStreaming" },
  responses: { from: "responses/responses.js", name: "ResponseCreateParamsNonStreaming" },
};
const tuning: Tuning = { reasoningEffort: "low", maxOutputTokens: 4_000, temperature: 1 };

function worker({ messages }: ScriptedRequest): Turn {
  const n = /^1\. Criterion of (\d+)$/m.exec(messages.map(({ content }) => String(content)).join("\n"))?.[1];
  const steps: readonly Turn[] = [
    { calls: [bash("ls"), bash("pwd")], content: "I look around." },
    { quiet: "I think." },
    { cut: ["bash", { command: "ls" }] },
    {
      calls: [
        ["bash", "[1]"],
        ["no such tool", {}],
      ],
    },
    { calls: [write(`feature_${n}.py`, `value = ${n}\n`), ["submit_case", caseOf()]] },
  ];
  return steps[messages.filter(({ role }) => role === "assistant").length] ?? { quiet: "There is no more." };
}

/** Every request of a session, as it was sent. */
async function recorded(api: Api): Promise<readonly unknown[]> {
  const loop = await LoopSession.open({ tasks: 2 });
  await using model = await startModel({ worker });
  await using front = await ResponsesFront.start(model.baseUrl);
  const { worker: asked, evaluator, interviewer } = endpointsOf(front.baseUrl);
  const endpoints = { worker: { ...asked, api, tuning }, evaluator: { ...evaluator, api }, interviewer };
  const limits = { requestTimeoutSeconds: 20, maxOutageMinutes: 10 };
  const client = openModelClient(endpoints, limits, { session: loop.files.id, clock: loop.clock });
  const { end } = await loop.runOn(client);
  expect(end.stop.reason).toBe("all_done");
  return front.asked.map(({ body }) => body);
}

/** The compiler's complaints about requests as values of the type that the `openai` package publishes for them. */
function complaints(api: Api, requests: readonly unknown[]): string {
  const { from, name } = types[api];
  const folder = scratch();
  const values = requests.map((request, n) => `export const request${n}: ${name} = ${JSON.stringify(request)};`);
  const file = join(folder, "requests.ts");
  const resources = join(packageFolder, "node_modules", "openai", "resources");
  writeFileSync(file, `import type { ${name} } from ${JSON.stringify(join(resources, from))};\n${values.join("\n")}\n`);
  const compiler = join(packageFolder, "node_modules", "typescript", "lib", "tsc.js");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", file];
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options], { encoding: "utf8", cwd: folder });
  expect(status === 0).toBe(stdout === "");
  return stdout;
}

it.each(apis)("every request of a session fits the published types: %s", async (api) => {
  const requests = await recorded(api);
  expect(requests.length).toBeGreaterThan(10);
  expect(complaints(api, requests)).toBe("");

  const [first] = requests as Record<string, unknown>[];
  const naive = [{ ...first, messages: [{ role: "helper" }], input: [{ role: "helper", content: "x" }] }];
  expect(complaints(api, naive)).toMatch(/error TS/);
  expect(complaints(api, [{ ...first, max_tokens_of_reply: 5 }])).toMatch(/max_tokens_of_reply/);
});
