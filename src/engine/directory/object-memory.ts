import { Failure } from '../../domain/failure/failure.ts';
import type { NamedObject } from '../../formats/format.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { MOST_OBJECTS_OF_ACCOUNT, type ObjectOrigin, type ObjectOriginStore } from '../ports/object-origins.ts';
import type { VisibleRoutes } from './directory.ts';
import type { Target } from './target.ts';

/** As long as a stored response; what a provider keeps for longer is rarely named again. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
/** One answer brings no more, and one request names no more, than a gateway could remember for its account. */
const MOST_OF_ONE = 2_000;
/** How often the store removes what an account has too many of: between two of its looks no account brings more than it may keep. */
const HOUR_MS = 60 * 60 * 1000;
/** What providers call their objects, be it by an address; no other text is asked the store for. */
const ID = /^[\x20-\x7e]{1,512}$/;

export interface GivenObjects {
  readonly accountId: string;
  readonly ids: readonly string[];
  readonly channelId: string | null;
  readonly responseId: string | null;
}

/** What a request names of what providers keep. */
export interface NamedObjects {
  /** Those that lead to where it may be named. */
  readonly routes: VisibleRoutes;
  /** What it means to the client that a provider does not have what is named; `null` where the provider has to have nothing. */
  readonly missing: Failure | null;
  /** Whether a target would look up, by an id that the request can do without, what nobody has given to the account there. */
  isForeign(target: Target): boolean;
}

/** What accounts were given at providers: of the objects that a platform's channel can reach an account may name its own alone. */
export class ObjectMemory {
  private waiting: ObjectOrigin[] = [];
  private writing: Promise<void> | null = null;
  /** Of this hour, by account. */
  private readonly broughtBy = new Map<string, number>();
  private hourEndsAtMs = 0;

  constructor(private readonly ports: { objects: ObjectOriginStore; clock: Clock; logger: Logger }) {}

  /** Resolves when the store has those of them that somebody keeps; written together with what others bring meanwhile. Never rejects. */
  async given({ accountId, ids, channelId, responseId }: GivenObjects): Promise<void> {
    if (channelId === null && responseId === null) return;
    if (ids.length === 0) return;
    const nowMs = this.ports.clock.nowMs();
    const expiresAtMs = nowMs + KEPT_MS;
    for (const objectId of ids.slice(0, this.room(accountId, Math.min(ids.length, MOST_OF_ONE), nowMs))) {
      if (ID.test(objectId)) this.waiting.push({ accountId, objectId, channelId, responseId, expiresAtMs });
    }
    if (this.waiting.length === 0) return;
    // What waits is written by whoever comes first after the write that is under way.
    while (this.writing !== null) await this.writing;
    if (this.waiting.length === 0) return;
    const batch = this.waiting;
    this.waiting = [];
    this.writing = this.write(batch).finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  /** How many of so many objects that an account brings are taken. */
  private room(accountId: string, count: number, nowMs: number): number {
    if (nowMs >= this.hourEndsAtMs) {
      this.broughtBy.clear();
      this.hourEndsAtMs = nowMs + HOUR_MS;
    }
    const before = this.broughtBy.get(accountId) ?? 0;
    this.broughtBy.set(accountId, before + count);
    const room = Math.max(0, Math.min(count, MOST_OBJECTS_OF_ACCOUNT - before));
    if (room < count && before <= MOST_OBJECTS_OF_ACCOUNT) {
      const fields = { account: accountId, objects: MOST_OBJECTS_OF_ACCOUNT };
      this.ports.logger.warn(fields, 'an account has been given more objects in an hour than are remembered');
    }
    return room;
  }

  private async write(batch: readonly ObjectOrigin[]): Promise<void> {
    try {
      await this.ports.objects.write(batch);
    } catch (error) {
      const fields = { objects: batch.length, error: String(error) };
      this.ports.logger.warn(fields, 'objects that answers brought could not be remembered');
    }
  }

  /** Of what is kept at providers a request may name only what was given to its account, and only where that is. */
  namedBy(
    accountId: string,
    routes: VisibleRoutes,
    named: readonly NamedObject[],
  ): NamedObjects | Promise<NamedObjects | Failure> {
    return named.length === 0 ? { routes, missing: null, isForeign: () => false } : this.look(accountId, routes, named);
  }

  private async look(accountId: string, routes: VisibleRoutes, named: readonly NamedObject[]) {
    const ids = named.map(({ id }) => id);
    const origins = await this.find(accountId, ids);
    const needed = named.filter(({ optional }) => optional === undefined);
    const alone = named.filter(({ optional }) => optional === 'alone');
    const others = named.filter(({ optional }) => optional !== undefined);
    const isForeign = (target: Target) => !mayName(target, target.stores ? others : alone, origins);
    const targets = routes.targets.filter((target) => mayName(target, needed, origins));
    const unknown = needed.find(({ id }) => !origins.has(id)) ?? needed[0];
    const missing = unknown === undefined ? null : objectNotFound(unknown);
    if (targets.length === 0 && routes.targets.length > 0 && missing !== null) return missing;
    const [first] = needed;
    return { routes: { ...routes, targets }, missing: first === undefined ? null : objectNotFound(first), isForeign };
  }

  /** By id, those that the account was given. */
  async find(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ObjectOrigin>> {
    const asked = [...new Set(ids)].filter((id) => ID.test(id)).slice(0, MOST_OF_ONE);
    const found = await this.ports.objects.find(accountId, asked, this.ports.clock.nowMs());
    return new Map(found.map((origin) => [origin.objectId, origin]));
  }
}

/** The same whether the object is nowhere, somebody else's, or at a channel that is not there any more. */
export function objectNotFound({ id, path, missing, whenMissing }: NamedObject): Failure {
  return new Failure('object_not_found', {
    message: missing ?? `There is no object \`${id.slice(0, 100)}\` that this request could name in \`${path}\`.`,
    param: path,
    ...(whenMissing === undefined ? {} : { upstreamDetails: { details: whenMissing } }),
    hint: 'Files, caches, containers and stored items belong to one account at a provider: send what they hold instead.',
  });
}

/**
 * Whether a request that names these may go to the target: every one of them was given to the account there. What nobody has
 * given it an own channel may know all the same, since the account holds that one's key.
 */
function mayName(target: Target, named: readonly NamedObject[], origins: ReadonlyMap<string, ObjectOrigin>): boolean {
  return named.every(({ id }) => {
    const channelId = origins.get(id)?.channelId ?? null;
    return channelId === null ? target.isPrivate : channelId === target.channel.id;
  });
}
