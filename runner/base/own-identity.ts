/** Who tilth is in a commit. */
export const ownIdentity = { name: "tilth", email: "tilth@localhost" } as const;
