import type { OpaqueState } from '../../domain/exchange/opaque-state.ts';
import type { UnknownPart } from '../../domain/exchange/part.ts';
import type { Finish } from '../../domain/exchange/response.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import type { AnswerContext, StreamEncoder } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { stateForField } from '../shared/state-token.ts';
import {
  answerId,
  argumentsJson,
  callHead,
  encodeCitation,
  encodeDeltaUsage,
  encodeUsage,
  hasNoArguments,
  redactedBlock,
  stopWords,
} from './response.ts';
import { FORMAT } from './schema.ts';

function frame(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/**
 * Writes a stream as Anthropic does. A text block opens with its first piece, since the API would refuse to take an empty
 * one back; a redacted block is written when its state is known. The counts stand in `message_delta`, where they are known
 * at last: the SDKs take them from there. Candidates beyond the first and media have no place in this format.
 */
export class MessagesStreamEncoder implements StreamEncoder {
  private index = 0;
  private open: 'none' | 'text' | 'thinking' | 'tool_use' = 'none';
  private redacted = false;
  private callHadState = false;
  /** What the open call's arguments begin with, until they turn out to be an object; `null` from then on. */
  private held: { readonly custom: boolean; readonly arguments: string } | null = null;
  private hasCalls = false;
  private hasRefusal = false;
  private finish: Finish = { unified: 'other', raw: null };
  private usage: Usage | null = null;
  /** The answer's id once it has begun; `message_start` waits for the next part, which may be what the prompt counts. */
  private begun: { readonly id: string | null } | null = null;

  constructor(private readonly context: AnswerContext) {}

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
        return this.thinking(part.text);
      case 'finish':
        this.finish = part.finish;
        return '';
      case 'end':
        return this.end();
      default:
        return this.boundary(part);
    }
  }

  /** Starts and ends of blocks, and parts that are a block of their own. */
  private boundary(part: StreamPart): string {
    switch (part.type) {
      case 'refusal-start':
        this.hasRefusal = true;
        return '';
      case 'text-end':
        return this.stop() + this.carrier(part.state);
      case 'refusal-end':
        return this.stop();
      case 'citation': {
        const citation = encodeCitation(part.citation);
        if (citation === null) return '';
        return this.text('') + this.deltaOf(`{"type":"citations_delta","citation":${JSON.stringify(citation)}}`);
      }
      case 'reasoning-start':
        this.redacted = part.redacted === true;
        return this.redacted ? '' : this.thinking('');
      case 'reasoning-end':
        return this.reasoningEnd(part.state);
      case 'tool-call-start':
        this.hasCalls = true;
        this.callHadState = part.state !== undefined;
        this.held = { custom: part.custom === true, arguments: '' };
        return this.carrier(part.state) + this.openBlock('tool_use', `${callHead(part.id, part.name)},"input":{}}`);
      case 'tool-call-end':
        return this.heldInput() + this.stop() + (this.callHadState ? '' : this.carrier(part.state));
      case 'unknown':
        return this.own(part.part);
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
      `{"type":"message_start","message":${head.slice(0, -1)},"usage":${encodeUsage(this.usage, null)}}}`,
    );
  }

  private end(): string {
    const words = stopWords(this.finish, { hasCalls: this.hasCalls, hasRefusal: this.hasRefusal });
    const delta = `{${words},"container":null}`;
    return (
      this.stop() +
      frame('message_delta', `{"type":"message_delta","delta":${delta},"usage":${encodeDeltaUsage(this.usage)}}`) +
      frame('message_stop', `{"type":"message_stop","_routing":${this.context.routingJson}}`)
    );
  }

  // ---- blocks

  private openBlock(kind: 'text' | 'thinking' | 'tool_use', blockJson: string): string {
    const closing = this.stop();
    this.open = kind;
    return closing + this.blockStart(blockJson);
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
    const opening = this.open === 'text' ? '' : this.openBlock('text', '{"type":"text","text":"","citations":null}');
    return text === '' ? opening : opening + this.delta('text_delta', 'text', text);
  }

  private thinking(text: string): string {
    const block = '{"type":"thinking","thinking":"","signature":""}';
    const opening = this.open === 'thinking' ? '' : this.openBlock('thinking', block);
    return text === '' ? opening : opening + this.delta('thinking_delta', 'thinking', text);
  }

  /** Pieces of an object go out as they come. Anything else has to be put into one, and is when it is whole. */
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

  private reasoningEnd(state: OpaqueState | undefined): string {
    if (this.open !== 'thinking') return this.carrier(state);
    const signature = state === undefined ? '' : stateForField(state, 'anthropic');
    return (signature === '' ? '' : this.delta('signature_delta', 'signature', signature)) + this.stop();
  }

  /** A redacted block for state that the part beside it has no place for. */
  private carrier(state: OpaqueState | undefined): string {
    return state === undefined ? '' : this.blockStart(redactedBlock(state)) + this.blockStop();
  }

  /** A block of Anthropic's own tools. Its input streams like a call's, as the API itself has it. */
  private own({ format, value }: UnknownPart): string {
    if (format !== FORMAT || !isRecord(value)) return '';
    if (!isRecord(value.input)) return this.blockStart(JSON.stringify(value)) + this.blockStop();
    return (
      this.blockStart(JSON.stringify({ ...value, input: {} })) +
      this.delta('input_json_delta', 'partial_json', JSON.stringify(value.input)) +
      this.blockStop()
    );
  }
}
