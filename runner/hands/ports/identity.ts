/** The user and group of a container's processes. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const instead: Identity = { uid: 10001, gid: 10001 };

/** Returns the host user, or another user in place of root. */
export function containerIdentity(): Identity {
  const uid = process.getuid?.() ?? instead.uid;
  return uid === 0 ? instead : { uid, gid: process.getgid?.() ?? instead.gid };
}

/**
 * Returns the group that may write a worktree besides its owner: the containers' when the host user is root, else none.
 */
export function worktreeGroup(): number | null {
  return process.getuid?.() === 0 ? instead.gid : null;
}
