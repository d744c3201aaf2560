import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { bodyNoAnswer, emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { exactObject, jsonOf, parseAnswerJson } from '../../shared/json/exact-json.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { indexOr, nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { PartReader } from '../shared/part-reader.ts';
import { modelOf } from '../shared/served-as.ts';
import { CALLS, decodeFinish, isKnownEnd, issuedState } from './answer.decode.ts';
import { decodeCitation } from './citations.ts';
import { errorStatus } from './failure.ts';
import { FORMAT } from './schema.ts';
import { decodeUsage, mergeUsage, tierOf } from './usage.ts';

type Wire = Readonly<Record<string, unknown>>;

const utf8 = new TextEncoder();

/** One open content block. Blocks of server-specific types are collected and emitted whole. */
interface OpenBlock {
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use' | 'own';
  /** Parts that wait until the blocks before this one are closed. */
  readonly waiting: StreamPart[];
  closed: boolean;
  state: { state?: OpaqueState };
  /** The value of a collected block, and the JSON text of its input so far. */
  value: Record<string, unknown>;
  inputJson: string;
}

/** Turns a stream of Anthropic events into stream parts. The candidate's blocks are in the order of their starts. */
export class MessagesStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.reader.fail(this.sawAnything ? truncatedStream() : emptyStream()),
  });
  /** Blocks that are not fully emitted yet. The parts of the first one are emitted at once. */
  private readonly open: OpenBlock[] = [];
  private started = false;
  private sawAnything = false;
  private finish: readonly [reason: unknown, sequence: unknown] | null = null;
  private toldFinish = false;
  private hasBlocks = false;
  private hasCalls = false;
  private usage: unknown = null;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEvent({ event, data }: ServerSentEvent): void {
    // Compatible servers end their streams with `[DONE]`, as OpenAI does.
    if (event === 'ping' || data === '[DONE]') return;
    const wire = parseAnswerJson(data, CALLS);
    if (wire === undefined) this.reader.fail(eventNotJson());
    if (isRecord(wire)) this.onWire(nonEmptyText(wire.type) ?? event, wire, data);
  }

  private onWire(type: string | null, wire: Wire, data: string): void {
    switch (type) {
      case 'content_block_delta':
        this.onDelta(indexOr(wire.index, 0), isRecord(wire.delta) ? wire.delta : {});
        return;
      case 'content_block_start':
        this.onBlock(indexOr(wire.index, 0), isRecord(wire.content_block) ? wire.content_block : {});
        return;
      case 'content_block_stop':
        this.onBlockStop(indexOr(wire.index, 0));
        return;
      case 'message_start':
        this.onMessage(isRecord(wire.message) ? wire.message : {});
        return;
      case 'message_delta':
        this.onMessageDelta(wire);
        return;
      case 'message_stop':
        this.onMessageStop();
        return;
      case 'error':
        this.reader.fail(decodeFailure(errorStatus(wire.error), new Headers(), utf8.encode(data)));
        return;
      default:
    }
  }

  private onMessage(message: Wire): void {
    this.start(nonEmptyText(message.id), message.model);
    this.usage = mergeUsage(this.usage, message.usage);
    // The prompt's tokens are reported at once, because an answer that breaks off later has still cost them.
    this.tellUsage();
  }

  private start(id: string | null, model?: unknown): void {
    this.sawAnything = true;
    if (this.started) return;
    this.started = true;
    this.reader.emit({ type: 'start', id, created: null, ...modelOf(model) });
  }

  private onMessageDelta(wire: Wire): void {
    this.start(null);
    const delta: Wire = isRecord(wire.delta) ? wire.delta : {};
    this.usage = mergeUsage(this.usage, wire.usage);
    if (nonEmptyText(delta.stop_reason) !== null) {
      this.finish = [delta.stop_reason, delta.stop_sequence];
      this.tellFinish();
    }
    if (!this.reader.isOver) this.tellUsage();
  }

  private onMessageStop(): void {
    // The stream ended without an answer.
    if (!this.started) {
      this.reader.fail(emptyStream());
      return;
    }
    this.tellFinish();
    if (!this.reader.isOver) this.reader.finish();
  }

  private tellFinish(): void {
    if (this.toldFinish) return;
    this.toldFinish = true;
    if (!this.hasBlocks && this.finish !== null && !isKnownEnd(this.finish[0])) {
      this.reader.fail(bodyNoAnswer());
      return;
    }
    for (const block of this.open) this.close(block);
    this.release();
    this.reader.emit({
      type: 'finish',
      candidate: 0,
      finish: decodeFinish(this.finish?.[0], this.finish?.[1], this.hasCalls),
    });
  }

  private tellUsage(): void {
    const usage = decodeUsage(this.usage);
    if (usage === null) return;
    this.reader.emit({ type: 'usage', usage, ...tierOf(this.usage) });
  }

  // ---- blocks

  private onBlock(index: number, content: Wire): void {
    this.start(null);
    // Blocks after the finish reason contradict it, so they are ignored.
    if (this.toldFinish) return;
    this.hasBlocks = true;
    const kind = kindOf(content.type);
    const block: OpenBlock = {
      index,
      kind,
      waiting: [],
      closed: false,
      state: {},
      value: kind === 'own' ? { ...content } : {},
      inputJson: '',
    };
    this.open.push(block);
    if (kind === 'text') {
      this.tell(block, { type: 'text-start', candidate: 0 });
      if (typeof content.text === 'string') this.tellText(block, content.text);
      if (Array.isArray(content.citations))
        for (const citation of content.citations) this.tellCitation(block, citation);
    } else if (kind === 'thinking') {
      this.tell(block, { type: 'reasoning-start', candidate: 0 });
      if (typeof content.thinking === 'string') this.tellThinking(block, content.thinking);
      block.state = issuedState(content.signature, this.source);
    } else if (kind === 'redacted_thinking') {
      this.tell(block, { type: 'reasoning-start', candidate: 0, redacted: true });
      block.state = issuedState(content.data, this.source);
    } else if (kind === 'tool_use') {
      this.hasCalls = true;
      const start = { id: textOrEmpty(content.id) || `toolu_${index}`, name: textOrEmpty(content.name) };
      this.tell(block, { type: 'tool-call-start', candidate: 0, ...start });
      // Compatible servers send a call's whole input here, without any delta.
      const { input } = content;
      block.value = isRecord(input) && Object.keys(input).length > 0 ? { input } : {};
    }
  }

  private onDelta(index: number, delta: Wire): void {
    const block = this.open.find((candidate) => candidate.index === index && !candidate.closed);
    if (block === undefined) return;
    if (block.kind === 'own') gather(block, delta);
    else if (delta.type === 'text_delta') this.tellText(block, textOrEmpty(delta.text));
    else if (delta.type === 'input_json_delta') this.tellArguments(block, textOrEmpty(delta.partial_json));
    else if (delta.type === 'thinking_delta') this.tellThinking(block, textOrEmpty(delta.thinking));
    else if (delta.type === 'signature_delta' && delta.signature !== '')
      block.state = issuedState(delta.signature, this.source);
    else if (delta.type === 'citations_delta') this.tellCitation(block, delta.citation);
  }

  private tellText(block: OpenBlock, text: string): void {
    if (text !== '' && block.kind === 'text') this.tell(block, { type: 'text-delta', candidate: 0, text });
  }

  private tellThinking(block: OpenBlock, text: string): void {
    if (text !== '' && block.kind === 'thinking') this.tell(block, { type: 'reasoning-delta', candidate: 0, text });
  }

  private tellArguments(block: OpenBlock, text: string): void {
    if (text === '' || block.kind !== 'tool_use') return;
    block.value = {};
    this.tell(block, { type: 'tool-call-delta', candidate: 0, arguments: text });
  }

  private tellCitation(block: OpenBlock, citation: unknown): void {
    if (block.kind === 'text') this.tell(block, { type: 'citation', candidate: 0, citation: decodeCitation(citation) });
  }

  private onBlockStop(index: number): void {
    const block = this.open.find((candidate) => candidate.index === index && !candidate.closed);
    if (block === undefined) return;
    this.close(block);
    this.release();
  }

  private close(block: OpenBlock): void {
    if (block.closed) return;
    const { kind, state, value } = block;
    if (kind === 'text') this.tell(block, { type: 'text-end', candidate: 0 });
    else if (kind === 'thinking' || kind === 'redacted_thinking') {
      this.tell(block, { type: 'reasoning-end', candidate: 0, ...state });
    } else if (kind === 'tool_use') {
      if (value.input !== undefined) {
        this.tell(block, { type: 'tool-call-delta', candidate: 0, arguments: jsonOf(value.input) });
      }
      this.tell(block, { type: 'tool-call-end', candidate: 0 });
    } else {
      const part = { type: 'unknown', format: FORMAT, value: gathered(block) } as const;
      this.tell(block, { type: 'unknown', candidate: 0, part });
    }
    block.closed = true;
  }

  /** Emits a part. Emitted blocks do not overlap: the parts of a later block wait until the blocks before it are closed. */
  private tell(block: OpenBlock, part: StreamPart): void {
    if (this.open[0] === block) this.reader.emit(part);
    else block.waiting.push(part);
  }

  private release(): void {
    while (this.open[0]?.closed) {
      this.open.shift();
      const [next] = this.open;
      if (next === undefined) return;
      for (const part of next.waiting) this.reader.emit(part);
      next.waiting.length = 0;
    }
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);

function kindOf(type: unknown): OpenBlock['kind'] {
  // The set contains exactly the kinds that have stream parts of their own.
  return KINDS.has(type) ? (type as OpenBlock['kind']) : 'own';
}

/** Adds a delta to a collected block. The input comes as JSON text, everything else as members of the block. */
function gather(block: OpenBlock, { type, ...members }: Wire): void {
  if (type === 'input_json_delta') {
    block.inputJson += textOrEmpty(members.partial_json);
    return;
  }
  for (const key in members) {
    const [before, added] = [entryOf(block.value, key), members[key]];
    setMember(block.value, key, typeof before === 'string' && typeof added === 'string' ? before + added : added);
  }
}

function gathered({ value, inputJson }: OpenBlock): unknown {
  if (inputJson === '') return value;
  const input = exactObject(inputJson) ?? parseJson(inputJson);
  return { ...value, input: input === undefined ? inputJson : input };
}
