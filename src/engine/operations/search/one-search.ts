import { Failure } from '../../../domain/failure/failure.ts';
import type { SearchRequest, SearchResult } from '../../../domain/search/search.ts';
import { searchWires } from '../../../formats/index.ts';
import type { Lane } from '../../call/lane.ts';
import type { Target } from '../../directory/target.ts';

/** One search, over any search wire. */
export class OneSearch {
  readonly stream = false;
  results: readonly SearchResult[] | null = null;

  constructor(
    private readonly request: SearchRequest,
    private readonly nowMs: () => number,
  ) {}

  lane(target: Target): Lane<never> {
    const wire = searchWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for searches`);
    return {
      isRelayed: false,
      request: () => {
        const { body, suffix, losses } = wire.encodeRequest(this.request, this.nowMs());
        const address = suffix === undefined ? {} : { suffix };
        return { body, method: wire.method, ...address, headers: null, losses, extras: null };
      },
      answer: (bytes) => {
        const results = wire.decodeAnswer(bytes, this.request);
        if (results instanceof Failure) return results;
        this.results = results;
        return { body: '', billable: null, served: { model: null, serviceTier: null } };
      },
    };
  }
}
