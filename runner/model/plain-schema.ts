import { type Fields, fieldsOf } from "./wire/fields.js";

/** Makes the schema of one tool plain; chat completions keep it inside `function`. */
export function withPlainSchema(tool: unknown): Fields {
  const fields = fieldsOf(tool);
  if (fields.function !== undefined) return { ...fields, function: withPlainSchema(fields.function) };
  return { ...fields, parameters: plainSchema(fields.parameters) };
}

/** Dropping these loses nothing: a tool checks its arguments itself. */
const bounds = new Set(["additionalProperties", "minimum", "maximum", "minItems", "maxItems"]);

/** Keeps the first type of each place, and no bounds. Names of properties stay, whatever they are. */
function plainSchema(schema: unknown): Fields {
  const { anyOf, properties, items, ...others } = fieldsOf(schema);
  const [first] = Array.isArray(anyOf) ? anyOf : [];
  const kept = Object.entries(others).filter(([name]) => !bounds.has(name));
  return {
    ...Object.fromEntries(kept),
    ...(first === undefined ? {} : plainSchema(first)),
    ...(properties === undefined ? {} : { properties: eachPlain(properties) }),
    ...(items === undefined ? {} : { items: plainSchema(items) }),
  };
}

function eachPlain(properties: unknown): Fields {
  const plain = Object.entries(fieldsOf(properties)).map(([name, schema]) => [name, plainSchema(schema)]);
  return Object.fromEntries(plain);
}
