/** Requests refused as real servers refuse them; the texts are published ones. */
export interface PublishedRefusal {
  /** the server or provider that published the text */
  readonly by: string;
  readonly status?: number;
  readonly body: unknown;
  /** the name under which the parameter was sent */
  readonly parameter: string;
  readonly sentInstead?: string;
}

const invalid = { type: "invalid_request_error" };
const openAi = (message: string, param: string | null, code: string | null = null) => ({
  error: { message, ...invalid, param, code },
});
const forbidden = (...loc: (string | number)[]) => ({
  type: "extra_forbidden",
  loc: ["body", ...loc],
  msg: "Extra inputs are not permitted",
  input: "x",
});
const google = (message: string) => [
  {
    error: {
      code: 400,
      message,
      status: "INVALID_ARGUMENT",
      details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ description: message }] }],
    },
  },
];

/** Refusals of parameters. */
export const refusedParameters: readonly PublishedRefusal[] = [
  {
    by: "Cohere",
    status: 422,
    body: {
      message:
        "unknown field: parameter 'reasoning_effort' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/chat",
    },
    parameter: "reasoning_effort",
  },
  {
    by: "OpenAI, an unsupported value",
    body: openAi(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      "temperature",
      "unsupported_value",
    ),
    parameter: "temperature",
  },
  {
    by: "OpenAI, an argument that the model does not know",
    body: openAi("Unrecognized request argument supplied: reasoning_effort", null),
    parameter: "reasoning_effort",
  },
  {
    by: "OpenAI, a parameter of the other interface's name",
    body: openAi(
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      "reasoning.effort",
      "unsupported_parameter",
    ),
    parameter: "reasoning_effort",
  },
  {
    by: "OpenAI, a value out of bounds",
    body: openAi(
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      "max_tokens",
    ),
    parameter: "max_completion_tokens",
  },
  {
    by: "OpenAI, a value out of bounds behind another address",
    body: openAi(
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      "max_tokens",
    ),
    parameter: "max_tokens",
  },
  {
    by: "OpenAI, a reasoning model behind another address",
    body: openAi(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "max_tokens",
      "unsupported_parameter",
    ),
    parameter: "max_tokens",
    sentInstead: "max_completion_tokens",
  },
  {
    by: "Azure, an older interface",
    body: openAi("Unrecognized request argument supplied: max_completion_tokens", null),
    parameter: "max_completion_tokens",
    sentInstead: "max_tokens",
  },
  {
    by: "vLLM, older than the name",
    body: {
      object: "error",
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted', 'input': 800}]",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
    parameter: "max_completion_tokens",
    sentInstead: "max_tokens",
  },
  {
    by: "Volcengine, a value out of bounds",
    body: {
      error: {
        code: "InvalidParameter",
        message:
          "The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead.",
        param: "max_completion_tokens",
        type: "BadRequest",
      },
    },
    parameter: "max_completion_tokens",
  },
  {
    by: "Mistral",
    status: 422,
    body: {
      object: "error",
      message: { detail: [forbidden("reasoning_effort")] },
      ...invalid,
      param: null,
      code: null,
    },
    parameter: "reasoning_effort",
  },
  {
    by: "Mistral, its own text in a string",
    status: 422,
    body: {
      object: "error",
      message: JSON.stringify({ detail: [forbidden("reasoning_effort")] }),
      type: "internal_error_proxy",
      param: null,
      code: "1000",
    },
    parameter: "reasoning_effort",
  },
  {
    by: "SGLang, a value it does not know",
    body: {
      object: "error",
      message:
        "1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \"Input should be 'low', 'medium' or 'high'\", 'input': 'xhigh'}",
      type: "Bad Request",
      param: null,
      code: 400,
    },
    parameter: "reasoning_effort",
  },
  {
    by: "Google, in a list",
    body: google('Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.'),
    parameter: "reasoning_effort",
  },
  {
    by: "Google, a value it does not know",
    body: google("Invalid reasoning_effort: minimal. Valid values are: high, low, medium, none"),
    parameter: "reasoning_effort",
  },
  {
    by: "Anthropic, a deprecated parameter",
    body: { type: "error", error: { ...invalid, message: "`temperature` is deprecated for this model." } },
    parameter: "temperature",
  },
  {
    by: "Anthropic, an unknown parameter",
    body: { type: "error", error: { ...invalid, message: "reasoning_effort: Extra inputs are not permitted" } },
    parameter: "reasoning_effort",
  },
  {
    by: "LiteLLM",
    body: {
      error: {
        message:
          "litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort'], for model=o4-mini. To drop these, set `litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use these params dynamically send allowed_openai_params=['reasoning_effort'] in your request.",
        type: "None",
        param: null,
        code: "400",
      },
    },
    parameter: "reasoning_effort",
  },
  {
    by: "xAI, in its own spelling",
    body: {
      code: "Client specified an invalid argument",
      error: "Model grok-4-latest does not support parameter reasoningEffort.",
    },
    parameter: "reasoning_effort",
  },
  {
    by: "DeepSeek",
    body: openAi("deepseek-reasoner does not support the parameter `temperature`", null, "invalid_request_error"),
    parameter: "temperature",
  },
  {
    by: "DeepSeek, a number out of bounds",
    body: openAi("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", null, "invalid_request_error"),
    parameter: "max_tokens",
  },
  {
    by: "Alibaba, a number out of bounds",
    body: {
      error: {
        code: "invalid_parameter_error",
        param: null,
        message: "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
        ...invalid,
      },
    },
    parameter: "max_tokens",
  },
  {
    by: "Groq, a value it does not know",
    body: { error: { message: "`reasoning_effort` must be one of `none` or `default`", ...invalid } },
    parameter: "reasoning_effort",
  },
  {
    by: "Groq, another one",
    body: {
      error: {
        message:
          "'reasoning_effort' : value is not one of the allowed values ['none', 'default', 'low', 'medium', 'high']",
        ...invalid,
      },
    },
    parameter: "reasoning_effort",
  },
  {
    by: "Ollama, a model that does not think",
    body: openAi('"llama3.1:8b" does not support thinking', null),
    parameter: "reasoning_effort",
  },
  {
    by: "Ollama, a value it does not know",
    body: { error: { message: 'think value "medium" is not supported for this model', type: "api_error" } },
    parameter: "reasoning_effort",
  },
  {
    by: "Ollama, an effort it does not know",
    body: openAi('invalid reasoning value: \'minimal\' (must be "high", "medium", "low", "max", or "none")', null),
    parameter: "reasoning_effort",
  },
  {
    by: "Google, a level that a model does not have",
    body: google("Thinking level MINIMAL is not supported for this model. Please retry with other thinking level."),
    parameter: "reasoning_effort",
  },
  {
    by: "Google, a model that always thinks",
    body: google("Budget 0 is invalid. This model only works in thinking mode."),
    parameter: "reasoning_effort",
  },
  {
    by: "Google, a number out of bounds",
    body: google(
      "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
    ),
    parameter: "max_tokens",
  },
  {
    by: "Groq, a number out of bounds",
    body: {
      error: {
        message:
          "`max_completion_tokens` must be less than or equal to `8192`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model",
        ...invalid,
        param: "max_completion_tokens",
      },
    },
    parameter: "max_completion_tokens",
  },
  {
    by: "Anthropic, beside thinking",
    body: {
      type: "error",
      error: { ...invalid, message: "`temperature` may only be set to 1 when thinking is enabled." },
    },
    parameter: "temperature",
  },
  {
    by: "Anthropic, out of its range",
    body: { type: "error", error: { ...invalid, message: "temperature: range: 0..1" } },
    parameter: "temperature",
  },
  {
    by: "Anthropic, a number out of bounds",
    body: {
      type: "error",
      error: {
        ...invalid,
        message:
          "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514",
      },
    },
    parameter: "max_tokens",
  },
  {
    by: "OpenRouter, a model that always thinks",
    body: { error: { message: "Reasoning is mandatory for this endpoint and cannot be disabled.", code: 400 } },
    parameter: "reasoning_effort",
  },
  {
    by: "OpenRouter, an error with status 200",
    status: 200,
    body: {
      error: { code: 400, message: "Unsupported parameter: 'temperature' is not supported with this model." },
    },
    parameter: "temperature",
  },
];

/** Refusals of a field of an earlier message, which the endpoint itself may have sent. */
export const refusedFields: readonly PublishedRefusal[] = [
  {
    by: "Fireworks",
    body: openAi(
      "Extra inputs are not permitted, field: 'messages[1].reasoning_content'; Extra inputs are not permitted, field: 'messages[3].reasoning_content'",
      null,
      "invalid_request_error",
    ),
    parameter: "reasoning_content",
  },
  {
    by: "DeepSeek, until it wanted them back",
    body: openAi(
      "The reasoning_content is an intermediate result for display purposes only and will not be included in the context for inference. Please remove the reasoning_content from your message to reduce network traffic.",
      null,
      "invalid_request_error",
    ),
    parameter: "reasoning_content",
  },
  {
    by: "Groq",
    body: {
      error: {
        message:
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
        ...invalid,
      },
    },
    parameter: "reasoning_content",
  },
  {
    by: "Cerebras",
    body: {
      message:
        "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported\nmessages.3.assistant.reasoning_content: property 'messages.3.assistant.reasoning_content' is unsupported",
      ...invalid,
      param: "validation_error",
      code: "wrong_api_format",
    },
    parameter: "reasoning_content",
  },
  {
    by: "Mistral",
    status: 422,
    body: {
      object: "error",
      message: { detail: [forbidden("messages", 1, "assistant", "reasoning_content")] },
      ...invalid,
    },
    parameter: "reasoning_content",
  },
  {
    by: "OpenAI, an older model",
    body: openAi("Additional properties are not allowed ('reasoning_content' was unexpected) - 'messages.1'", null),
    parameter: "reasoning_content",
  },
  {
    by: "OpenAI",
    body: openAi(
      "Unknown parameter: 'messages[1].reasoning_content'.",
      "messages[1].reasoning_content",
      "unknown_parameter",
    ),
    parameter: "reasoning_content",
  },
];

/** Answers with status 400 that speak of our parameters and refuse none of them. */
export const noRefusals: Readonly<Record<string, unknown>> = {
  "prose about a reply that was too long (OpenAI)": openAi(
    "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.",
    null,
  ),
  "a field that is missed (DeepSeek)": openAi(
    "Missing `reasoning_content` field in the assistant message at message index 1.",
    null,
  ),
  "a field that has to come back (DeepSeek)": openAi(
    "The `reasoning_content` in the thinking mode must be passed back to the API.",
    null,
  ),
  "a place where something is missed (pydantic)": {
    detail: [
      { type: "missing", loc: ["body", "messages", 1, "assistant", "reasoning_content"], msg: "Field required" },
    ],
  },
  "another field, with a list of those that would do (Bedrock)": {
    message:
      "Failed to deserialize the JSON body into the target type: thinking_budget: unknown field `thinking_budget`, expected one of `messages`, `model`, `reasoning_effort`, `max_completion_tokens`, `temperature` at line 1 column 212",
  },
  "a property of a tool's schema (Google)": google(
    "Invalid JSON payload received. Unknown name \"temperature\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",
  ),
  "a property of a tool's schema (Anthropic)": {
    type: "error",
    error: { ...invalid, message: "tools.0.custom.input_schema.temperature: Extra inputs are not permitted" },
  },
  "what no request can do without": openAi("Unsupported parameter: 'tools' is not supported with this model.", "tools"),
  "the model's name": openAi("Invalid 'model': unknown model", "model", "invalid_value"),
  "a task about the weather": openAi("the tool get_weather failed: the temperature in Oslo could not be read", null),
};
