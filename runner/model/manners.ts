import type { Api } from "../base/settings.js";
import type { Fault } from "./faults/faults.js";
import type { Fields } from "./wire/fields.js";
import { interfaces } from "./interfaces.js";
import type { LeftOut } from "./left-out.js";

/** A way in which an endpoint wants its requests, told by the words that it refuses others in. */
interface Manner extends LeftOut {
  readonly says: RegExp;
  change(body: Fields, api: Api): Fields;
}

const manners: readonly Manner[] = [
  {
    // DashScope and ModelScope for models that think, Fireworks for long replies
    says: /\bonly supports? stream mode\b|\bfor non-streaming calls\b|\bwhen \W?stream=false\b|\bmust have stream=true\b|\bstream must be (?:set to )?true\b/i,
    parameter: "a reply in one piece",
    sentInstead: "stream=true",
    change: (body, api) => ({ ...body, ...interfaces[api].streamed }),
  },
];

/** Remembers for one route which ways its endpoint insisted on. */
export class Manners {
  readonly #kept = new Set<Manner>();

  apply(body: Fields, api: Api): Fields {
    return [...this.#kept].reduce((changed, manner) => manner.change(changed, api), body);
  }

  /** Says what is done after a refusal of `sent`; nothing where it asks for nothing new. */
  learn(sent: Fields, { reason }: Fault, api: Api): readonly LeftOut[] {
    const before = JSON.stringify(sent);
    const wanted = manners.filter(
      (manner) =>
        !this.#kept.has(manner) && manner.says.test(reason) && JSON.stringify(manner.change(sent, api)) !== before,
    );
    for (const manner of wanted) this.#kept.add(manner);
    return wanted.map(({ parameter, sentInstead }) => ({ parameter, sentInstead }));
  }
}
