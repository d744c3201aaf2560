import type { CacheControl } from '../../../domain/cache/cache.ts';
import {
  countOfInputs,
  type EmbeddingAnswer,
  type EmbeddingRequest,
  splitInputs,
} from '../../../domain/embeddings/embeddings.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Billable, ONE_REQUEST } from '../../../domain/money/quantity.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import {
  MOST_VALUES,
  NAMES,
  type ParsedEmbeddings,
  parseRequest,
  partsOf,
} from '../../../formats/embeddings/openai-embeddings/request.ts';
import { encodeAnswer } from '../../../formats/embeddings/openai-embeddings/response.ts';
import type { EmbeddingWire } from '../../../formats/embeddings/wire.ts';
import { embeddingWires } from '../../../formats/index.ts';
import { garbage } from '../../../formats/shared/failure/answer-failure.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { AnswerCache } from '../../cache/answer-cache.ts';
import { CACHE_HEADER, headerControl } from '../../cache/read-control.ts';
import { WholeAnswers } from '../../cache/whole-answers.ts';
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
import { type CountedEmbeddings, EMBEDDING_ENTRY } from './embedding-entry.ts';
import { InputTokens } from './input-tokens.ts';

interface EmbeddingCall extends OpenCall {
  readonly inbound: Inbound;
  readonly cacheControl: CacheControl | null;
}

/** Handles `POST /v1/embeddings` in OpenAI's shape, over any embeddings wire. */
export class EmbeddingsOperation implements Operation {
  constructor(private readonly cache: AnswerCache) {}

  async read(inbound: Inbound, { principal, outcome }: OpenCall): Promise<Asking | Failure> {
    const bytes = await inbound.readBody(principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, NAMES.table, MOST_VALUES) : bytes;
    const parsed = source instanceof Failure ? source : parseRequest(source);
    outcome.wants(parsed instanceof Failure ? statedModel(source) : parsed.request.model);
    if (parsed instanceof Failure) return parsed;
    outcome.servesUser(parsed.request.user);
    const cacheControl = parsed.cacheControl ?? headerControl(inbound.header(CACHE_HEADER));
    if (cacheControl instanceof Failure) return cacheControl;
    return this.asking({ inbound, principal, outcome, cacheControl }, parsed, null);
  }

  private asking(call: EmbeddingCall, parsed: ParsedEmbeddings, grant: ModelGrant | null): Asking {
    const { inbound, principal, outcome, cacheControl } = call;
    const { model: modelId } = parsed.request;
    return {
      modelId,
      withModel: (model, granted) => this.asking(call, { ...parsed, request: { ...parsed.request, model } }, granted),
      facts: () => {
        const { inputs, user } = parsed.request;
        return new PlainFacts({ user, ...(inputs.kind === 'texts' && { texts: () => inputs.texts }) });
      },
      route: (directory) => {
        const ways = findWays(directory, principal, { modelId, operation: 'embeddings', category: 'embedding', grant });
        if (ways instanceof Failure) return ways;
        outcome.names(modelId);
        const tokens = new InputTokens(principal.account.id, parsed.request.inputs);
        const asked = { ...cachedRequestOf(parsed), cacheControl };
        const caching = WholeAnswers.of(this.cache, EMBEDDING_ENTRY, asked, { inbound, outcome, principal, ways });
        return new Embedding(parsed, tokens, ways, caching);
      },
    };
  }
}

class Embedding implements Job {
  readonly stream = false;
  readonly modelId: string;

  constructor(
    private readonly parsed: ParsedEmbeddings,
    private readonly tokens: InputTokens,
    readonly ways: Ways<Target>,
    private readonly caching: WholeAnswers<CountedEmbeddings> | null,
  ) {
    this.modelId = parsed.request.model;
  }

  known() {
    return this.caching === null ? null : this.found(this.caching);
  }

  private async found(caching: WholeAnswers<CountedEmbeddings>): Promise<KnownResponse<Target> | null> {
    const found = await caching.find();
    if (found === null) return null;
    const answer = await this.written(found.answer, found.routing);
    return answer instanceof Failure ? null : { ...found, answer };
  }

  completed({ target }: RespondingTarget<Target>): void {
    this.caching?.completed(target);
  }

  bounds(): InputTokens {
    return this.tokens;
  }

  lane(target: Target, routing: RoutingFacts): Lane {
    const wire = embeddingWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for embeddings`);
    const requests = requestsFor(wire, target, this.parsed.request);
    return {
      isRelayed: wire.isClients === true,
      request: () => this.request(wire, target, requests),
      answer: (bytes, headers) => this.answer(wire, requests, [{ bytes, headers }], routing),
      answers: (parts) => this.answer(wire, requests, parts, routing),
    };
  }

  private request(wire: EmbeddingWire, target: Target, requests: readonly EmbeddingRequest[]): LaneRequest | Failure {
    const { request, names } = this.parsed;
    const refusal = refusalOnSharedChannel(target, request.body, names);
    if (refusal !== null) return refusal;
    const [first = request, ...others] = requests;
    return laneRequestOfParts([first, ...others], (part) => wire.encodeRequest(part, target));
  }

  private async answer(
    wire: EmbeddingWire,
    requests: readonly EmbeddingRequest[],
    parts: readonly AnswerPart[],
    routing: RoutingFacts,
  ): Promise<WholeResponse | Failure> {
    const { request } = this.parsed;
    const answers: EmbeddingAnswer[] = [];
    for (const [index, part] of requests.entries()) {
      const { bytes, headers } = parts[index] ?? { bytes: new Uint8Array(0), headers: new Headers() };
      const decoded = await wire.decodeAnswer(bytes, part, headers);
      if (decoded instanceof Failure) return decoded;
      const missing = missingVectors(decoded, part);
      if (missing !== null) return missing;
      answers.push(decoded);
    }
    const answer = joined(answers);
    const problem = problemOf(answer, request);
    if (problem !== null) return problem;
    const counted = { answer, tokens: answer.tokens ?? (await this.tokens.estimated()) };
    const laneAnswer = await this.written(counted, routing);
    if (!(laneAnswer instanceof Failure)) this.caching?.note(counted);
    return laneAnswer;
  }

  /** Resolves to the client's response, in the requested encoding. */
  private async written(
    { answer, tokens }: CountedEmbeddings,
    routing: RoutingFacts,
  ): Promise<WholeResponse | Failure> {
    const { request } = this.parsed;
    const body = await encodeAnswer(answer, request, { publicModel: this.modelId, routing, tokens });
    const source = answer.tokens === null ? 'estimated' : 'reported';
    const billable: Billable = { quantities: [{ unit: 'input_token', amount: tokens }, ONE_REQUEST], source };
    return body instanceof Failure ? body : { body, billable, served: { model: answer.model, serviceTier: null } };
  }
}

/** Returns the part of a request that changes the answer, which excludes the encoding and the client's user name. */
function cachedRequestOf({ request, isUnambiguous }: ParsedEmbeddings) {
  const { model: modelId, inputs, dimensions, body } = request;
  const { model: _model, input: _input, encoding_format: _format, user: _user, ...others } = body;
  const settings = ['embeddings', { ...others, dimensions }];
  return { modelId, settings, inputs: inputs.kind === 'texts' ? inputs.texts : inputs.lists, isUnambiguous };
}

/** Returns the requests to the upstream: several if one cannot hold all inputs. */
function requestsFor(wire: EmbeddingWire, target: Target, request: EmbeddingRequest): readonly EmbeddingRequest[] {
  const bounds = wire.boundsOf?.(target);
  if (bounds === undefined) return [request];
  const parts = splitInputs(request.inputs, bounds);
  return wire.isClients ? partsOf(request, parts) : parts.map((inputs) => ({ ...request, inputs }));
}

/** Joins the answers. The token count is unknown if that of any answer is. */
function joined(answers: readonly EmbeddingAnswer[]): EmbeddingAnswer {
  const [only = { vectors: [], tokens: null, model: null }, ...others] = answers;
  if (others.length === 0) return only;
  return {
    vectors: answers.flatMap(({ vectors }) => vectors),
    tokens: answers.reduce<number | null>(
      (sum, { tokens }) => (sum === null || tokens === null ? null : sum + tokens),
      0,
    ),
    model: only.model,
  };
}

function missingVectors({ vectors }: EmbeddingAnswer, { inputs }: EmbeddingRequest): Failure | null {
  if (vectors.length === countOfInputs(inputs)) return null;
  return garbage('The upstream did not return one vector for each input.');
}

/** Returns why the vectors do not match the request; `null` if they do. */
function problemOf({ vectors }: EmbeddingAnswer, { dimensions }: EmbeddingRequest): Failure | null {
  const length = vectors[0]?.length ?? 0;
  if (length === 0) return garbage('The upstream returned an empty vector.');
  if (vectors.some((vector) => vector.length !== length)) {
    return garbage('The upstream returned vectors of different lengths.');
  }
  if (dimensions === null || length === dimensions) return null;
  // Servers may ignore an unknown parameter. Vectors of another length would not fit the client's index, so this fails.
  return new Failure('unsupported_parameter', {
    message: `\`dimensions\` has no effect on this model's channel: its vectors have ${length} numbers, not ${dimensions}.`,
    param: 'dimensions',
    retry: 'other-target',
    hint: 'Leave `dimensions` out, or use a model that can shorten its vectors.',
  });
}
