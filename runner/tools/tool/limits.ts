/** Limits on what a tool takes and gives back. */
export const limits = {
  commandBytes: 100_000,
  outputCharacters: 8_000,
  readBytes: 50 * 1024,
  writeBytes: 200 * 1024,
  /** per string; JSON escapes may make six bytes of one, and a call must fit a frame */
  editBytes: 64 * 1024,
  editedFileBytes: 8 * 1024 * 1024,
  searchResults: 200,
  searchBytes: 50 * 1024,
  searchLineCharacters: 500,
  lintBytes: 4 * 1024,
  lintTimeoutMs: 30_000,
  questionBytes: 4 * 1024,
  /** few enough that one digit reaches each, "other" included */
  options: 8,
  optionBytes: 300,
  tldrBytes: 16 * 1024,
  /** for open questions, and for blockers */
  points: 50,
  pointBytes: 2 * 1024,
} as const;
