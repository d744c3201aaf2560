import type { Principal } from '../../domain/access/principal.ts';
import type { CacheEntry } from '../../domain/cache/cache-entry.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedAnswer, type AdmittedCallPorts, admittedCall } from '../call/admitted-call.ts';
import type { CacheReport, CacheReportStore, CountedReport } from '../ports/cache-reports.ts';
import type { CacheStore } from '../ports/cache-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { CacheMetrics } from '../ports/metrics.ts';
import type { CacheSettings } from '../settings/settings.ts';
import { type FeedbackRequest, parseFeedback } from './feedback-request.ts';

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
  report(inbound: FeedbackInbound): Promise<AdmittedAnswer<string>> {
    return admittedCall(this.ports, inbound, async (principal) => {
      const bytes = await inbound.readBody(principal.account.id);
      const request = bytes instanceof Failure ? bytes : parseFeedback(bytes);
      if (request instanceof Failure) return request;
      try {
        return await this.reported(principal, request);
      } catch (error) {
        // The report itself is never logged: its description is the client's own text.
        this.ports.logger.error({ cacheEntryId: request.entryId, ...describeError(error) }, 'a cache report failed');
        return notStored();
      }
    });
  }

  private async reported(principal: Principal, request: FeedbackRequest): Promise<string | Failure> {
    const { entryId } = request;
    if (!ENTRY_ID.test(entryId)) return notFound();
    const entry = await this.ports.cache.findById(entryId);
    if (entry === null) return this.reportedTooLate(principal, request);
    const { account } = principal;
    if (entry.accountId !== account.id && !(await this.wasServed(entry, account.id))) return notFound();
    const { key: cacheKey, modelId } = entry;
    const about = { entryId, cacheKey, modelId, invalidatedAtMs: null };
    const { isNew, keys, accounts } = await this.add(principal, request, about);
    // One account that did not make a shared entry cannot invalidate it alone.
    const hasSay = !entry.isShared || entry.accountId === account.id || accounts > 1;
    // Also for a repeated report, because a crash may have interrupted the first invalidation.
    const isInvalidated = hasSay && keys >= this.ports.settings.keys;
    if (isInvalidated) await this.takeOut(entry);
    return answer(entryId, isNew, isInvalidated);
  }

  private async wasServed(entry: CacheEntry, accountId: string): Promise<boolean> {
    return entry.isShared && (await this.ports.cache.wasServed(entry, accountId));
  }

  /** Handles a report about an invalidated entry. Earlier reports show which accounts may know it. */
  private async reportedTooLate(principal: Principal, request: FeedbackRequest): Promise<string | Failure> {
    const { cache, reports, clock } = this.ports;
    const { entryId } = request;
    if (!(await cache.wasInvalidated(entryId))) return notFound();
    const others = await reports.list({ limit: LOOKED_AT, before: null, accountId: null, entryId });
    const accounts = new Set(others.map(({ accountId }) => accountId));
    const [known] = others;
    if (known === undefined || (accounts.size === 1 && !accounts.has(principal.account.id))) return notFound();
    const { cacheKey, modelId } = known;
    const invalidatedAtMs = known.invalidatedAtMs ?? clock.nowMs();
    const { isNew } = await this.add(principal, request, { entryId, cacheKey, modelId, invalidatedAtMs });
    return answer(entryId, isNew, true);
  }

  private async add(
    { account, credential }: Principal,
    { type, description }: FeedbackRequest,
    about: Reported,
  ): Promise<CountedReport> {
    const { reports, clock, newId, metrics } = this.ports;
    const from = { accountId: account.id, keyId: credential.id };
    const report = { id: newId('cr_', 32), ...about, ...from, type, description, atMs: clock.nowMs() };
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

function answer(entryId: string, isNew: boolean, invalidated: boolean): string {
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
