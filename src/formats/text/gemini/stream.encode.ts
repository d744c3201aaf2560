import { FoundationCollector } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Citation, ReasoningPart } from '../../../domain/exchange/part.ts';
import type { Finish } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import type { AnswerContext } from '../client-request.ts';
import type { StreamEncoder } from '../format.ts';
import {
  argumentsObject,
  encodeFinish,
  encodeLogprobs,
  encodePart,
  foreign,
  isOwnThought,
  responseIdFor,
  showsThoughts,
  signatureOn,
} from './answer.encode.ts';
import { encodeCitations, type PlacedCitation } from './citations.ts';
import { encodeFailure } from './failure.ts';
import { queriesOf } from './search.ts';
import { encodeUsage } from './usage.ts';

const NO_THOUGHT: ReasoningPart = { type: 'reasoning', text: '' };

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly custom: boolean;
  arguments: string;
  state: OpaqueState | undefined;
}

interface CandidateState {
  call: OpenCall | null;
  thought: ReasoningPart;
  readonly foundations: FoundationCollector;
  finish: Finish | null;
  /** All text of the candidate. The offsets of its citations refer to this text. */
  readonly text: string[];
  /** The offset at which the open text block begins in it. */
  blockStart: number;
  textLength: number;
  readonly citations: Citation[];
  /** The web searches that the gateway has run. */
  readonly queries: string[];
}

/**
 * Writes a stream in the form of `streamGenerateContent`: each piece is a GenerateContentResponse, calls are written whole,
 * and the last piece has the finish reasons, the usage and `_routing`.
 */
export class GeminiStreamEncoder implements StreamEncoder {
  private readonly isArray: boolean;
  private readonly modelJson: string;
  private readonly isShown: boolean;
  private tail = '';
  private opened = false;
  private usage: Usage | null = null;
  private serviceTier: string | null | undefined;
  private readonly candidates = new Map<number, CandidateState>();

  constructor(private readonly context: AnswerContext) {
    this.isArray = context.parsed.call.framing === 'json-array';
    this.modelJson = JSON.stringify(context.publicModel);
    this.isShown = showsThoughts(context);
  }

  encode(part: StreamPart): string {
    switch (part.type) {
      case 'start':
        this.tail = `"modelVersion":${this.modelJson},"responseId":${JSON.stringify(responseIdFor(part.id, this.context))}`;
        return '';
      case 'text-delta':
        return this.textDelta(part);
      case 'reasoning-delta':
        return this.reasoningDelta(part);
      case 'refusal-delta':
        return this.chunk(part.candidate, `{"text":${JSON.stringify(part.text)}}`);
      case 'tool-call-delta': {
        const { call } = this.stateOf(part.candidate);
        if (call !== null) call.arguments += part.arguments;
        return '';
      }
      case 'usage':
        this.usage = part.usage;
        this.serviceTier = part.serviceTier;
        return '';
      case 'end':
        return this.last();
      case 'error':
        return '';
      default:
        return this.encodeBlock(part);
    }
  }

  private encodeBlock(part: Exclude<StreamPart, { readonly type: Streamed }>): string {
    const { candidate } = part;
    const state = this.stateOf(candidate);
    switch (part.type) {
      case 'text-start':
        state.blockStart = state.textLength;
        return '';
      case 'citation':
        state.citations.push(shifted(part.citation, state.blockStart));
        return '';
      case 'text-end':
        state.foundations.said(foreign(part.state));
        if (part.state === undefined || foreign(part.state) !== undefined) return '';
        return this.chunk(candidate, JSON.stringify({ text: '', thoughtSignature: part.state.data }));
      case 'reasoning-start': {
        const { summary, redacted } = part;
        state.thought = { ...NO_THOUGHT, ...(summary ? { summary } : {}), ...(redacted ? { redacted } : {}) };
        return '';
      }
      case 'reasoning-end':
        return this.thoughtEnd(candidate, part.state);
      case 'tool-call-start':
        state.call = { id: part.id, name: part.name, custom: part.custom === true, arguments: '', state: part.state };
        return '';
      case 'tool-call-end':
        return this.callEnd(candidate, part.state);
      case 'media':
      case 'unknown': {
        const queries = part.type === 'unknown' ? queriesOf(part.part) : null;
        if (queries !== null) {
          state.queries.push(...queries);
          return '';
        }
        const encoded = encodePart(part.part);
        return encoded === null ? '' : this.chunk(candidate, JSON.stringify(encoded));
      }
      case 'finish':
        state.finish = part.finish;
        return '';
      default:
        return '';
    }
  }

  private textDelta({ candidate, text, logprobs }: StreamPart & { readonly type: 'text-delta' }): string {
    const state = this.stateOf(candidate);
    state.foundations.said(undefined, text.length);
    state.text.push(text);
    state.textLength += text.length;
    const more = logprobs === undefined ? '' : `,"logprobsResult":${JSON.stringify(encodeLogprobs(logprobs))}`;
    return this.chunk(candidate, `{"text":${JSON.stringify(text)}}`, more);
  }

  private reasoningDelta({ candidate, text }: StreamPart & { readonly type: 'reasoning-delta' }): string {
    const state = this.stateOf(candidate);
    state.thought = { ...state.thought, text: state.thought.text + text };
    if (!this.isShown || text === '') return '';
    return this.chunk(candidate, `{"text":${JSON.stringify(text)},"thought":true}`);
  }

  private thoughtEnd(candidate: number, state: OpaqueState | undefined): string {
    const candidateState = this.stateOf(candidate);
    const thought = { ...candidateState.thought, ...(state === undefined ? {} : { state }) };
    candidateState.thought = NO_THOUGHT;
    if (isOwnThought(thought, this.isShown))
      return this.chunk(candidate, JSON.stringify(encodePart({ ...thought, text: '' })));
    candidateState.foundations.thought(thought);
    return '';
  }

  private callEnd(candidate: number, endState: OpaqueState | undefined): string {
    const candidateState = this.stateOf(candidate);
    const { call } = candidateState;
    if (call === null) return '';
    candidateState.call = null;
    const { thoughtSignature } = signatureOn(candidateState.foundations.call(endState ?? call.state));
    const more = thoughtSignature === undefined ? '' : `,"thoughtSignature":${JSON.stringify(thoughtSignature)}`;
    const named = `"name":${JSON.stringify(call.name)},"args":${argumentsJson(call)},"id":${JSON.stringify(call.id)}`;
    return this.chunk(candidate, `{"functionCall":{${named}}${more}}`);
  }

  private chunk(candidate: number, partJson: string, more = ''): string {
    return this.frame(
      `{"candidates":[{"content":{"parts":[${partJson}],"role":"model"},"index":${candidate}${more}}],${this.tail}}`,
    );
  }

  /**
   * Returns the last chunk. It ends every candidate, because a client may take the first `finishReason` as the end of the stream.
   */
  private last(): string {
    if (this.candidates.size === 0) this.stateOf(0);
    const candidates = [...this.candidates].map(([index, { finish, citations, queries, text, foundations }]) => {
      const whole = citations.length === 0 ? '' : text.join('');
      const placed = citations.map((citation): PlacedCitation => ({ citation, partIndex: 0, text: whole }));
      return {
        // The API's own last chunk has an empty text, because its SDK does not record a turn that has a content without
        // parts. It also has the signature of the text before.
        content: { parts: [{ text: '', ...signatureOn(foundations.call(undefined)) }], role: 'model' },
        finishReason: encodeFinish(finish ?? { unified: 'other', raw: null }),
        index,
        ...encodeCitations(placed, queries),
      };
    });
    const usage =
      this.usage === null ? '' : `"usageMetadata":${JSON.stringify(encodeUsage(this.usage, this.serviceTier))},`;
    const routing = `"_routing":${this.context.routing.json}`;
    return (
      this.frame(`{"candidates":${JSON.stringify(candidates)},${usage}${this.tail},${routing}}`) +
      (this.isArray ? ']' : '')
    );
  }

  /** Encodes a failure, which opens the array if that has not been opened yet. */
  encodeFailure(failure: Failure): string | null {
    return this.isArray && !this.opened ? `[${encodeFailure(failure).body}]` : null;
  }

  private frame(json: string): string {
    if (!this.isArray) return `data: ${json}\r\n\r\n`;
    const before = this.opened ? '\r\n,\r\n' : '[';
    this.opened = true;
    return before + json;
  }

  private stateOf(candidate: number): CandidateState {
    let state = this.candidates.get(candidate);
    if (state === undefined) {
      state = {
        call: null,
        thought: NO_THOUGHT,
        foundations: new FoundationCollector(),
        finish: null,
        text: [],
        blockStart: 0,
        textLength: 0,
        citations: [],
        queries: [],
      };
      this.candidates.set(candidate, state);
    }
    return state;
  }
}

type Streamed =
  | 'start'
  | 'text-delta'
  | 'reasoning-delta'
  | 'refusal-delta'
  | 'tool-call-delta'
  | 'usage'
  | 'end'
  | 'error';

function shifted(citation: Citation, by: number): Citation {
  const { start, end } = citation;
  return by === 0
    ? citation
    : { ...citation, start: start === null ? null : start + by, end: end === null ? null : end + by };
}

/** Returns the model's original text if it is an object on one line, so that no number in it loses a digit. */
function argumentsJson(call: OpenCall): string {
  const { arguments: text, custom } = call;
  if (custom) return JSON.stringify({ input: text });
  const trimmed = text.trim();
  if (trimmed.startsWith('{') && !/[\r\n]/.test(trimmed) && parseJson(trimmed) !== undefined) return trimmed;
  return JSON.stringify(argumentsObject(call));
}
