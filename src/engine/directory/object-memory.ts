import { Failure } from '../../domain/failure/failure.ts';
import type { NamedObject } from '../../formats/text/provider-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { MOST_OBJECTS_OF_ACCOUNT, type ObjectOrigin, type ObjectOriginStore } from '../ports/object-origins.ts';
import type { Ways } from './directory.ts';
import type { Target, TextTarget } from './target.ts';

/** The retention of a stored response; objects that a provider keeps longer are rarely named again. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** The most objects that one answer may contain and one request may name. */
const MOST_OF_ONE = 2_000;
/**
 * The interval at which the store removes objects beyond an account's limit. Between two removals no account may add more than it may
 * keep.
 */
const HOUR_MS = 60 * 60 * 1000;
/** The shapes of the ids and addresses of providers' objects; the store is not asked for other texts. */
const ID = /^[\x20-\x7e]{1,512}$/;

export interface GivenObjects {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly place: string | null;
  readonly responseId: string | null;
}

/** The objects at providers that a request names. */
export interface NamedObjects {
  /** The targets at which the objects may be named. */
  readonly routes: Ways<TextTarget>;
  /** The failure for the client if a provider lacks the named object; `null` if the request needs no object. */
  readonly missing: Failure | null;
  /** Returns whether a target would look up an object that was not given to the account there, by an id that the request does not need. */
  isForeign(target: TextTarget): boolean;
}

/**
 * Remembers which objects at providers were given to which account, because an account may name only its own objects over a shared channel.
 */
export class ObjectMemory {
  private waiting: ObjectOrigin[] = [];
  private writing: Promise<void> | null = null;
  /** The number of new objects in this hour, by account. */
  private readonly broughtBy = new Map<string, number>();
  private hourEndsAtMs = 0;

  constructor(private readonly ports: { objects: ObjectOriginStore; clock: Clock; logger: Logger }) {}

  /**
   * Resolves when the store has written the objects, in one batch with those of other requests. Objects that belong to neither a channel
   * nor a stored response are not written. Never rejects.
   */
  async given({ accountId, ids, place, responseId }: GivenObjects): Promise<void> {
    if (place === null && responseId === null) return;
    if (ids.length === 0) return;
    const nowMs = this.ports.clock.nowMs();
    const expiresAtMs = nowMs + KEPT_MS;
    for (const objectId of ids.slice(0, this.room(accountId, Math.min(ids.length, MOST_OF_ONE), nowMs))) {
      if (ID.test(objectId)) this.waiting.push({ accountId, objectId, place, responseId, expiresAtMs });
    }
    if (this.waiting.length === 0) return;
    // Waiting objects are written by the first call after the current write.
    while (this.writing !== null) await this.writing;
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    this.waiting = [];
    this.writing = this.write(batch).finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** Returns how many of an account's new objects are accepted. */
  private room(accountId: string, count: number, nowMs: number): number {
    if (nowMs >= this.hourEndsAtMs) {
      this.broughtBy.clear();
      this.hourEndsAtMs = nowMs + HOUR_MS;
    }
    const before = this.broughtBy.get(accountId) ?? 0;
    this.broughtBy.set(accountId, before + count);
    const room = Math.max(0, Math.min(count, MOST_OBJECTS_OF_ACCOUNT - before));
    if (room < count && before <= MOST_OBJECTS_OF_ACCOUNT) {
      const fields = { accountId, objects: MOST_OBJECTS_OF_ACCOUNT };
      this.ports.logger.warn(fields, 'an account received more objects in an hour than can be recorded');
    }
    return room;
  }

  private async write(batch: readonly ObjectOrigin[]): Promise<void> {
    try {
      await this.ports.objects.write(batch);
    } catch (error) {
      const fields = { objects: batch.length, error: String(error) };
      this.ports.logger.warn(fields, 'objects in responses could not be recorded');
    }
  }

  /** Finds the targets for a request that names these objects: each must have been given to its account, and be at the target's channel. */
  namedBy(
    accountId: string,
    routes: Ways<TextTarget>,
    named: readonly NamedObject[],
  ): NamedObjects | Promise<NamedObjects | Failure> {
    return named.length === 0 ? { routes, missing: null, isForeign: () => false } : this.look(accountId, routes, named);
  }

  /** Resolves to the targets of a non-text request that needs these objects, or to a failure if no target may receive them. */
  async waysKnowing<T extends Target>(
    accountId: string,
    ways: Ways<T>,
    named: readonly NamedObject[],
  ): Promise<Ways<T> | Failure> {
    const [first] = named;
    if (first === undefined) return ways;
    const origins = await this.find(
      accountId,
      named.map(({ id }) => id),
    );
    const targets = ways.targets.filter((target) => mayName(target, named, origins));
    if (targets.length > 0) return { ...ways, targets };
    return objectNotFound(named.find(({ id }) => !origins.has(id)) ?? first);
  }

  private async look(accountId: string, routes: Ways<TextTarget>, named: readonly NamedObject[]) {
    const ids = named.map(({ id }) => id);
    const origins = await this.find(accountId, ids);
    const needed = named.filter(({ optional }) => optional === undefined);
    const alone = named.filter(({ optional }) => optional === 'alone');
    const others = named.filter(({ optional }) => optional !== undefined);
    const isForeign = (target: TextTarget) => !mayName(target, target.stores ? others : alone, origins);
    const targets = routes.targets.filter((target) => mayName(target, needed, origins));
    const unknown = needed.find(({ id }) => !origins.has(id)) ?? needed[0];
    const missing = unknown === undefined ? null : objectNotFound(unknown);
    if (targets.length === 0 && routes.targets.length > 0 && missing !== null) return missing;
    const [first] = needed;
    return { routes: { ...routes, targets }, missing: first === undefined ? null : objectNotFound(first), isForeign };
  }

  /** Resolves to the objects that the account was given, by id. */
  async find(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ObjectOrigin>> {
    const asked = [...new Set(ids)].filter((id) => ID.test(id)).slice(0, MOST_OF_ONE);
    const found = await this.ports.objects.find(accountId, asked, this.ports.clock.nowMs());
    return new Map(found.map((origin) => [origin.objectId, origin]));
  }
}

/** Returns the same failure if the object does not exist, belongs to another account, or is at a removed channel. */
export function objectNotFound({ id, path, missing, whenMissing }: NamedObject): Failure {
  return new Failure('object_not_found', {
    message: missing ?? `There is no object \`${id.slice(0, 100)}\` that this request may use in \`${path}\`.`,
    param: path,
    ...(whenMissing === undefined ? {} : { upstreamDetails: { details: whenMissing } }),
    hint: 'Files, caches, containers and stored items belong to one account at a provider: send their content instead.',
  });
}

/**
 * Returns whether a request that names these objects may go to the target: all of them were given to the account there. An account's own
 * channel may have further objects, since the account holds its key.
 */
function mayName(target: Target, named: readonly NamedObject[], origins: ReadonlyMap<string, ObjectOrigin>): boolean {
  return named.every(({ id }) => {
    const place = origins.get(id)?.place ?? null;
    return place === null ? target.isPrivate : place === target.place;
  });
}
