/** tilth's name and address in a commit. */
export const ownIdentity = { name: "tilth", email: "tilth@localhost" } as const;
