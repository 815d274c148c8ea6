/** as the host does it on import */
export const strictness = "--strict=badFilemode=error";

const carelessWriters = ["badFilemode", "zeroPaddedFilemode", "badTimezone", "badEmail", "missingEmail"];
const carelessPeople = ["missingSpaceBeforeEmail", "missingNameBeforeEmail", "zeroPaddedDate", "multipleAuthors"];

/** Old histories hold what today's git would not write. Git reads all of it, and a person's base is not tilth's to mend. */
export const strictnessOfBase = `--strict=${[...carelessWriters, ...carelessPeople].map((id) => `${id}=ignore`).join(",")}`;

/** an empty folder: made with the repository */
export const checked = "/repo/checked";
