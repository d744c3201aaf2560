import type { CacheControl } from '../../../domain/cache/cache.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { joinedAnswers, type RerankAnswer, type RerankRequest, searchUnitsOf } from '../../../domain/rerank/rerank.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import { rerankWires } from '../../../formats/index.ts';
import { encodeAnswer as encodeCohereAnswer } from '../../../formats/rerank/cohere-rerank/response.ts';
import {
  NAMES,
  type ParsedRerank,
  parseRequest,
  type RerankReading,
} from '../../../formats/rerank/jina-rerank/request.ts';
import { encodeAnswer } from '../../../formats/rerank/jina-rerank/response.ts';
import type { RerankWire } from '../../../formats/rerank/wire.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { AnswerCache } from '../../cache/answer-cache.ts';
import { CACHE_HEADER, headerControl } from '../../cache/read-control.ts';
import { type AnswerCodec, WholeAnswers } from '../../cache/whole-answers.ts';
import type { AnswerPart, Lane, LaneRequest, WholeResponse } from '../../call/lane.ts';
import type {
  Asking,
  Inbound,
  Job,
  KnownResponse,
  OpenCall,
  Operation,
  RespondingTarget,
} from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { Target } from '../../directory/target.ts';
import { PlainFacts } from '../plain-facts.ts';
import { laneRequestOfParts } from '../several-requests.ts';
import { refusalOnSharedChannel } from '../shared-channel.ts';
import { RerankSize } from './rerank-size.ts';

/** The request and response shapes of a kind of client. */
interface RerankClients {
  readonly reading: RerankReading;
  readonly encodeAnswer: typeof encodeAnswer;
}

/** Clients of the contract's POST /v1/rerank. */
export const CONTRACT_CLIENTS: RerankClients = { reading: { takesLargeTopN: false }, encodeAnswer };
/** Clients of Cohere's POST /v2/rerank. */
export const COHERE_CLIENTS: RerankClients = {
  reading: { takesLargeTopN: true },
  encodeAnswer: encodeCohereAnswer,
};

interface RerankCall extends OpenCall {
  readonly inbound: Inbound;
  readonly cacheControl: CacheControl | null;
}

/** Handles `POST /v1/rerank` and `/v2/rerank`, over any rerank wire. */
export class RerankOperation implements Operation {
  constructor(
    private readonly cache: AnswerCache,
    private readonly clients: RerankClients,
  ) {}

  async read(inbound: Inbound, { principal, outcome }: OpenCall): Promise<Asking | Failure> {
    const bytes = await inbound.readBody(principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, NAMES.table) : bytes;
    const parsed = source instanceof Failure ? source : parseRequest(source, this.clients.reading);
    outcome.wants(parsed instanceof Failure ? statedModel(source) : parsed.request.model);
    if (parsed instanceof Failure) return parsed;
    const cacheControl = parsed.cacheControl ?? headerControl(inbound.header(CACHE_HEADER));
    if (cacheControl instanceof Failure) return cacheControl;
    return this.asking({ inbound, principal, outcome, cacheControl }, parsed, null);
  }

  private asking(call: RerankCall, parsed: ParsedRerank, grant: ModelGrant | null): Asking {
    const { inbound, principal, outcome, cacheControl } = call;
    const { model: modelId } = parsed.request;
    return {
      modelId,
      withModel: (model, granted) => this.asking(call, { ...parsed, request: { ...parsed.request, model } }, granted),
      facts: () => new PlainFacts({ texts: () => [parsed.request.query, ...parsed.request.documents] }),
      route: (directory) => {
        const ways = findWays(directory, principal, { modelId, operation: 'rerank', category: 'rerank', grant });
        if (ways instanceof Failure) return ways;
        outcome.names(modelId);
        const size = new RerankSize(principal.account.id, parsed.request);
        const asked = { ...cachedRequestOf(parsed), cacheControl };
        const caching = WholeAnswers.of(this.cache, RERANK_ENTRY, asked, { inbound, outcome, principal, ways });
        return new Reranking(this.clients, parsed, size, ways, caching);
      },
    };
  }
}

class Reranking implements Job {
  readonly stream = false;
  readonly modelId: string;

  constructor(
    private readonly clients: RerankClients,
    private readonly parsed: ParsedRerank,
    private readonly size: RerankSize,
    readonly ways: Ways<Target>,
    private readonly caching: WholeAnswers<CountedRerank> | null,
  ) {
    this.modelId = parsed.request.model;
  }

  known() {
    return this.caching === null ? null : this.found(this.caching);
  }

  private async found(caching: WholeAnswers<CountedRerank>): Promise<KnownResponse<Target> | null> {
    const found = await caching.find();
    return found === null ? null : { ...found, answer: this.written(found.answer, found.routing) };
  }

  completed({ target }: RespondingTarget<Target>): void {
    this.caching?.completed(target);
  }

  bounds(): RerankSize {
    return this.size;
  }

  lane(target: Target, routing: RoutingFacts): Lane {
    const wire = rerankWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for reranking`);
    return {
      isRelayed: false,
      request: () => this.request(wire, target),
      answer: (bytes, headers) => this.answer(wire, target, [{ bytes, headers }], routing),
      answers: (parts) => this.answer(wire, target, parts, routing),
    };
  }

  private request(wire: RerankWire, target: Target): LaneRequest | Failure {
    const { request, body, names } = this.parsed;
    const refusal = refusalOnSharedChannel(target, body, names);
    if (refusal !== null) return refusal;
    const [first = request, ...others] = requestsFor(wire, request);
    return laneRequestOfParts([first, ...others], (part) => wire.encodeRequest(part, target));
  }

  private async answer(
    wire: RerankWire,
    target: Target,
    parts: readonly AnswerPart[],
    routing: RoutingFacts,
  ): Promise<WholeResponse | Failure> {
    const { request } = this.parsed;
    const answers: RerankAnswer[] = [];
    for (const [index, part] of requestsFor(wire, request).entries()) {
      const { bytes, headers } = parts[index] ?? { bytes: new Uint8Array(0), headers: new Headers() };
      const decoded = wire.decodeAnswer(bytes, part, target, headers);
      if (decoded instanceof Failure) return decoded;
      answers.push(decoded);
    }
    const answer = joinedAnswers(answers);
    const counted = { answer, tokens: answer.tokens ?? (await this.size.estimated()) };
    this.caching?.note(counted);
    return this.written(counted, routing);
  }

  /** Returns the client's response, with the requested number of results. */
  private written({ answer, tokens }: CountedRerank, routing: RoutingFacts): WholeResponse {
    const { request } = this.parsed;
    const billable: Billable = {
      quantities: [
        { unit: 'input_token', amount: tokens },
        // A per-request price is the price of one search.
        { unit: 'request', amount: answer.searchUnits ?? searchUnitsOf(request.documents.length) },
      ],
      source: answer.tokens === null ? 'estimated' : 'reported',
    };
    const body = this.clients.encodeAnswer(answer, request, { publicModel: this.modelId, routing, tokens });
    return { body, billable, served: { model: answer.model, serviceTier: null } };
  }
}

/** Returns the part of a request that changes the scores, which excludes the number of results and their shape. */
function cachedRequestOf({ request, isUnambiguous }: ParsedRerank) {
  const { model: modelId, query, documents, others } = request;
  return { modelId, settings: ['rerank', others], inputs: [query, ...documents], isUnambiguous };
}

/** Returns the requests to the upstream: several if one cannot have all documents. */
function requestsFor({ mostDocuments }: RerankWire, request: RerankRequest): readonly RerankRequest[] {
  const { documents } = request;
  if (mostDocuments === undefined || documents.length <= mostDocuments) return [request];
  const parts: RerankRequest[] = [];
  for (let at = 0; at < documents.length; at += mostDocuments) {
    parts.push({ ...request, documents: documents.slice(at, at + mostDocuments) });
  }
  return parts;
}

/** An answer, and its charged tokens: reported, or counted if `answer.tokens` is `null`. */
interface CountedRerank {
  readonly answer: RerankAnswer;
  readonly tokens: number;
}

/** JSON text with the scores of all documents, so that it also answers requests for fewer results. */
export const RERANK_ENTRY: AnswerCodec<CountedRerank> = {
  fits: () => true,
  sizeOf: ({ answer: { scores } }) => scores.length,
  // biome-ignore lint/correctness/useYield: a thousand scores are the most, and need no steps.
  *encode(counted) {
    return new TextEncoder().encode(JSON.stringify(counted));
  },
  // biome-ignore lint/correctness/useYield: the same
  *decode(bytes) {
    return JSON.parse(new TextDecoder().decode(bytes));
  },
};
