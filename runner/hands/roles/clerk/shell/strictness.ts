/** the same as in the host's import */
export const strictness = "--strict=badFilemode=error";

const carelessWriters = ["badFilemode", "zeroPaddedFilemode", "badTimezone", "badEmail", "missingEmail"];
const carelessPeople = ["missingSpaceBeforeEmail", "missingNameBeforeEmail", "zeroPaddedDate", "multipleAuthors"];

/** Old histories hold objects that today's git reads but would not write; tilth must not repair a person's base. */
export const strictnessOfBase = `--strict=${[...carelessWriters, ...carelessPeople].map((id) => `${id}=ignore`).join(",")}`;

/** an empty folder, made with the repository */
export const checked = "/repo/checked";
