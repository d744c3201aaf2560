import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { AnswerContext } from '../client-request.ts';
import type { StreamEncoder } from '../format.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import type { SealedThought } from '../shared/state-token.ts';
import {
  annotationOf,
  answerId,
  audioJson,
  extraContentJson,
  finishReason,
  imageJson,
  logprobsJson,
  tierJson,
  usesFunctions,
} from './answer.encode.ts';
import { annotationJson } from './citations.ts';
import { detailsJson, sealedJson, showsThoughts } from './reasoning.ts';
import { FORMAT } from './schema.ts';

type OpaqueState = NonNullable<Extract<StreamPart, { type: 'reasoning-end' }>['state']>;

interface Written {
  /** The number of characters of text so far, and the number before the open block. The offsets of citations start there. */
  textLength: number;
  blockStart: number;
  thought: string;
  isSummary: boolean;
  isRedacted: boolean;
  details: number;
  calls: number;
  images: number;
  isCustom: boolean;
  /** The first call of the old `functions` has been sent. That format allows only one. */
  isSecondCall: boolean;
  stateSent: boolean;
  transcript: string;
}

/**
 * Writes chat chunks. The last chunk before `[DONE]` carries `_routing`, so a chunk that may be the last waits for the next
 * part.
 */
export class ChatStreamEncoder implements StreamEncoder {
  private readonly candidates = new Map<number, Written>();
  private readonly asFunctions: boolean;
  private readonly wantsUsage: boolean;
  private readonly isShown: boolean;
  /** The beginning of a chunk, up to its choices. */
  private head = '';
  private created = 0;
  /** The text after the choices: OpenAI writes `usage: null` in every chunk of a stream whose client wants usage. */
  private readonly tail: string;
  /** The waiting chunk, without its end. */
  private held = '';
  private usage: Usage | null = null;
  private tier = '';

  constructor(private readonly context: AnswerContext) {
    this.asFunctions = usesFunctions(context);
    this.wantsUsage = context.parsed.wantsStreamUsage;
    this.isShown = showsThoughts(context);
    this.tail = this.wantsUsage && context.parsed.omitsNullUsage !== true ? '],"usage":null' : ']';
  }

  encode(part: StreamPart): string {
    switch (part.type) {
      case 'start':
        this.start(part.id, part.created);
        return '';
      case 'usage':
        this.usage = part.usage;
        if (part.serviceTier !== undefined) this.tier = tierJson(part.serviceTier);
        return '';
      case 'end':
        return this.end();
      case 'error':
        return '';
      case 'finish': {
        const { candidate, finish } = part;
        const opened = this.opening(candidate, true);
        const reason = finishReason(finish, this.written(candidate).calls > 0, this.asFunctions);
        const before = this.release();
        const choice = `{"index":${candidate},"delta":{},"logprobs":null,"finish_reason":"${reason}"}`;
        this.held = `${this.head}${choice}${this.tail}`;
        return opened + before;
      }
      default: {
        const isText = part.type === 'text-start' || part.type === 'text-delta';
        const opened = this.opening(part.candidate, isText);
        return opened + this.encodePart(part);
      }
    }
  }

  private start(id: string | null, created: number | null): void {
    this.created = created ?? this.context.created;
    const { publicModel } = this.context;
    const named = `"id":${JSON.stringify(answerId(id, this.context))},"object":"chat.completion.chunk"`;
    this.head = `data: {${named},"created":${this.created},"model":${JSON.stringify(publicModel)},"choices":[`;
  }

  /** Returns the first chunk of a candidate, which states the role. */
  private opening(candidate: number, isText: boolean): string {
    if (this.candidates.has(candidate)) return '';
    if (this.head === '') this.start(null, null);
    this.candidates.set(candidate, {
      textLength: 0,
      blockStart: 0,
      thought: '',
      isSummary: false,
      isRedacted: false,
      details: 0,
      calls: 0,
      images: 0,
      isCustom: false,
      isSecondCall: false,
      stateSent: false,
      transcript: '',
    });
    return this.chunk(candidate, `"role":"assistant","content":${isText ? '""' : 'null'},"refusal":null`);
  }

  private written(candidate: number): Written {
    const written = this.candidates.get(candidate);
    if (written === undefined) throw new Error('every candidate is opened before its parts are written');
    return written;
  }

  private chunk(candidate: number, delta: string, logprobs = 'null'): string {
    const choice = `{"index":${candidate},"delta":{${delta}},"logprobs":${logprobs},"finish_reason":null}`;
    return `${this.release()}${this.head}${choice}${this.tail}}\n\n`;
  }

  private release(): string {
    const { held } = this;
    if (held === '') return '';
    this.held = '';
    return `${held}}\n\n`;
  }

  private encodePart(part: Exclude<StreamPart, { type: 'start' | 'usage' | 'end' | 'error' | 'finish' }>): string {
    const { candidate } = part;
    const written = this.written(candidate);
    switch (part.type) {
      case 'text-start':
        written.blockStart = written.textLength;
        return '';
      case 'text-delta': {
        written.textLength += part.text.length;
        if (this.context.request.modalities?.includes('audio')) written.transcript += part.text;
        const logprobs = part.logprobs === undefined ? 'null' : logprobsJson(part.logprobs);
        return this.chunk(candidate, `"content":${JSON.stringify(part.text)}`, logprobs);
      }
      case 'text-end':
        return part.state === undefined
          ? ''
          : this.details({ type: 'reasoning', text: '', state: part.state }, candidate);
      case 'citation': {
        const annotation = annotationJson(part.citation, written.blockStart);
        return annotation === null ? '' : this.chunk(candidate, `"annotations":[${annotation}]`);
      }
      case 'refusal-delta':
        return this.chunk(candidate, `"refusal":${JSON.stringify(part.text)}`);
      case 'reasoning-start':
        written.thought = '';
        written.isSummary = part.summary === true;
        written.isRedacted = part.redacted === true;
        return '';
      case 'reasoning-delta':
        written.thought += part.text;
        if (!this.isShown) return '';
        return this.chunk(candidate, `"reasoning_content":${JSON.stringify(part.text)}`);
      case 'reasoning-end':
        return part.state === undefined ? '' : this.thoughtEnd(written, part.state, candidate);
      case 'tool-call-start':
      case 'tool-call-delta':
      case 'tool-call-end':
        return this.call(part, written);
      case 'media':
        return this.media(part, written);
      case 'unknown': {
        const [annotation] = part.part.format === FORMAT ? annotationOf(part.part.value) : [];
        return annotation === undefined ? '' : this.chunk(candidate, `"annotations":[${annotation}]`);
      }
      default:
        return '';
    }
  }

  /**
   * Returns the whole reasoning again with its state, because the client has to send exactly this back. Empty if there is only text.
   */
  private thoughtEnd(
    { thought: text, isSummary, isRedacted, details }: Written,
    state: OpaqueState,
    candidate: number,
  ) {
    const flags = { ...(isSummary ? { summary: true } : {}), ...(isRedacted ? { redacted: true } : {}) };
    const thought: SealedThought = { type: 'reasoning', text, ...flags, state };
    return this.isShown ? this.details(thought, candidate) : this.items(sealedJson(thought, details), candidate);
  }

  private details(thought: SealedThought, candidate: number): string {
    return this.items(detailsJson(thought, this.written(candidate).details), candidate);
  }

  private items(items: string, candidate: number): string {
    const written = this.written(candidate);
    if (items === '') return '';
    written.details++;
    return this.chunk(candidate, `"reasoning_details":[${items}]`);
  }

  private call(
    part: Extract<StreamPart, { type: 'tool-call-start' | 'tool-call-delta' | 'tool-call-end' }>,
    written: Written,
  ): string {
    const { candidate } = part;
    if (part.type === 'tool-call-start') {
      written.isSecondCall = written.calls > 0;
      written.isCustom = part.custom === true;
      written.calls++;
      written.stateSent = part.state !== undefined;
    }
    if (this.asFunctions) return written.isSecondCall ? '' : this.functionCall(part);
    const index = written.calls - 1;
    switch (part.type) {
      case 'tool-call-start': {
        const name = JSON.stringify(part.name);
        const said = written.isCustom
          ? `"type":"custom","custom":{"name":${name},"input":""}`
          : `"type":"function","function":{"name":${name},"arguments":""}`;
        const state = part.state === undefined ? '' : `,${extraContentJson(part.state)}`;
        return this.chunk(
          candidate,
          `"tool_calls":[{"index":${index},"id":${JSON.stringify(part.id)},${said}${state}}]`,
        );
      }
      case 'tool-call-delta': {
        if (part.arguments === '') return '';
        const text = JSON.stringify(part.arguments);
        const said = written.isCustom ? `"custom":{"input":${text}}` : `"function":{"arguments":${text}}`;
        return this.chunk(candidate, `"tool_calls":[{"index":${index},${said}}]`);
      }
      case 'tool-call-end':
        if (part.state === undefined || written.stateSent) return '';
        return this.chunk(candidate, `"tool_calls":[{"index":${index},${extraContentJson(part.state)}}]`);
    }
  }

  private functionCall(
    part: Extract<StreamPart, { type: 'tool-call-start' | 'tool-call-delta' | 'tool-call-end' }>,
  ): string {
    if (part.type === 'tool-call-end') return '';
    const said =
      part.type === 'tool-call-start'
        ? `"name":${JSON.stringify(part.name)},"arguments":""`
        : `"arguments":${JSON.stringify(part.arguments)}`;
    return this.chunk(part.candidate, `"function_call":{${said}}`);
  }

  private media({ candidate, part }: Extract<StreamPart, { type: 'media' }>, written: Written): string {
    if (part.type === 'image') return this.chunk(candidate, `"images":[${imageJson(part, written.images++)}]`);
    if (part.type !== 'audio') return '';
    return this.chunk(candidate, `"audio":${audioJson(part, written.transcript, this.created, this.context)}`);
  }

  private end(): string {
    const routing = `,"_routing":${this.context.routing.json}}\n\n`;
    if (this.head === '') this.start(null, null);
    let last: string;
    if (this.wantsUsage && this.usage !== null) {
      last = `${this.release()}${this.head}],"usage":${encodeUsage(this.usage)}${this.tier}${routing}`;
    } else last = `${this.held === '' ? `${this.head}${this.tail}` : this.held}${this.tier}${routing}`;
    this.held = '';
    return `${last}data: [DONE]\n\n`;
  }
}
