/** as the host does it on import */
export const strictness = "--strict=badFilemode=error";

/** an empty folder: made with the repository */
export const checked = "/repo/checked";
