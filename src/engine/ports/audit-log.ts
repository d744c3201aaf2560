import type { Actor } from '../../domain/access/actor.ts';

export type ActorKind = Actor['kind'];

/** The actor of an entry. The name is stored as well, so that the log stays readable after it changes or the actor is deleted. */
export interface AuditActor {
  readonly kind: ActorKind;
  /** The id of a person or a token (`account/id`); `null` for other actors. */
  readonly id: string | null;
  /** A person's email, a token's name, the system user, or the configuration file. */
  readonly name: string;
}

/** An actor and where the request came from. */
export interface AuditOrigin {
  readonly actor: AuditActor;
  /** The client's IP address; `null` if there is none. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** An object, or the part of it that changed, in API terms. Never contains secrets. */
export type AuditFields = Readonly<Record<string, unknown>>;

export interface NewAuditEntry extends AuditOrigin {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** The kind of object and the verb, such as `key.revoke`. */
  readonly action: string;
  /** The account concerned; `null` if only operators are concerned. */
  readonly accountId: string | null;
  readonly objectId: string;
  /** `null` if the object was created. */
  readonly before: AuditFields | null;
  /** `null` if the object was removed. */
  readonly after: AuditFields | null;
}

export interface AuditEntry extends NewAuditEntry {
  /** Ascends in write order. */
  readonly sequence: number;
}

/** Conditions that must all hold; omitted ones are ignored. */
export interface AuditQuery {
  readonly accountId?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly actorId?: string | undefined;
  /** A full action, or the kind of object before its dot. */
  readonly action?: string | undefined;
  readonly objectId?: string | undefined;
  /** The time range in milliseconds since 1970: `fromMs` is inclusive, `toMs` exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly order: 'newest' | 'oldest';
  /** The sequence of the last entry of the previous page; `null` for the first page. */
  readonly after: number | null;
  readonly limit: number;
}

/**
 * The audit log. Entries are immutable, except that a pseudonym replaces the names of an erased person or account. They are only deleted by
 * age.
 */
export interface AuditLog {
  /** Appends entries, which are durable when the promise resolves. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  page(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /**
   * Replaces the entries with the same sequence numbers; deleted ones stay deleted. Every changed value must be the pseudonym, or the
   * database rejects the update. Durable when resolved.
   *
   * @param pseudonym `erased-` and 8 hexadecimal digits
   */
  rewrite(entries: readonly AuditEntry[], pseudonym: string): Promise<void>;
}
