import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import type { SearchRequest } from '../../../domain/search/search.ts';
import { searchWires } from '../../../formats/index.ts';
import { encodeAnswer } from '../../../formats/search/shared/client-answer.ts';
import { type AskedSearch, parseRequest } from '../../../formats/search/shared/client-request.ts';
import type { SearchWire } from '../../../formats/search/wire.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { Lane, WholeResponse } from '../../call/lane.ts';
import type { Asking, Inbound, Job, OpenCall, Operation } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { Target } from '../../directory/target.ts';
import type { RequestBounds } from '../../ports/billing.ts';
import type { Clock } from '../../ports/clock.ts';
import { defaultModel } from '../default-model.ts';
import { PlainFacts } from '../plain-facts.ts';

export interface SearchPorts {
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Handles `POST /v1/search`, over any search wire. A search has a price per request and no tokens. */
export class SearchOperation implements Operation {
  constructor(private readonly ports: SearchPorts) {}

  async read(inbound: Inbound, call: OpenCall): Promise<Asking | Failure> {
    const bytes = await inbound.readBody(call.principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const asked = parseRequest(bytes);
    call.outcome.wants(asked instanceof Failure ? statedModel(bytes) : asked.model);
    return asked instanceof Failure ? asked : this.asking(call, asked, null);
  }

  private asking(call: OpenCall, asked: AskedSearch, grant: ModelGrant | null): Asking {
    const { principal, outcome } = call;
    return {
      modelId: asked.model,
      withModel: (model, granted) => this.asking(call, { ...asked, model }, granted),
      facts: () => new PlainFacts({ texts: () => [asked.query] }),
      route: (directory) => {
        const model = asked.model ?? defaultModel(directory, principal, 'search', [{ preferred: [] }]);
        if (model === null) return withoutModel();
        const ways = findWays(directory, principal, { modelId: model, operation: 'search', category: 'rerank', grant });
        if (ways instanceof Failure) return ways;
        outcome.names(model);
        return new Searching({ ...asked, model }, ways, this.ports);
      },
    };
  }
}

class Searching implements Job {
  readonly stream = false;
  readonly modelId: string;

  constructor(
    private readonly request: SearchRequest,
    readonly ways: Ways<Target>,
    private readonly ports: SearchPorts,
  ) {
    this.modelId = request.model;
  }

  bounds(): RequestBounds {
    const size = { inputTokens: 0, outputTokens: 0 };
    return {
      certain: () => size,
      counted: async () => size,
      isPlausible: () => true,
      plausible: () => size,
    };
  }

  lane(target: Target, routing: RoutingFacts): Lane {
    const wire = searchWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for searches`);
    return {
      isRelayed: false,
      request: () => {
        const { body, suffix, losses } = wire.encodeRequest(this.request, this.ports.clock.nowMs());
        const address = suffix === undefined ? {} : { suffix };
        return { body, method: wire.method, ...address, headers: null, losses, extras: null };
      },
      answer: (bytes) => this.answer(wire, bytes, routing),
    };
  }

  private answer(wire: SearchWire, bytes: Uint8Array, routing: RoutingFacts): WholeResponse | Failure {
    const results = wire.decodeAnswer(bytes, this.request);
    if (results instanceof Failure) return results;
    return {
      body: encodeAnswer(results, { publicModel: this.modelId, routing }),
      billable: { quantities: [{ unit: 'request', amount: 1 }], source: 'reported' },
      served: { model: null, serviceTier: null },
    };
  }
}

function withoutModel(): Failure {
  return new Failure('model_not_found', {
    message: 'This gateway has no model for searches.',
    param: 'model',
    hint: 'An admin can add a channel of a search provider: Brave, Tavily, Exa or SearXNG (docs/web-search.md).',
  });
}
