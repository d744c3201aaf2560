/** The versions of `DirectoryState` that a process has loaded. */
export interface VersionsInForce {
  readonly accessVersion: number;
  readonly servingVersion: number;
}

export interface NodeFacts {
  /** Unique to this run of the process. */
  readonly id: string;
  readonly hostName: string;
  readonly processId: number;
  /** The version of the program. */
  readonly version: string;
  readonly startedAtMs: number;
  /** The storage location of the process's media (`MediaStore.place`); `null` if unknown. */
  readonly mediaPlace: string | null;
}

/** A gateway process at its last heartbeat. */
export interface GatewayNode extends NodeFacts, VersionsInForce {
  readonly lastSeenAtMs: number;
}

/**
 * A node without a heartbeat for this long counts as dead. It is longer than a node trusts its cached keys without reading the database, so
 * a dead node accepts no key that was revoked meanwhile.
 */
export const NODE_LIVING_MS = 45_000;

/** The gateway processes that share this store. */
export interface NodeRegistry {
  /** Registers a node, or renews it with its current versions. */
  beat(node: NodeFacts & VersionsInForce): Promise<void>;
  /** Removes a node that has stopped. */
  leave(id: string): Promise<void>;
  /** Resolves to nodes with a heartbeat within `NODE_LIVING_MS`, the oldest first. */
  living(): Promise<readonly GatewayNode[]>;
  /**
   * Calls `listener` soon after another process may have changed the directory. Returns a function that stops it. Calls may be missed, and
   * some stores never call it, so callers must poll the version as well.
   */
  onChange(listener: () => void): () => void;
}
