import { createHash } from 'node:crypto';
import type { CacheEntry, CacheMatch } from '../../domain/cache/cache.ts';
import { after } from '../../domain/concurrency/after.ts';
import type { RoutedChannel } from '../../domain/exchange/routing-info.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { CacheStore } from '../ports/cache-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { CacheMetrics, CacheStoring } from '../ports/metrics.ts';
import type { NearQuestion } from '../ports/question-index.ts';
import type { CacheSettings } from '../settings/settings.ts';
import type { CachePlan } from './cache-plan.ts';

/** How long, and how often, a request waits for an equal one in flight before it asks an upstream itself. */
const LONGEST_WAIT_MS = 60_000;
const MOST_WAITS = 3;

/** Finds questions with the same meaning. */
export interface Questions {
  /** The name of the embedding model: vectors of two models cannot be compared. */
  readonly name: string;
  embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null>;
  nearest(partition: string, vector: Float32Array): Promise<readonly NearQuestion[]>;
  /** Resolves to the nearest candidate that asks the same as `text` with this certainty. Candidates are ordered by cosine. */
  sameAs(text: string, candidates: readonly Candidate[], certainty: number): Promise<FoundEntry | null>;
}

export interface Candidate {
  readonly found: FoundEntry;
  readonly cosine: number;
}

export interface CachePorts {
  readonly store: CacheStore;
  /** `null` if equivalent questions are not searched. */
  readonly questions: Questions | null;
  readonly clock: Clock;
  readonly metrics: CacheMetrics;
  readonly logger: Pick<Logger, 'error'>;
  readonly settings: CacheSettings;
  readonly newId: (prefix: string, characters: number) => string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The cache's view of a request. */
export interface CachedRequest {
  readonly plan: CachePlan;
  readonly accountId: string;
  readonly modelId: string;
  readonly key: string;
  readonly isShared: boolean;
  /** The question for which equivalent ones are searched; `null` for none. */
  readonly question: { readonly partition: string; readonly text: string } | null;
  /** Returns the client's abort signal. */
  readonly signal: () => AbortSignal;
  /** Registers a function that is called when the request has ended. */
  readonly whenOver: (release: () => void) => void;
  /** Returns whether an entry may be served: its channel still serves the model. */
  readonly mayUse: (entry: CacheEntry) => boolean;
}

export interface FoundEntry {
  readonly entry: CacheEntry;
  readonly match: CacheMatch;
  readonly ageMs: number;
}

type Maybe<T> = T | Promise<T>;

/** The answers of earlier requests. No method throws or rejects: an unreadable entry counts as absent. */
export class AnswerCache {
  readonly flights = new Flights();

  constructor(readonly ports: CachePorts) {}

  get settings(): CacheSettings {
    return this.ports.settings;
  }

  /** Logs an entry with an unreadable answer, which a disk or another release has changed. It counts as absent. */
  unusable({ id }: Pick<CacheEntry, 'id'>, error: unknown): null {
    this.ports.logger.error({ cacheEntryId: id, ...describeError(error) }, 'a cache entry is unusable');
    return null;
  }

  open(request: CachedRequest): CacheUse {
    return new CacheUse(this, request);
  }
}

/** The cache's work for one request: first it looks for an answer, then it may store one. */
export class CacheUse {
  /** The question's vector, once it is known. */
  private vector: Float32Array | null = null;

  constructor(
    private readonly cache: AnswerCache,
    readonly request: CachedRequest,
  ) {}

  /** Whether the request's own answer is to be stored. */
  get keeps(): boolean {
    const { keeps } = this.request.plan;
    return keeps.exact || (keeps.semantic && this.request.question !== null);
  }

  /** Looks for an answer; synchronously if memory has the answer to an equal request. */
  find(): Maybe<FoundEntry | null> {
    const { metrics, store } = this.cache.ports;
    const { plan, modelId, accountId } = this.request;
    if (!plan.finds.exact && !plan.finds.semantic) {
      metrics.cacheSkipped('client');
      return null;
    }
    const looked = (found: FoundEntry | null) => {
      if (found === null) metrics.cacheMissed(modelId);
      else if (found.entry.accountId !== accountId) store.served(found.entry, accountId);
      return found;
    };
    return after(this.look(), looked);
  }

  private look(): Maybe<FoundEntry | null> {
    const { plan } = this.request;
    if (!plan.finds.exact) return plan.finds.semantic ? this.findEquivalent() : null;
    return after(this.findEqual('exact'), (equal) => equal ?? this.findFurther());
  }

  /** Stores the answer: JSON text, or bytes in the operation's own encoding. */
  keep(
    answer: string | Uint8Array<ArrayBuffer>,
    by: { readonly channel: RoutedChannel; readonly upstreamModel: string },
  ): void {
    const { store, clock, newId, settings, metrics } = this.cache.ports;
    const { key, accountId, isShared, modelId, plan, question } = this.request;
    const bytes = typeof answer === 'string' ? new TextEncoder().encode(answer) : answer;
    if (bytes.length > settings.maxEntryBytes) {
      this.notKept('too_large');
      return;
    }
    const storedAtMs = clock.nowMs();
    const { channel, upstreamModel } = by;
    const entry = {
      ...{
        id: newId('ce_', 32),
        key: plan.keeps.exact ? key : onlyEquivalent(key),
        accountId,
        isShared,
        modelId,
        channel,
        upstreamModel,
        storedAtMs,
      },
      expiresAtMs: storedAtMs + plan.ttlMs,
      answer: bytes,
    };
    const { questions } = this.cache.ports;
    const put = (vector: Float32Array | null) => {
      if (vector === null && !plan.keeps.exact) return;
      const asked = question === null || vector === null ? null : { ...question, vector };
      metrics.cacheStoring(store.put({ ...entry, question: asked }) ? 'stored' : 'blocked');
    };
    if (!plan.keeps.semantic || question === null || questions === null || this.vector !== null) put(this.vector);
    else void questions.embed(accountId, question.text, new AbortController().signal).then(put);
  }

  /** Counts an answer that is not stored. */
  notKept(why: Exclude<CacheStoring, 'stored' | 'blocked'>): void {
    this.cache.ports.metrics.cacheStoring(why);
  }

  private findEqual(match: CacheMatch): Maybe<FoundEntry | null> {
    return after(this.cache.ports.store.find(this.request.key), (entry) => this.usable(entry, match));
  }

  private usable(entry: CacheEntry | null, match: CacheMatch): FoundEntry | null {
    if (entry === null) return null;
    const { clock } = this.cache.ports;
    const { plan, accountId, isShared, mayUse } = this.request;
    const nowMs = clock.nowMs();
    const ageMs = Math.max(0, nowMs - entry.storedAtMs);
    if (ageMs > plan.maxAgeMs || plan.maxAgeMs === 0 || nowMs >= entry.expiresAtMs) return null;
    // Keys already separate accounts; this is a second check.
    if (entry.accountId !== accountId && !(isShared && entry.isShared)) return null;
    if (!mayUse(entry)) return null;
    return { entry, match, ageMs };
  }

  private findFurther(): Maybe<FoundEntry | null> {
    const { plan } = this.request;
    if (plan.coalesces && this.keeps) return this.findUnderWay();
    return plan.finds.semantic ? this.findEquivalent() : null;
  }

  /** Waits for an equal request in flight, or becomes the one that others wait for. */
  private async findUnderWay(): Promise<FoundEntry | null> {
    const { flights, ports } = this.cache;
    const { key, whenOver, signal, plan } = this.request;
    for (let waits = 0; waits < MOST_WAITS; waits++) {
      const landed = flights.of(key);
      if (landed === null) break;
      const waiting = new AbortController();
      const until = AbortSignal.any([signal(), waiting.signal]);
      const tooLong = ports.sleep(LONGEST_WAIT_MS, until).catch(() => undefined);
      const isLanded = await Promise.race([landed.then(() => true), tooLong.then(() => false)]);
      waiting.abort();
      if (signal().aborted) return null;
      const found = await this.findEqual('coalesced');
      if (found !== null) return found;
      // A request that delays this one must not delay the others as well.
      if (!isLanded) break;
    }
    // Registered before the slow search for an equivalent question; otherwise the others would search, and ask, as well.
    if (flights.of(key) === null) whenOver(flights.begin(key));
    return plan.finds.semantic ? this.findEquivalent() : null;
  }

  private async findEquivalent(): Promise<FoundEntry | null> {
    const { questions, store } = this.cache.ports;
    const { question, accountId, plan, signal } = this.request;
    if (questions === null || question === null) return null;
    this.vector = await questions.embed(accountId, question.text, signal());
    if (this.vector === null) return null;
    const near = await questions.nearest(question.partition, this.vector);
    if (near.length === 0) return null;
    const entries = await store.findAll(near.map(({ key }) => key));
    const usable = entries.flatMap((entry, index) => {
      const found = entry?.question?.partition === question.partition ? this.usable(entry, 'semantic') : null;
      return found === null ? [] : [{ found, cosine: near[index]?.cosine ?? 0 }];
    });
    return questions.sameAs(question.text, usable, plan.certainty);
  }
}

/** Returns the key of an entry that only equivalent requests may find, and that must not replace the entry of an equal one. */
function onlyEquivalent(key: string): string {
  return createHash('sha256').update(`only equivalent ${key}`).digest('base64url');
}

/** A request in flight that others wait for. */
interface Flight {
  readonly landed: Promise<void>;
  land(): void;
}

/** Requests in flight, by the key of the cache entry that they will make. */
class Flights {
  private readonly underWay = new Map<string, Flight>();

  /** Returns a promise that resolves when the request of this key has ended in any way; `null` if none is in flight. */
  of(key: string): Promise<void> | null {
    return this.underWay.get(key)?.landed ?? null;
  }

  /** Registers the caller's request as the one that others wait for. The caller calls the returned function when its request has ended. */
  begin(key: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const flight: Flight = { landed: promise, land: resolve };
    this.underWay.set(key, flight);
    return () => {
      if (this.underWay.get(key) === flight) this.underWay.delete(key);
      flight.land();
    };
  }
}
