import type { Model } from '../../../domain/catalog/model.ts';
import type { FoundPage } from '../../../domain/exchange/web-search.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { MOST_RESULTS, type SearchRequest, type SearchResult } from '../../../domain/search/search.ts';
import { type AttemptEvents, AttemptLoop, type LoopPorts } from '../../call/attempt-loop.ts';
import { countSpending } from '../../call/key-cost.ts';
import { OtherWires } from '../../call/other-wires.ts';
import { plan } from '../../call/plan.ts';
import type { ResponseMemory } from '../../call/response-memory.ts';
import type { Directory } from '../../directory/directory.ts';
import type { Target } from '../../directory/target.ts';
import type { LowPriority } from '../../ports/low-priority.ts';
import type { WaitingClient } from '../../ports/upstream.ts';
import type { WebQuery, WebSearcher, WebSearching } from '../../ports/web-search.ts';
import type { SearchSettings } from '../../settings/settings.ts';
import { OneSearch } from './one-search.ts';

/** How long a model waits for one search. */
const WITHIN_MS = 15_000;
const MOST_ATTEMPTS = 3;
const ONE_SEARCH: Billable = { quantities: [{ unit: 'request', amount: 1 }], source: 'reported' };

export interface ChannelSearchingPorts extends LoopPorts {
  readonly directory: () => Directory;
  readonly answers: ResponseMemory;
  readonly settings: SearchSettings;
}

/** The search is part of a logged request, which counts it, so it is not logged separately. */
const UNRECORDED: AttemptEvents = {
  attemptBegan: () => undefined,
  heard: () => undefined,
  attemptFailed: () => undefined,
  withExtras: () => null,
};

/**
 * Searches with the operator's search model for models that cannot search. Routing, limits and failover work as for a client's own
 * search, and affect the health of channels.
 */
export class ChannelSearching implements WebSearching {
  private readonly otherWires = new OtherWires();

  constructor(private readonly ports: ChannelSearchingPorts) {}

  get isOn(): boolean {
    const { settings, directory } = this.ports;
    return settings.model !== 'none' || directory().hasSearchModels;
  }

  searcherFor({ search }: Pick<Model, 'search'>, batch: LowPriority | null): WebSearcher | null {
    const { ports } = this;
    const { maxRounds, maxSearches, results, model } = ports.settings;
    const modelId = search ?? model;
    if (modelId === 'none') return null;
    const ways = ports.directory().sharedWaysFor('search', modelId);
    if (ways === null || ways.targets.length === 0) return null;
    return {
      ...{ maxRounds, maxSearches, results },
      priceUsd: ways.prices === null ? null : formatNanoUsd(ways.prices.costNanoUsd(ONE_SEARCH, ports.clock.nowMs())),
      search: (query, client) => this.search(requestFor(modelId, query), client, batch),
    };
  }

  private async search(
    request: SearchRequest,
    client: WaitingClient,
    batch: LowPriority | null,
  ): Promise<readonly FoundPage[] | Failure> {
    const { ports } = this;
    const over = new AbortController();
    const limit = new AbortController();
    void ports.sleep(WITHIN_MS, over.signal).then(() => {
      if (!over.signal.aborted) limit.abort();
    });
    try {
      const signal = AbortSignal.any([client.signal, limit.signal]);
      return await this.ask(request, { signal, accountId: client.accountId ?? '' }, batch);
    } finally {
      over.abort();
    }
  }

  private async ask(
    request: SearchRequest,
    client: WaitingClient & { readonly accountId: string },
    batch: LowPriority | null,
  ): Promise<readonly FoundPage[] | Failure> {
    const { ports, otherWires } = this;
    const { clock, random, answers } = ports;
    const { accountId } = client;
    const ways = ports.directory().sharedWaysFor('search', request.model);
    if (ways === null) return unavailable();
    const strategy = ways.model.strategy ?? ports.routing.strategy;
    const nowMs = clock.monotonicMs();
    const targets = plan({ ways, accountId, strategy, stream: false, affinity: null, nowMs, random });
    const job = new OneSearch(request, () => clock.nowMs());
    let release = () => {};
    const buffered = answers.open(accountId, (whenOver) => {
      release = whenOver;
    });
    const routing = { ...ports.routing, maxAttempts: MOST_ATTEMPTS, deadlineMs: WITHIN_MS };
    try {
      const outcome = batch === null ? UNRECORDED : { ...UNRECORDED, batch: this.searchOf(batch, client) };
      const input = { job, outcome, accountId, client, buffered, targets, otherWires };
      const result = await new AttemptLoop<Target, never>({ ...ports, routing }, input).run();
      if (!('answer' in result)) return result.failure ?? unavailable();
      result.running.answered();
      const work = { modelId: request.model, billable: ONE_SEARCH, atMs: clock.nowMs(), applied: null };
      countSpending(result.target, work);
    } finally {
      release();
    }
    return job.results === null ? unavailable() : job.results.map(pageOf);
  }

  /** Returns the priority of a search of a batch's line. The line keeps its place while its searches wait, since several may wait at once. */
  private searchOf({ sharePercent, signal }: LowPriority, client: WaitingClient): LowPriority {
    const wait = async (ms: number) => {
      await this.ports.sleep(ms, client.signal);
      return !client.signal.aborted;
    };
    return { sharePercent, signal, wait };
  }
}

function pageOf({ url, title, snippet, date }: SearchResult): FoundPage {
  return { url, title, text: snippet, published: date };
}

function requestFor(model: string, { query, count, allowedDomains, blockedDomains, country }: WebQuery): SearchRequest {
  const isCountry = country !== null && /^[a-z]{2}$/i.test(country);
  return {
    ...{ model, query, maxResults: Math.min(MOST_RESULTS, count) },
    ...{ allowedDomains: allowedDomains ?? [], blockedDomains: blockedDomains ?? [] },
    ...{ country: isCountry ? country.toUpperCase() : null, recency: null },
  };
}

function unavailable(): Failure {
  return new Failure('upstream_error', { kind: 'unavailable', message: 'No channel could run the search.' });
}
