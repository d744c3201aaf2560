import { FoundationCollector, isFounded } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { ReasoningPart, UnknownPart } from '../../../domain/exchange/part.ts';
import type { Finish } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { AnswerContext } from '../client-request.ts';
import type { StreamEncoder } from '../format.ts';
import { lostMediaText } from '../shared/lost-parts.ts';
import { stateForField, wrapFoundation } from '../shared/state-token.ts';
import {
  answerId,
  argumentsJson,
  callHead,
  hasNoArguments,
  redactedBlock,
  signatureOf,
  stopWords,
  thoughtsFor,
} from './answer.encode.ts';
import { encodeCitation } from './citations.ts';
import { FORMAT } from './schema.ts';
import { encodeDeltaUsage, encodeUsage } from './usage.ts';

function frame(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

const NO_USAGE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'estimated' };
const NO_THOUGHT: ReasoningPart = { type: 'reasoning', text: '' };
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

/** A redacted block's data, or the signature of a thinking block without a text. */
type WaitingBlock = { readonly redacted: string } | { readonly signature: string };

/**
 * Writes a stream in Anthropic's format. A text block opens with its first delta, because the API refuses an empty text block
 * when it is sent back. A thinking block without text waits for the next block. It is left out if none follows, because nothing
 * may follow an answer's last text; the gateway remembers its state. The final counts are in `message_delta`, where the SDKs read
 * them. The first event has the prompt's count, or an estimate. The format has no place for further candidates, and media are
 * described in words.
 */
export class MessagesStreamEncoder implements StreamEncoder {
  private index = 0;
  private open: 'none' | 'text' | 'thinking' | 'tool_use' = 'none';
  private readonly thoughts: ReturnType<typeof thoughtsFor>;
  /** The thinking that is open in the upstream's stream. */
  private thought: ReasoningPart = NO_THOUGHT;
  private readonly foundations = new FoundationCollector();
  private readonly waiting: WaitingBlock[] = [];
  /** The beginning of the open call's arguments, held until they are known to be an object; `null` from then on. */
  private held: { readonly custom: boolean; readonly arguments: string } | null = null;
  private hasCalls = false;
  private hasRefusal = false;
  private finish: Finish = { unified: 'other', raw: null };
  private usage: Usage | null = null;
  /** The answer's id once it has begun. `message_start` waits for the next part, which may be the prompt's usage. */
  private begun: { readonly id: string | null } | null = null;

  constructor(private readonly context: AnswerContext) {
    this.thoughts = thoughtsFor(context);
  }

  encode(part: StreamPart): string {
    if ('candidate' in part && part.candidate !== 0) return '';
    if (part.type === 'start') {
      this.begun = part;
      return '';
    }
    if (part.type === 'usage') this.usage = part.usage;
    if (this.begun === null) return this.written(part);
    const { id } = this.begun;
    this.begun = null;
    return this.start(id) + this.written(part);
  }

  private written(part: StreamPart): string {
    switch (part.type) {
      case 'text-delta':
        return part.text === '' ? '' : this.text(part.text);
      case 'refusal-delta':
        return part.text === '' ? '' : this.text(part.text);
      case 'tool-call-delta':
        return part.arguments === '' ? '' : this.input(part.arguments);
      case 'reasoning-delta':
        return this.think(part.text);
      case 'finish':
        this.finish = part.finish;
        return '';
      case 'end':
        return this.end();
      default:
        return this.boundary(part);
    }
  }

  /** Handles starts and ends of blocks, and parts that are a whole block. */
  private boundary(part: StreamPart): string {
    switch (part.type) {
      case 'refusal-start':
        this.hasRefusal = true;
        return '';
      case 'text-end':
        if (part.state !== undefined) this.foundations.said(part.state);
        return this.stop();
      case 'refusal-end':
        return this.stop();
      case 'citation': {
        const citation = encodeCitation(part.citation);
        if (citation === null) return '';
        return this.text('') + this.deltaOf(`{"type":"citations_delta","citation":${JSON.stringify(citation)}}`);
      }
      case 'reasoning-start':
        this.thought = part.redacted ? { ...NO_THOUGHT, redacted: true } : NO_THOUGHT;
        return '';
      case 'reasoning-end':
        return this.thinkingEnd(part.state);
      case 'tool-call-start':
        return this.call(part);
      // There is no longer a place for a state that follows the arguments; the gateway remembers it by the call's id.
      case 'tool-call-end':
        return this.heldInput() + this.stop();
      case 'unknown':
        return this.own(part.part);
      case 'media':
        return this.stop() + this.text(lostMediaText(part.part)) + this.stop();
      default:
        return '';
    }
  }

  private start(id: string | null): string {
    const { context } = this;
    const head = JSON.stringify({
      id: answerId(id, context),
      type: 'message',
      role: 'assistant',
      model: context.publicModel,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
    });
    return frame(
      'message_start',
      `{"type":"message_start","message":${head.slice(0, -1)},"usage":${encodeUsage(this.usageAtStart(), null)}}}`,
    );
  }

  /**
   * Returns the usage for the first event, from which clients display the context's size and the cost; most upstreams report
   * usage only at the end.
   */
  private usageAtStart(): Usage {
    const { usage } = this;
    if (usage !== null && promptTokens(usage) > 0) return usage;
    const { raw: _, ...counts } = usage ?? NO_USAGE;
    return { ...counts, input: this.context.estimatedPromptTokens() };
  }

  private end(): string {
    const words = stopWords(this.finish, { hasCalls: this.hasCalls, hasRefusal: this.hasRefusal });
    const delta = `{${words},"container":null}`;
    const thoughts = this.index === 0 ? this.waited() : '';
    return (
      thoughts +
      this.stop() +
      frame('message_delta', `{"type":"message_delta","delta":${delta},"usage":${encodeDeltaUsage(this.usage)}}`) +
      frame('message_stop', `{"type":"message_stop","_routing":${this.context.routing.json}}`)
    );
  }

  // ---- blocks

  private openBlock(kind: 'text' | 'thinking' | 'tool_use', blockJson: string): string {
    const before = this.stop() + this.waited();
    this.open = kind;
    return before + this.blockStart(blockJson);
  }

  private blockStart(blockJson: string): string {
    return frame(
      'content_block_start',
      `{"type":"content_block_start","index":${this.index},"content_block":${blockJson}}`,
    );
  }

  private stop(): string {
    if (this.open === 'none') return '';
    this.open = 'none';
    return this.blockStop();
  }

  private blockStop(): string {
    return frame('content_block_stop', `{"type":"content_block_stop","index":${this.index++}}`);
  }

  private delta(type: string, member: string, text: string): string {
    return this.deltaOf(`{"type":"${type}","${member}":${JSON.stringify(text)}}`);
  }

  private deltaOf(json: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":${json}}\n\n`;
  }

  private text(text: string): string {
    this.foundations.said(undefined, text.length);
    const opening = this.open === 'text' ? '' : this.openBlock('text', '{"type":"text","text":"","citations":null}');
    return text === '' ? opening : opening + this.delta('text_delta', 'text', text);
  }

  // ---- thoughts

  private think(text: string): string {
    if (this.thoughts !== 'shown') this.thought = { ...this.thought, text: this.thought.text + text };
    if (this.thoughts !== 'shown' || text === '') return '';
    const opening = this.open === 'thinking' ? '' : this.openBlock('thinking', EMPTY_THINKING);
    return opening + this.delta('thinking_delta', 'thinking', text);
  }

  private thinkingEnd(state: OpaqueState | undefined): string {
    const thought: ReasoningPart = { ...this.thought, ...(state === undefined ? {} : { state }) };
    this.thought = NO_THOUGHT;
    if (this.thoughts === 'hidden') {
      this.foundations.thought(thought);
      return '';
    }
    const signature = signatureOf(thought, this.thoughts === 'shown');
    if (this.open === 'thinking') return this.signed(signature) + this.stop();
    if (state === undefined) return '';
    const isRedacted = thought.redacted === true && thought.text === '';
    this.waiting.push(isRedacted ? { redacted: stateForField(state, 'anthropic') } : { signature });
    return '';
  }

  private signed(signature: string): string {
    return signature === '' ? '' : this.delta('signature_delta', 'signature', signature);
  }

  /** Writes the waiting blocks. */
  private waited(): string {
    let out = '';
    for (const block of this.waiting.splice(0)) {
      if ('redacted' in block) out += this.blockStart(redactedBlock(block.redacted));
      else out += this.blockStart(EMPTY_THINKING) + this.signed(block.signature);
      out += this.blockStop();
    }
    return out;
  }

  // ---- calls

  private call({ id, name, custom, state }: StreamPart & { readonly type: 'tool-call-start' }): string {
    this.hasCalls = true;
    this.held = { custom: custom === true, arguments: '' };
    const foundation = this.foundations.call(state);
    if (isFounded(foundation)) this.waiting.push({ redacted: wrapFoundation(foundation) });
    return this.openBlock('tool_use', `${callHead(id, name)},"input":{}}`);
  }

  /**
   * Pieces of an object are sent as they arrive. Other arguments must be wrapped in an object, so they are sent when they
   * are complete.
   */
  private input(piece: string): string {
    if (this.held === null) return this.delta('input_json_delta', 'partial_json', piece);
    const { custom } = this.held;
    const begun = this.held.arguments + piece;
    this.held = custom || !begun.trimStart().startsWith('{') ? { custom, arguments: begun } : null;
    return this.held === null ? this.delta('input_json_delta', 'partial_json', begun) : '';
  }

  private heldInput(): string {
    const { held } = this;
    this.held = null;
    if (held === null || (!held.custom && hasNoArguments(held.arguments))) return '';
    return this.delta('input_json_delta', 'partial_json', argumentsJson(held));
  }

  /** Returns a block of Anthropic's own tools. Its input is streamed like a call's, as the API does. */
  private own({ format, value }: UnknownPart): string {
    if (format !== FORMAT || !isRecord(value)) return '';
    const before = this.waited();
    if (!isRecord(value.input)) return before + this.blockStart(JSON.stringify(value)) + this.blockStop();
    return (
      before +
      this.blockStart(JSON.stringify({ ...value, input: {} })) +
      this.delta('input_json_delta', 'partial_json', JSON.stringify(value.input)) +
      this.blockStop()
    );
  }
}
