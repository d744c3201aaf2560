import type { Actor } from '../../domain/access/actor.ts';

export type ActorKind = Actor['kind'];

/** Who did something, as it is kept: a name may change or go, and the log must still say who it was. */
export interface AuditActor {
  readonly kind: ActorKind;
  /** Of a person or a token (`account/id`); `null` for others. */
  readonly id: string | null;
  /** A person's email, a token's name, the system's user, the file. */
  readonly name: string;
}

/** Who does something, and from where. */
export interface AuditOrigin {
  readonly actor: AuditActor;
  /** The client's address; `null` where there is none. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** An object, or the part of it that was changed, in the words of the API; never a secret. */
export type AuditWords = Readonly<Record<string, unknown>>;

export interface NewAuditEntry extends AuditOrigin {
  /** In milliseconds since 1970. */
  readonly atMs: number;
  /** Kind of object and what was done, such as `key.revoke`. */
  readonly action: string;
  /** The account that it is about; `null` for what is the operators' alone. */
  readonly accountId: string | null;
  readonly objectId: string;
  /** `null` where there was nothing before. */
  readonly before: AuditWords | null;
  /** `null` where nothing is left. */
  readonly after: AuditWords | null;
}

export interface AuditEntry extends NewAuditEntry {
  /** Ascending in the order of writing. */
  readonly sequence: number;
}

/** All conditions that are given hold. */
export interface AuditQuery {
  readonly accountId?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly actorId?: string | undefined;
  /** A whole action, or the kind of object before its dot. */
  readonly action?: string | undefined;
  readonly objectId?: string | undefined;
  /** From this time on, and before that one, in milliseconds since 1970. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly order: 'newest' | 'oldest';
  /** The entry after which the page begins, in its order; `null` for the first page. */
  readonly after: number | null;
  readonly limit: number;
}

/** Who has changed what: entries are never changed, but for a pseudonym in place of a person who is erased, and deleted by age alone. */
export interface AuditLog {
  /** Durable when it resolves. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  page(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /**
   * Puts these entries in place of those with their numbers; one that has been deleted stays deleted. Every value that differs must be that of
   * a person and have the pseudonym instead, or the database refuses. Durable when it resolves.
   *
   * @param pseudonym `erased-` and 8 hexadecimal digits
   */
  rewrite(entries: readonly AuditEntry[], pseudonym: string): Promise<void>;
}
