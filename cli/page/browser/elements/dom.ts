import { forModel } from "../../../../runner/text/sanitise.js";

type Child = Node | string | null;
type Attributes = Readonly<Record<string, string>>;

/** Links lead only to places of this page, or to its neighbours on the server. */
const ownPlace = /^(#[\w-]*|\.\.\/\.\.\/|s\/[\da-f-]+\/)$/;

/** Everything on the page is made here: text stays text, whatever it says. */
export function el(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (/^on|^style$|^src/.test(name) || (name === "href" && !ownPlace.test(value)))
      throw new Error(`the page makes no ${name}`);
    element.setAttribute(name, visible(value));
  }
  element.append(...children.filter((child) => child !== null).map(shown));
  return element;
}

export function button(attributes: Attributes, label: string, act: () => void): HTMLElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Spells out characters that would act on the page or hide from its reader. */
export function visible(text: string): string {
  return forModel(text.replaceAll("\r\n", "\n"));
}

function shown(child: Node | string): Node {
  return typeof child === "string" ? document.createTextNode(visible(child)) : child;
}
