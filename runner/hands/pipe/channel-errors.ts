import type { RefusalCode } from "./wire/protocol.js";

/** An operation could not do its work. */
export class ResidentRefusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = "ResidentRefusal";
    this.code = code;
  }
}

/** The stream to the resident ended or broke; the holder of the container decides what that means. */
export class ChannelClosed extends Error {
  /** this process was held up so long that the resident had to take it for dead */
  readonly asleep: boolean;

  constructor(
    message: string,
    { cause, asleep = false }: { readonly cause?: unknown; readonly asleep?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ChannelClosed";
    this.asleep = asleep;
  }
}
