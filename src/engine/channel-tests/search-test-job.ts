import { Failure } from '../../domain/failure/failure.ts';
import type { SearchRequest } from '../../domain/search/search.ts';
import type { Lane } from '../call/lane.ts';
import type { Job } from '../call/operation.ts';
import type { Target } from '../directory/target.ts';
import { OneSearch } from '../operations/search/one-search.ts';
import type { Clock } from '../ports/clock.ts';
import { TestTries } from './test-job.ts';

const QUERY: Omit<SearchRequest, 'model'> = {
  ...{ query: 'example', maxResults: 1, allowedDomains: [], blockedDomains: [], country: null, recency: null },
};

/** A search for one page. Records the result. */
export class SearchTestJob extends TestTries implements Pick<Job<Target, never>, 'stream' | 'lane' | 'repeats'> {
  readonly stream = false;
  readonly repeats = 0;

  constructor(private readonly ports: { readonly clock: Clock }) {
    super(ports.clock);
  }

  lane(target: Target): Lane<never> {
    const search = new OneSearch({ ...QUERY, model: target.publicModel }, () => this.ports.clock.nowMs());
    const lane = search.lane(target);
    return {
      ...lane,
      request: () => {
        this.begins(target.wire.name, target.url);
        return lane.request();
      },
      answer: (bytes, headers) => {
        const told = lane.answer(bytes, headers);
        if (told instanceof Promise || told instanceof Failure) return told;
        const [page] = search.results ?? [];
        const text = page === undefined ? 'No results.' : `${page.title} (${page.url})`;
        this.ended({ text, thought: false, finish: null, usage: null, streamed: false });
        return told;
      },
    };
  }
}
