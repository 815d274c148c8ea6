import { expect, it } from "vitest";
import { HttpStatusError, RequestFailed } from "../../runner/model/faults/endpoint-http.js";
import { faultOf } from "../../runner/model/faults/faults.js";
import { Speech } from "../../runner/model/speech.js";
import { Masker } from "../../runner/text/mask.js";
import { endpointsOf } from "../helpers/scripted-model.js";

const { worker } = endpointsOf("http://127.0.0.1:9/v1");

function switched(status: number, message: string): unknown {
  const body = JSON.stringify({ error: { message } });
  const error = new RequestFailed(new HttpStatusError(status, new Headers(), body));
  const fault = faultOf(error, new Masker([]));
  const speech = new Speech({ ...worker, api: "auto" }, { of: () => null, keep: () => undefined });
  return fault === null ? null : speech.learn(fault);
}

it.each([
  [404, "This model is only supported in v1/responses and not in v1/chat/completions."],
  [
    404,
    "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?",
  ],
  [
    400,
    "The chatCompletion operation does not work with the specified model, gpt-5.1-codex. Please choose different model and try again.",
  ],
  [400, "model gpt-5.3-codex is not accessible via the /chat/completions endpoint"],
])("a %i that says a model is not for chat completions leads to the Responses interface: %s", (status, message) => {
  expect(switched(status, message)).toEqual({ from: "chat", to: "responses" });
});

it.each([
  [404, "The model `gpt-9` does not exist or you do not have access to it."],
  [400, "Unsupported parameter: 'temperature' is not supported with this model."],
])("a %i that says something else leads to no other interface: %s", (status, message) => {
  expect(switched(status, message)).toBeNull();
});
