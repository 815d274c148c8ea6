/** An operation could not do what was asked: the runner's own closed list of codes. */
export class RunnerRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "RunnerRefusal";
    this.code = code;
  }
}

/** The stream to the runner ended or broke; whoever holds the container decides what that means. */
export class ChannelClosed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ChannelClosed";
  }
}
