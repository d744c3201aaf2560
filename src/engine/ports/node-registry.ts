/** What of the directory a process serves by: the versions of `DirectoryState`. */
export interface VersionsInForce {
  readonly accessVersion: number;
  readonly servingVersion: number;
}

export interface NodeFacts {
  /** Of this start of the process. */
  readonly id: string;
  readonly hostName: string;
  readonly processId: number;
  /** Of the program. */
  readonly version: string;
  readonly startedAtMs: number;
  /** Names the place where the process keeps media (`MediaStore.place`); `null` where it cannot tell. */
  readonly mediaPlace: string | null;
}

/** A gateway process, as it was when it was last heard of. */
export interface GatewayNode extends NodeFacts, VersionsInForce {
  readonly lastSeenAtMs: number;
}

/**
 * After so long without a word a node is not living. It is longer than a node trusts what it remembers of keys without a look at the
 * database, so a node that is not living accepts no key that was revoked meanwhile.
 */
export const NODE_LIVING_MS = 45_000;

/** The gateway processes that share this store. */
export interface NodeRegistry {
  /** Lists a node, or renews it with what it has in force. */
  beat(node: NodeFacts & VersionsInForce): Promise<void>;
  /** It has stopped. */
  leave(id: string): Promise<void>;
  /** Those heard of within `NODE_LIVING_MS`, the oldest first. */
  living(): Promise<readonly GatewayNode[]>;
  /**
   * Calls `listener` soon after another process may have changed the directory, until it is stopped. It is a help alone: a call may be
   * missing, and some stores make none, so the version must be looked at all the same.
   */
  onChange(listener: () => void): () => void;
}
