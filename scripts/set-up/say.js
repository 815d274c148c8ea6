/** Set-up cannot go on by itself: carries one sentence, and the one command to type. */
export class SetUpStopped extends Error {
  constructor(message, remedy) {
    super(message);
    this.remedy = remedy;
  }
}

export function say(line) {
  process.stderr.write(`set-up: ${line}\n`);
}
