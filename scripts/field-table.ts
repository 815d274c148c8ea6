import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

interface Row {
  readonly field: string;
  readonly type: string;
  readonly optional: boolean;
  /** empty if the schema has no description */
  readonly meaning: string;
}

const patterns: Readonly<Record<string, string>> = {
  "^[0-9a-f]{40}$": "40 hex digits",
  "^[0-9a-f]{32}$": "32 hex digits",
  "^[0-9a-f]{16}$": "16 hex digits",
  "^[0-9a-f]{8}$": "8 hex digits",
  "^T-\\d{3,}$": "`T-` and digits",
};

/** A JSON schema as a markdown table, one line per field, nested fields by path; without the fields named in `except`. */
export function fieldTable(schema: Schema, except: ReadonlySet<string> = new Set()): string {
  const rows = rowsOf(schema, "").filter(({ field }) => !except.has(field));
  if (rows.length === 0) return "";
  const explained = rows.some(({ meaning }) => meaning !== "");
  const headings = explained ? ["| field | type | meaning |", "|---|---|---|"] : ["| field | type |", "|---|---|"];
  const lines = rows.map(({ field, type, optional, meaning }) =>
    [`| \`${field}\` | ${type}${optional ? ", may be absent" : ""} |`, ...(explained ? [`${meaning} |`] : [])].join(
      " ",
    ),
  );
  return [...headings, ...lines, ""].join("\n");
}

function rowsOf(schema: Schema, path: string): Row[] {
  const inner = innerObject(schema, path);
  if (inner === null) return [];
  const required = new Set(inner.schema.required);
  return Object.entries(inner.schema.properties ?? {}).flatMap(([name, field]) => {
    if (typeof field === "boolean") return [];
    const at = inner.path === "" ? name : `${inner.path}.${name}`;
    const row = { field: at, type: typeOf(field), optional: !required.has(name), meaning: field.description ?? "" };
    return [row, ...rowsOf(field, at)];
  });
}

/** The object whose fields stand below `path`, through lists, maps and "or null". */
function innerObject(schema: Schema, path: string): { schema: Schema; path: string } | null {
  if (schema.properties) return { schema, path };
  if (schema.items && !Array.isArray(schema.items) && typeof schema.items === "object") {
    return innerObject(schema.items, `${path}[]`);
  }
  if (typeof schema.additionalProperties === "object") return innerObject(schema.additionalProperties, `${path}.*`);
  const options = (schema.anyOf ?? []).filter((one): one is Schema => typeof one === "object");
  return options.map((one) => innerObject(one, path)).find((one) => one !== null) ?? null;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one as Schema)).join(" or ");
  if (schema.$ref) return "any JSON";
  if (schema.type === "array") return `list of ${plural(schema.items as Schema)}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return `map from ${keysOf(schema)} to ${typeOf(schema.additionalProperties)}`;
  }
  if (schema.format === "date-time") return "time";
  return (schema.pattern && patterns[schema.pattern]) || typeName(schema);
}

function keysOf(schema: Schema): string {
  return typeof schema.propertyNames === "object" ? typeOf(schema.propertyNames) : "text";
}

function typeName({ type }: Schema): string {
  const names = Array.isArray(type) ? type : [type ?? "any JSON"];
  return names.map((name) => (name === "string" ? "text" : name)).join(" or ");
}

function plural(schema: Schema): string {
  const type = typeOf(schema);
  return { text: "texts", object: "objects", integer: "integers" }[type] ?? type;
}
