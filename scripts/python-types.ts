import type { z } from "zod";
import { itemsOf } from "../runner/text/bounded-json.js";

/** Typed dictionaries of Python, made of the shapes that go over the wire. */
export class PythonTypes {
  readonly #definitions = new Map<string, string>();

  /** Every shape that was met, each after those that it holds. */
  get definitions(): readonly string[] {
    return [...this.#definitions.values()];
  }

  /** Returns the type of a value as it stands in the JSON, before anything is made of it here. */
  typeOf(schema: z.core.$ZodType): string {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case "object":
        return this.#object(schema as z.ZodObject);
      case "enum":
        return this.#enum(schema as z.ZodEnum, literals(Object.values(def.entries)));
      case "literal":
        return literals(def.values);
      case "string":
        return "str";
      case "boolean":
        return "bool";
      case "number":
        return (schema as z.ZodNumber).format === "safeint" ? "int" : "float";
      case "unknown":
        return "object";
      case "nullable":
        return `${this.typeOf(def.innerType)} | None`;
      case "readonly":
      case "optional":
      case "default":
        return this.typeOf(def.innerType);
      case "array":
        return `list[${this.typeOf(def.element)}]`;
      case "tuple":
        return sequence(def.items.map((item) => this.typeOf(item)));
      case "record":
        return `dict[str, ${this.typeOf(def.valueType)}]`;
      case "union":
        return def.options.map((option) => this.typeOf(option)).join(" | ");
      case "pipe": {
        const item = itemsOf(schema);
        return item ? `list[${this.typeOf(item)}]` : this.typeOf(def.in);
      }
      default:
        throw new Error(`there is no type of Python for ${def.type}`);
    }
  }

  #object(schema: z.ZodObject): string {
    const fields = Object.entries(schema.shape).map(([name, of]): Field => [name, this.#field(of)]);
    const name = schema.meta()?.id;
    if (name === undefined) throw new Error(`a shape needs a name: ${fields.map(([field]) => field).join(", ")}`);
    return this.#define(name, typedDict(name, fields));
  }

  #field(schema: z.core.$ZodType): string {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const mayBeAbsent = def.type === "optional" || def.type === "default";
    return mayBeAbsent ? `NotRequired[${this.typeOf(schema)}]` : this.typeOf(schema);
  }

  #enum(schema: z.ZodEnum, type: string): string {
    const name = schema.meta()?.id;
    return name === undefined ? type : this.#define(name, `${name} = ${type}`);
  }

  #define(name: string, text: string): string {
    if ((this.#definitions.get(name) ?? text) !== text) throw new Error(`two shapes have the name ${name}`);
    this.#definitions.set(name, text);
    return name;
  }
}

type Field = readonly [name: string, type: string];

/** A typed dictionary in few lines: some have a dozen fields, and nobody reads them one by one. */
export function typedDict(name: string, fields: readonly Field[]): string {
  const opening = `${name} = TypedDict("${name}", {`;
  const entries = fields.map(([field, type]) => `"${field}": ${type}`);
  const oneLine = `${opening}${entries.join(", ")}})`;
  return oneLine.length <= longestLine ? oneLine : [opening, ...filled(entries), "})"].join("\n");
}

const longestLine = 120;

function filled(entries: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const entry of entries) {
    const longer = `${lines.at(-1) ?? ""} ${entry},`;
    if (lines.length > 0 && longer.length <= longestLine) lines[lines.length - 1] = longer;
    else lines.push(`    ${entry},`);
  }
  return lines;
}

/** One that others are made of, or that may lack some fields. */
export function typedDictClass(name: string, bases: string, fields: readonly Field[]): string {
  return [`\n\nclass ${name}(${bases}):`, ...fields.map(([field, type]) => `    ${field}: ${type}`)].join("\n");
}

export function literals(values: readonly unknown[]): string {
  return `Literal[${values.map((value) => (typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value))).join(", ")}]`;
}

/** JSON has one kind of sequences; where all items are alike, Python's lists are the ones to hold them. */
function sequence(types: readonly string[]): string {
  const [first] = types;
  return types.every((type) => type === first) ? `list[${first}]` : `tuple[${types.join(", ")}]`;
}
