import { itemNamed, posted } from "./access.js";
import type { Handlers } from "./asked.js";
import { moved, refused } from "./move.js";

export const byPerson: Handlers<"tell" | "unblock" | "end"> = {
  tell: (state, { to, text }, { now }) => ({
    state: posted(state, "note", to, { text }, now, { from: "person", priority: "high" }),
  }),
  unblock: (state, { item }, asking) => {
    if (itemNamed(state, item) === null) return refused("T9", `There is no item ${item}.`);
    const running = { ...state, status: "running" } as const;
    return moved(running, item, "pending", asking);
  },
  end: (state) =>
    state.status === "running"
      ? { state: { ...state, status: "terminated" } }
      : refused("§4", `The session is ${state.status} already.`),
};
