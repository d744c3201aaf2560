import { type CacheEntry, policyOf } from '../../../domain/cache/cache.ts';
import { after } from '../../../domain/concurrency/after.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { LARGE_BODY_BYTES } from '../../../formats/shared/json/large-json.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { atOnce, inTurns } from '../../../formats/shared/request/steps.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import type { CacheUse, FoundEntry } from '../../cache/answer-cache.ts';
import type { CachePlan } from '../../cache/cache-plan.ts';
import { hitOf, isSharedBy, planFor, scopeOf, targetOf } from '../../cache/cached-call.ts';
import { digestsOf, type Question, questionOf, type RequestDigests } from '../../cache/canonical-request.ts';
import type { KnownResponse } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import { capturing } from './captured-relay.ts';
import { isOfInterest } from './keeping.ts';
import { relayedHeaders } from './relayed-headers.ts';
import { replayedAnswer } from './replayed-answer.ts';
import type { TextJobInput } from './text-job.ts';
import type { TextLane } from './text-lane.ts';
import type { TextReplay } from './text-services.ts';

type Known = KnownResponse<TextTarget, StreamRelay>;

/** Members that make a provider keep or do something, which a cached answer would not. */
const STATEFUL: ReadonlySet<string> = new Set(['background', 'conversation', 'container', 'thread', 'mcp_servers']);
/** A value of `include` in the Responses API. */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
/** All clients of its format send it, with the same value. */
const UNIMPORTANT_HEADER = 'anthropic-version';

/** The cache's view of a text request. */
export class TextCaching {
  private use: CacheUse | null = null;
  /** The latest lane's answer: whole, or as a stream. */
  private answer: ExchangeResponse | StreamRelay | null = null;

  private constructor(
    private readonly input: TextJobInput,
    private readonly plan: CachePlan,
    private readonly allows: { readonly tools: boolean; readonly media: boolean },
  ) {}

  /** Returns `null` if the cache takes no part in the request. */
  static of(input: TextJobInput): TextCaching | null {
    const { services, inbound, turn, principal, ways, cacheControl } = input;
    const { cache } = services.ports;
    const policy = policyOf(cache.settings.policy, ways.model.cache, principal.account.cache);
    const { body, scan } = turn.whole;
    const plan = planFor(cache, cacheControl, policy, () => isDeterministic(body, policy.maxTemperature));
    if (plan === null) return null;
    // An upstream may read an ambiguous body differently.
    const isRead = scan?.isUnambiguous !== false;
    const isStateful = Object.keys(body).some((name) => STATEFUL.has(name) && body[name] !== null);
    if (!isRead || isStateful || inbound.format.keeping?.wants(turn.whole)) {
      cache.ports.metrics.cacheSkipped('request');
      return null;
    }
    return new TextCaching(input, plan, { tools: policy.semanticTools, media: policy.semanticMedia });
  }

  /** Finds the answer to an equal or an equivalent request; `null` for none. */
  find(): Known | null | Promise<Known | null> {
    const { turn, inbound } = this.input;
    if (turn.bodyBytes > LARGE_BODY_BYTES) return this.findForLarge();
    const request = inbound.format.decodeRequest(turn.whole);
    if (request instanceof Failure || this.isOfItsTime(request)) return null;
    const question = this.questionOf(request);
    return this.findBy(request, question, atOnce(digestsOf(request, this.salt(), question)));
  }

  private async findForLarge(): Promise<Known | null> {
    const { turn, inbound } = this.input;
    const request = await inTurns(inbound.format.decodeSteps(turn.whole));
    if (request instanceof Failure || this.isOfItsTime(request)) return null;
    const question = this.questionOf(request);
    return this.findBy(request, question, await inTurns(digestsOf(request, this.salt(), question)));
  }

  /** Returns the same lane, which also remembers its answer. */
  lane(lane: TextLane, target: TextTarget): TextLane {
    if (this.use?.keeps !== true) return lane;
    const { settings } = this.input.services.ports.cache;
    // A character takes two bytes in memory.
    const captured = capturing(lane, target, 2 * settings.maxEntryBytes);
    const note = <Answer extends ExchangeResponse | StreamRelay | null>(answer: Answer): Answer => {
      this.answer = answer;
      return answer;
    };
    return {
      request: () => captured.request(),
      answer: (bytes) => {
        const answer = captured.answer(bytes);
        note(answer instanceof Failure ? null : (answer.response ?? null));
        return answer;
      },
      stream: () => note(captured.stream()),
      streamOfWhole: (bytes) => {
        const streamed = captured.streamOfWhole(bytes);
        note(streamed instanceof Failure ? null : streamed.relay);
        return streamed;
      },
    };
  }

  /** Stores the answer once it is complete and charged. */
  completed({ routing: { channel }, upstreamModel }: TextTarget): void {
    const { use, answer } = this;
    if (use === null || answer === null) return;
    const response = 'candidates' in answer ? answer : (answer.captured?.() ?? null);
    if (response === null || response === 'too-large') use.notKept(response === null ? 'cut' : 'too_large');
    else if (isRefused(response)) use.notKept('refused');
    else if (!isWhole(response)) use.notKept('unfit');
    else use.keep(JSON.stringify(response), { channel, upstreamModel });
  }

  /**
   * Returns whether the request uses tools that a provider runs, whose results change over time. Such answers are cached only on request.
   */
  private isOfItsTime({ tools }: ExchangeRequest): boolean {
    const isOne =
      this.input.cacheControl === null && tools.some(({ type }) => type === 'hosted' || type === 'web-search');
    if (isOne) this.input.services.ports.cache.ports.metrics.cacheSkipped('request');
    return isOne;
  }

  private questionOf(request: ExchangeRequest): Question | null {
    const { finds, keeps } = this.plan;
    return finds.semantic || keeps.semantic ? questionOf(request, this.allows) : null;
  }

  /** Returns everything besides the exchange that distinguishes answers. */
  private salt(): readonly string[] {
    const { inbound, principal, turn } = this.input;
    const { format } = inbound;
    const headers = Object.entries(relayedHeaders(format, inbound) ?? {}).flatMap(([name, value]) => {
      const words = value.split(',').map((word) => word.trim());
      return name === UNIMPORTANT_HEADER ? [] : words.filter((word) => word !== '').map((word) => `${name}: ${word}`);
    });
    const scope = scopeOf(this.isShared, principal.account.id);
    const { include } = turn.whole.body;
    // An answer without it cannot be continued elsewhere, and the canonical request does not show whether it was requested.
    const state = Array.isArray(include) && include.includes(ENCRYPTED_REASONING) ? [ENCRYPTED_REASONING] : [];
    const origin = format.relayOnly === true ? format.name : 'any format';
    return ['text', scope, turn.sent.model, origin, ...state, ...headers.sort()];
  }

  /** Answers that involve an account's own channels or objects are not shared. */
  private get isShared(): boolean {
    const { services, ways, named } = this.input;
    return named.missing === null && isSharedBy(services.ports.cache, ways);
  }

  private findBy(request: ExchangeRequest, question: Question | null, { whole, partition }: RequestDigests) {
    const { services, inbound, outcome, principal } = this.input;
    const { questions } = services.ports.cache.ports;
    const of =
      question === null || partition === null || questions === null
        ? null
        : { partition: `${questions.name} ${partition}`, text: question.text };
    this.use = services.ports.cache.open({
      plan: this.plan,
      accountId: principal.account.id,
      modelId: this.input.turn.sent.model,
      key: whole,
      isShared: this.isShared,
      question: of,
      signal: () => inbound.signal,
      whenOver: (release) => outcome.whenOver(release),
      mayUse: (entry) => targetOf(this.input.ways, entry) !== undefined,
    });
    return after(this.use.find(), (found) => this.known(request, found));
  }

  private known(request: ExchangeRequest, found: FoundEntry | null): Known | null {
    if (found === null) return null;
    const { entry } = found;
    const target = targetOf(this.input.ways, entry);
    if (target === undefined) return null;
    const { routing, hit } = hitOf(this.input.services.ports.cache, target, found, this.input.outcome.toldSteps);
    const written = this.written(request, entry, routing);
    if (written === null) return null;
    const { answer, response } = written;
    const isFree = hit.pricePercent === undefined;
    if (hit.match === 'exact' && isFree && !hasState(response)) this.remember({ entry, target, routing, answer });
    return { answer, target, routing, hit };
  }

  /** Returns the entry's answer for this client; `null` if it cannot be encoded. */
  private written(request: ExchangeRequest, entry: CacheEntry, routing: RoutingFacts) {
    try {
      const response: ExchangeResponse = JSON.parse(new TextDecoder().decode(entry.answer));
      return { response, answer: replayedAnswer(this.input, request, response, routing) };
    } catch (error) {
      return this.input.services.ports.cache.unusable(entry, error);
    }
  }

  /** Remembers the encoded answer for identical requests, unless something has to be kept for each of them. */
  private remember(known: Pick<TextReplay, 'entry' | 'target' | 'routing' | 'answer'>): void {
    const { services, inbound, turn, principal, directory, ways, print, outcome } = this.input;
    const { account } = principal;
    if (isOfInterest(this.input) || outcome.wantsUsageCost || turn.sent !== turn.whole) return;
    services.replays.watch(account.id);
    // An equal body may lead to another model later if the model has rules.
    if (print === null || ways.model.rules !== undefined) return;
    const { answer } = known;
    services.replays.set(print, {
      ...known,
      bytes: 'relay' in answer ? answer.bytes.length : 2 * answer.body.length,
      modelId: turn.sent.model,
      stream: turn.sent.stream,
      contentType: turn.sent.stream ? inbound.format.streamContentType(turn.whole) : '',
      maxAgeMs: this.plan.maxAgeMs,
      directory,
      ways,
      account,
    });
  }
}

/** Returns whether the answer has opaque state, which must be remembered for each answer. */
function hasState({ candidates }: ExchangeResponse): boolean {
  return candidates.some(({ parts }) => parts.some((part) => 'state' in part && part.state !== undefined));
}

/** Returns whether the request itself is deterministic. The names are those of all client formats. */
function isDeterministic(body: Readonly<Record<string, unknown>>, maxTemperature: number): boolean {
  const config = body.generationConfig ?? body.generation_config;
  return [body, config].filter(isRecord).some(({ temperature, seed, random_seed }) => {
    if (typeof temperature === 'number' && temperature <= maxTemperature) return true;
    return typeof seed === 'number' || typeof random_seed === 'number';
  });
}

/** Returns whether a filter or the model itself refused to answer. */
function isRefused({ candidates }: ExchangeResponse): boolean {
  return candidates.some(
    ({ finish, parts }) => finish.unified === 'content-filter' || parts.some(({ type }) => type === 'refusal'),
  );
}

const ENDS: ReadonlySet<string> = new Set(['stop', 'length', 'tool-calls']);

/** Returns whether the answer has content and is complete. */
function isWhole({ candidates }: ExchangeResponse): boolean {
  return candidates.length > 0 && candidates.every(({ finish, parts }) => ENDS.has(finish.unified) && parts.some(says));
}

/** Reasoning alone is not an answer: the model reached its limit before it answered. */
function says(part: Part): boolean {
  return part.type === 'text' ? part.text !== '' : part.type !== 'reasoning';
}
