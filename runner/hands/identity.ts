/** Who a container's processes are. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const instead: Identity = { uid: 10001, gid: 10001 };

/** The host user; never root. */
export function containerIdentity(): Identity {
  const uid = process.getuid?.() ?? instead.uid;
  return uid === 0 ? instead : { uid, gid: process.getgid?.() ?? instead.gid };
}

/** Who may write a worktree besides its owner: the containers' group when the host user is root, else nobody else. */
export function worktreeGroup(): number | null {
  return process.getuid?.() === 0 ? instead.gid : null;
}
