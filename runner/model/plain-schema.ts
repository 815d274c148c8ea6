import { type Fields, fieldsOf } from "./wire/fields.js";

/** A tool of a request; chat completions have its schema inside of `function`. */
export function withPlainSchema(tool: unknown): Fields {
  const fields = fieldsOf(tool);
  if (fields.function !== undefined) return { ...fields, function: withPlainSchema(fields.function) };
  return { ...fields, parameters: plainSchema(fields.parameters) };
}

/** A tool's own checks say these again where they are not kept. */
const bounds = new Set(["additionalProperties", "minimum", "maximum", "minItems", "maxItems"]);

/** A type in each place, its first one, and no bounds; the names of properties are theirs. */
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
