import { type CacheEntry, FEEDBACK_TYPES, type FeedbackType, MOST_DESCRIPTION } from '../../domain/cache/cache.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { parseBody } from '../../formats/shared/request/body.ts';
import { charactersIn } from '../../formats/shared/request/characters.ts';
import { GovernedNames } from '../../formats/shared/request/governed-names.ts';
import { missingField, wrongField } from '../../formats/shared/request/request-fields.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedCallPorts, type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { CacheReport, CacheReportStore, CountedReport } from '../ports/cache-reports.ts';
import type { CacheStore } from '../ports/cache-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { CacheMetrics } from '../ports/metrics.ts';
import type { CacheSettings } from '../settings/settings.ts';

export interface CacheFeedbackPorts extends AdmittedCallPorts {
  readonly cache: Pick<CacheStore, 'findById' | 'invalidate' | 'wasInvalidated' | 'wasServed'>;
  readonly reports: Pick<CacheReportStore, 'add' | 'invalidated' | 'list'>;
  readonly settings: CacheSettings['feedback'];
  readonly metrics: Pick<CacheMetrics, 'cacheReported' | 'cacheInvalidated'>;
  readonly logger: Logger;
  readonly newId: (prefix: string, characters: number) => string;
}

/** A client with a report. The body is read only after authentication. */
export interface FeedbackInbound extends Caller {
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

/** The most reports of one account that are kept; its oldest are evicted. */
const MOST_REPORTS_OF_ACCOUNT = 1_000;
/** The number of reports that are read to find the accounts of an invalidated entry. */
const LOOKED_AT = 100;
const RETRY_MS = 5_000;
const ENTRY_ID = /^ce_[A-Za-z0-9]{32}$/;

/** Who reports: each has one vote per entry. */
export type Reporter = Pick<CacheReport, 'accountId' | 'keyId'>;

export interface CountedFeedback {
  /** Whether it is the reporter's first report of the entry. */
  readonly isNew: boolean;
  /** Whether the entry is no longer served. */
  readonly isInvalidated: boolean;
}

/** The fields of a report that identify its subject. */
type Reported = Pick<CacheReport, 'entryId' | 'cacheKey' | 'modelId' | 'invalidatedAtMs'>;

/**
 * Handles `POST /v1/cache/feedback` (contract, Cache): clients report wrong answers that came from the cache. A key has one vote per entry.
 * When enough keys have voted, the entry is invalidated, and nothing is stored for its request for a while. An entry that the account
 * neither made nor was served is reported as not found.
 */
export class CacheFeedback {
  /** The invalidations in progress by entry, which concurrent reports await. */
  private readonly takingOut = new Map<string, Promise<void>>();

  constructor(private readonly ports: CacheFeedbackPorts) {}

  /** Resolves to the response body as JSON text. */
  report(inbound: FeedbackInbound): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, inbound, async (principal) => {
      const bytes = await inbound.readBody(principal.account.id);
      const request = bytes instanceof Failure ? bytes : parseFeedback(bytes);
      if (request instanceof Failure) return request;
      try {
        const reporter = { accountId: principal.account.id, keyId: principal.credential.id };
        const { entryId } = request;
        const counted = await this.count(reporter, request);
        return counted === null ? notFound() : answer(entryId, counted);
      } catch (error) {
        // The report itself is never logged: its description is the client's own text.
        this.ports.logger.error({ cacheEntryId: request.entryId, ...describeError(error) }, 'a cache report failed');
        return notStored();
      }
    });
  }

  /** Counts a report. Resolves to `null` if the reporter's account neither made the entry nor was served it. Throws if the store fails. */
  async count(reporter: Reporter, request: FeedbackRequest): Promise<CountedFeedback | null> {
    const { entryId } = request;
    if (!ENTRY_ID.test(entryId)) return null;
    const entry = await this.ports.cache.findById(entryId);
    if (entry === null) return this.countLate(reporter, request);
    const { accountId } = reporter;
    if (entry.accountId !== accountId && !(await this.wasServed(entry, accountId))) return null;
    const { key: cacheKey, modelId } = entry;
    const about = { entryId, cacheKey, modelId, invalidatedAtMs: null };
    const { isNew, keys, accounts } = await this.add(reporter, request, about);
    // One account that did not make a shared entry cannot invalidate it alone.
    const hasSay = !entry.isShared || entry.accountId === accountId || accounts > 1;
    // Also for a repeated report, because a crash may have interrupted the first invalidation.
    const isInvalidated = hasSay && keys >= this.ports.settings.keys;
    if (isInvalidated) await this.takeOut(entry);
    return { isNew, isInvalidated };
  }

  private async wasServed(entry: CacheEntry, accountId: string): Promise<boolean> {
    return entry.isShared && (await this.ports.cache.wasServed(entry, accountId));
  }

  /** Handles a report about an invalidated entry. Earlier reports show which accounts may know it. */
  private async countLate(reporter: Reporter, request: FeedbackRequest): Promise<CountedFeedback | null> {
    const { cache, reports, clock } = this.ports;
    const { entryId } = request;
    if (!(await cache.wasInvalidated(entryId))) return null;
    const others = await reports.list({ limit: LOOKED_AT, before: null, accountId: null, entryId });
    const accounts = new Set(others.map(({ accountId }) => accountId));
    const [known] = others;
    if (known === undefined || (accounts.size === 1 && !accounts.has(reporter.accountId))) return null;
    const { cacheKey, modelId } = known;
    const invalidatedAtMs = known.invalidatedAtMs ?? clock.nowMs();
    const { isNew } = await this.add(reporter, request, { entryId, cacheKey, modelId, invalidatedAtMs });
    return { isNew, isInvalidated: true };
  }

  private async add(
    reporter: Reporter,
    { type, description }: FeedbackRequest,
    about: Reported,
  ): Promise<CountedReport> {
    const { reports, clock, newId, metrics } = this.ports;
    const report = { id: newId('cr_', 32), ...about, ...reporter, type, description, atMs: clock.nowMs() };
    const added = await reports.add(report, MOST_REPORTS_OF_ACCOUNT);
    if (added.isNew) metrics.cacheReported(type);
    return added;
  }

  private async takeOut(entry: CacheEntry): Promise<void> {
    const running = this.takingOut.get(entry.id);
    if (running !== undefined) return await running;
    const taking = this.takeOutOnce(entry).finally(() => this.takingOut.delete(entry.id));
    this.takingOut.set(entry.id, taking);
    await taking;
  }

  private async takeOutOnce(entry: CacheEntry): Promise<void> {
    const { cache, reports, clock, settings, metrics, logger } = this.ports;
    const nowMs = clock.nowMs();
    const { id: cacheEntryId, modelId, accountId } = entry;
    if (!(await cache.wasInvalidated(cacheEntryId))) {
      await cache.invalidate(entry, nowMs + settings.blockMs);
      metrics.cacheInvalidated('feedback', 1);
      logger.info({ cacheEntryId, modelId, accountId }, 'a cache entry was invalidated after reports');
    }
    try {
      await reports.invalidated(cacheEntryId, nowMs);
    } catch (error) {
      // The entry is invalidated, as the answer says; only the list of reports does not show it.
      logger.warn({ cacheEntryId, ...describeError(error) }, 'cache reports could not be marked as processed');
    }
  }
}

function answer(entryId: string, { isNew, isInvalidated: invalidated }: CountedFeedback): string {
  return JSON.stringify({ status: isNew ? 'recorded' : 'already_recorded', cache_entry_id: entryId, invalidated });
}

/** Returns the same failure in all cases, so that guessing ids reveals nothing. */
function notFound(): Failure {
  return new Failure('cache_entry_not_found', {
    message: 'The cache entry was not found or is no longer available.',
    param: 'cache_entry_id',
    hint: 'Report the id in `x-cache-entry-id` of a cached response, with a key of the account that received it.',
  });
}

function notStored(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The report could not be stored, so it does not count.',
    retryAfterMs: RETRY_MS,
    hint: 'Nothing is wrong with the report. Wait for retry_after seconds and send it again.',
  });
}

/** Each name may occur once, in the correct spelling. Other members are ignored. */
const NAMES = new GovernedNames({ cache_entry_id: true, feedback_type: true, description: true });

/** A client's report about a cached answer. */
export interface FeedbackRequest {
  readonly entryId: string;
  readonly type: FeedbackType;
  /** Empty without a description. */
  readonly description: string;
}

/** Reads and checks the body of `POST /v1/cache/feedback` (contract, Cache). */
function parseFeedback(bytes: Uint8Array): FeedbackRequest | Failure {
  const parsed = parseBody(bytes, '`cache_entry_id` and `feedback_type`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { cache_entry_id: entryId, feedback_type: named, description: said } = parsed.body;
  if (entryId === undefined || entryId === null) {
    return missingField('cache_entry_id', 'the id from the response header `x-cache-entry-id`');
  }
  if (typeof entryId !== 'string') return wrongField('invalid_type', 'cache_entry_id', 'must be a string');
  const type = typeOf(named);
  if (type instanceof Failure) return type;
  const description = descriptionOf(said);
  return description instanceof Failure ? description : { entryId, type, description };
}

function typeOf(named: unknown): FeedbackType | Failure {
  const words = FEEDBACK_TYPES.map((word) => `\`${word}\``).join(', ');
  if (named === undefined || named === null) return missingField('feedback_type', `one of ${words}`);
  if (typeof named !== 'string') return wrongField('invalid_type', 'feedback_type', `must be one of ${words}`);
  const type = FEEDBACK_TYPES.find((word) => word === named);
  return type ?? wrongField('invalid_value', 'feedback_type', `must be one of ${words}`);
}

function descriptionOf(said: unknown): string | Failure {
  if (said === undefined || said === null) return '';
  if (typeof said !== 'string') return wrongField('invalid_type', 'description', 'must be a string');
  const characters = charactersIn(said, MOST_DESCRIPTION);
  // An unpaired surrogate cannot be stored as UTF-8.
  if (characters <= MOST_DESCRIPTION) return said.toWellFormed();
  return new Failure('payload_too_large', {
    message: `\`description\` has ${characters} characters; the limit is ${MOST_DESCRIPTION}.`,
    param: 'description',
    hint: 'Shorten the description.',
  });
}
