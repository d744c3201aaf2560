import type { Model } from '../../domain/catalog/model.ts';
import type { FoundPage } from '../../domain/exchange/web-search.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { LowPriority } from './low-priority.ts';
import type { WaitingClient } from './upstream.ts';

/** A web search, as a request's search tool allows it. Lists are absent if the request has none. */
export interface WebQuery {
  readonly query: string;
  /** The most results. */
  readonly count: number;
  readonly allowedDomains: readonly string[] | null;
  readonly blockedDomains: readonly string[] | null;
  /** A country code such as `NO`; `null` if the request names none. */
  readonly country: string | null;
}

/** Runs the searches of one request, within the operator's limits. */
export interface WebSearcher {
  /** The most requests to the model for one answer. */
  readonly maxRounds: number;
  /** The most searches for one answer. */
  readonly maxSearches: number;
  /** The usual number of results of one search. */
  readonly results: number;
  /** The price of one search in decimal USD; `null` if it is unknown. */
  readonly priceUsd: string | null;
  /** Resolves to the pages; a failure was not billed. */
  search(query: WebQuery, client: WaitingClient): Promise<readonly FoundPage[] | Failure>;
}

/** Web search for models whose targets have none. */
export interface WebSearching {
  /** Whether a search model is set, for all models or for one. */
  readonly isOn: boolean;
  /**
   * Returns the searcher for a request to this model; `null` if the operator has switched search off for it.
   *
   * @param batch the line of a batch, whose searches have low priority too; `null` for other requests
   */
  searcherFor(model: Pick<Model, 'search'>, batch: LowPriority | null): WebSearcher | null;
}
