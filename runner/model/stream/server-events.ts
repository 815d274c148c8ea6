export interface ServerEvent {
  /** from its `event:` line; null without one */
  readonly name: string | null;
  readonly data: string;
}

/** Cuts server-sent events out of a text that comes in pieces of any length. Comments and other fields are ignored. */
export class ServerEvents {
  /** pieces of an unfinished line; joined once, however long it gets */
  #line: string[] = [];
  #data: string[] = [];
  #name: string | null = null;
  #endedWithCr = false;

  /** Returns the events that this text completes. */
  take(text: string): readonly ServerEvent[] {
    if (text === "") return [];
    const lines = (this.#endedWithCr && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n?|\n/);
    this.#endedWithCr = text.endsWith("\r");
    const begun = lines.pop() ?? "";
    const events = lines.flatMap((line) => this.#endLine(line));
    if (begun !== "") this.#line.push(begun);
    return events;
  }

  /** Some servers leave out the empty line after the last event. */
  end(): readonly ServerEvent[] {
    return [...this.#endLine(""), ...this.#endEvent()];
  }

  #endLine(rest: string): readonly ServerEvent[] {
    const line = this.#line.length === 0 ? rest : [...this.#line, rest].join("");
    this.#line = [];
    if (line === "") return this.#endEvent();
    if (line.startsWith("{")) {
      // some answer a question for a stream with JSON, and call it one
      this.#data.push(line);
      return [];
    }
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    // llama.cpp's server wrote its errors like this until late in 2025
    const isError = field === "error";
    if (field === "data" || isError) this.#data.push(value);
    if (field === "event" || isError) this.#name = isError ? field : value;
    return [];
  }

  #endEvent(): readonly ServerEvent[] {
    const event = { name: this.#name, data: this.#data.join("\n") };
    this.#data = [];
    this.#name = null;
    return event.data === "" ? [] : [event];
  }
}
