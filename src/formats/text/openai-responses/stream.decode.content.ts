import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { indexOr } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { decodeTokenLogprobs } from '../shared/token-logprobs.ts';
import { decodeOtherItem, decodeToolCall } from './answer.decode.ts';
import { decodeAnnotation } from './citations.ts';
import { type ItemSource, nativeReasoning } from './reasoning.ts';

type Json = Readonly<Record<string, unknown>>;

const CANDIDATE = 0;

const CALL_ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);
const CALL_EVENTS: ReadonlySet<string> = new Set([
  'response.output_item.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.custom_tool_call_input.done',
]);

/** The current part of an item, and how much of its text has been emitted. */
interface OpenBlock {
  readonly kind: 'text' | 'refusal' | 'reasoning';
  /** Content or summary index. */
  index: number;
  text: string;
  citations: number;
}

/** One output item of a stream, as stream parts. */
export class StreamItem {
  /** Parts that have not been emitted yet. */
  parts: StreamPart[] = [];
  isDone = false;
  isToolCall = false;

  private block: OpenBlock | null = null;
  private lastIndex = -1;
  /** The call's arguments so far; `null` while no call has begun. */
  private callText: string | null = null;
  private added: Json = {};

  constructor(private readonly source: ItemSource) {}

  take(type: string, event: Json): void {
    // After a call has begun, only call events belong to its item.
    if (this.isDone || (this.callText !== null && !CALL_EVENTS.has(type))) return;
    switch (type) {
      case 'response.output_item.added':
        if (isRecord(event.item)) this.add(event.item);
        break;
      case 'response.output_item.done':
        this.finish(isRecord(event.item) ? event.item : this.added);
        break;
      case 'response.output_text.delta':
        this.textDelta(event);
        break;
      case 'response.output_text.done':
        this.completeBlock('text', event, event.text);
        break;
      case 'response.output_text.annotation.added':
        if (isRecord(event.annotation)) this.cite(event.annotation);
        break;
      case 'response.refusal.delta':
        this.delta('refusal', event);
        break;
      case 'response.refusal.done':
        this.completeBlock('refusal', event, event.refusal);
        break;
      case 'response.content_part.done':
        if (isRecord(event.part)) this.finishPart(event, event.part);
        break;
      case 'response.reasoning_summary_text.delta':
        this.reasoningDelta(event, true);
        break;
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        this.reasoningDelta(event, false);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.callDelta(event.delta);
        break;
      case 'response.function_call_arguments.done':
        this.completeCall(event.arguments);
        break;
      case 'response.custom_tool_call_input.done':
        this.completeCall(event.input);
        break;
    }
  }

  /** Completes the item with the content of `item`; `null` if no event states the content. */
  finish(item: Json | null): void {
    if (this.isDone) return;
    const isOther = this.callText !== null && !CALL_ITEMS.has(item?.type);
    const whole = item === null || isOther ? this.added : item;
    switch (whole.type) {
      case 'message':
        this.finishMessage(whole);
        break;
      case 'reasoning':
        this.finishReasoning(whole);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.startCall(whole);
        this.completeCall(decodeToolCall(whole).arguments);
        this.parts.push({ type: 'tool-call-end', candidate: CANDIDATE });
        break;
      case undefined:
        this.closeBlock();
        break;
      default: {
        this.closeBlock();
        const part = decodeOtherItem(whole, this.source);
        this.parts.push(
          part.type === 'unknown'
            ? { type: 'unknown', candidate: CANDIDATE, part }
            : { type: 'media', candidate: CANDIDATE, part },
        );
      }
    }
    this.isDone = true;
  }

  private add(item: Json): void {
    this.added = item;
    if (item.type === 'function_call' || item.type === 'custom_tool_call') this.startCall(item);
  }

  // ---- messages

  private textDelta(event: Json): void {
    if (typeof event.delta !== 'string') return;
    const block = this.open('text', event.content_index);
    block.text += event.delta;
    const logprobs = Array.isArray(event.logprobs) && event.logprobs.length > 0 ? event.logprobs : null;
    this.parts.push(
      logprobs === null
        ? { type: 'text-delta', candidate: CANDIDATE, text: event.delta }
        : { type: 'text-delta', candidate: CANDIDATE, text: event.delta, logprobs: decodeTokenLogprobs(logprobs) },
    );
  }

  private delta(kind: 'refusal', event: Json): void {
    if (typeof event.delta !== 'string') return;
    this.open(kind, event.content_index).text += event.delta;
    this.parts.push({ type: 'refusal-delta', candidate: CANDIDATE, text: event.delta });
  }

  private cite(annotation: Json): void {
    const block = this.block?.kind === 'text' ? this.block : this.open('text', this.lastIndex + 1);
    block.citations++;
    this.parts.push({ type: 'citation', candidate: CANDIDATE, citation: decodeAnnotation(annotation) });
  }

  /** Completes a block whose whole text is known: the part that no delta contained is emitted as one delta. */
  private completeBlock(kind: 'text' | 'refusal', event: Json, whole: unknown): void {
    if (typeof whole !== 'string') return;
    const isOpen = this.block?.kind === kind && this.block.index === indexOf(event.content_index);
    if (whole === '' && !isOpen) return;
    if (!isOpen && indexOf(event.content_index) <= this.lastIndex) return;
    const block = this.open(kind, event.content_index);
    if (!whole.startsWith(block.text)) return;
    const missing = whole.slice(block.text.length);
    if (missing === '') return;
    block.text = whole;
    this.parts.push(
      kind === 'text'
        ? { type: 'text-delta', candidate: CANDIDATE, text: missing }
        : { type: 'refusal-delta', candidate: CANDIDATE, text: missing },
    );
  }

  private finishPart(event: Json, part: Json): void {
    if (part.type === 'refusal') this.completeBlock('refusal', event, part.refusal);
    else if (part.type === 'output_text') {
      this.completeBlock('text', event, part.text);
      this.citeMissing(part);
    } else return;
    if (this.block?.index === indexOf(event.content_index)) this.closeBlock();
  }

  private citeMissing({ annotations }: Json): void {
    if (!Array.isArray(annotations) || this.block?.kind !== 'text') return;
    for (const annotation of annotations.slice(this.block.citations)) if (isRecord(annotation)) this.cite(annotation);
  }

  private finishMessage({ content }: Json): void {
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    parts.forEach((part, index) => {
      if (isRecord(part) && index > this.lastIndex - (this.block ? 1 : 0))
        this.finishPart({ content_index: index }, part);
    });
    this.closeBlock();
  }

  private open(kind: OpenBlock['kind'], index: unknown, summary = false): OpenBlock {
    const at = indexOf(index);
    if (this.block !== null && this.block.kind === kind && (this.block.index === at || kind === 'reasoning')) {
      return this.block;
    }
    this.closeBlock();
    this.lastIndex = at;
    const block: OpenBlock = { kind, index: at, text: '', citations: 0 };
    this.block = block;
    if (kind === 'text') this.parts.push({ type: 'text-start', candidate: CANDIDATE });
    else if (kind === 'refusal') this.parts.push({ type: 'refusal-start', candidate: CANDIDATE });
    else this.parts.push({ type: 'reasoning-start', candidate: CANDIDATE, ...(summary ? { summary } : {}) });
    return block;
  }

  private closeBlock(): void {
    const { block } = this;
    this.block = null;
    if (block?.kind === 'text') this.parts.push({ type: 'text-end', candidate: CANDIDATE });
    else if (block?.kind === 'refusal') this.parts.push({ type: 'refusal-end', candidate: CANDIDATE });
    else if (block?.kind === 'reasoning') this.parts.push({ type: 'reasoning-end', candidate: CANDIDATE });
  }

  // ---- reasoning: one block, its parts joined by blank lines

  private isSummary: boolean | null = null;

  private reasoningDelta(event: Json, summary: boolean): void {
    if (typeof event.delta !== 'string') return;
    this.isSummary ??= summary;
    // If an upstream shows both the reasoning and its summary, the first one becomes the text; the state holds both.
    if (this.isSummary !== summary) return;
    const block = this.open('reasoning', 0, summary);
    const index = indexOf(summary ? event.summary_index : event.content_index);
    if (index > block.index && block.text !== '') this.reasoningText(block, '\n\n');
    block.index = Math.max(index, block.index);
    this.reasoningText(block, event.delta);
  }

  private reasoningText(block: OpenBlock, text: string): void {
    block.text += text;
    this.parts.push({ type: 'reasoning-delta', candidate: CANDIDATE, text });
  }

  private finishReasoning(item: Json): void {
    const { text, summary, redacted, state } = nativeReasoning(item, this.source);
    if (this.block?.kind !== 'reasoning') this.closeBlock();
    if (this.block === null) {
      this.block = { kind: 'reasoning', index: 0, text: '', citations: 0 };
      this.parts.push({
        type: 'reasoning-start',
        candidate: CANDIDATE,
        ...(summary ? { summary } : {}),
        ...(redacted ? { redacted } : {}),
      });
      if (text !== '') this.reasoningText(this.block, text);
    } else if (text.startsWith(this.block.text) && text.length > this.block.text.length) {
      this.reasoningText(this.block, text.slice(this.block.text.length));
    }
    this.block = null;
    this.parts.push({ type: 'reasoning-end', candidate: CANDIDATE, ...(state === undefined ? {} : { state }) });
  }

  // ---- calls

  private startCall(item: Json): void {
    if (this.callText !== null) return;
    this.closeBlock();
    this.isToolCall = true;
    this.callText = '';
    const { type: _, arguments: _text, ...call } = decodeToolCall(item);
    this.parts.push({ type: 'tool-call-start', candidate: CANDIDATE, ...call });
  }

  private callDelta(delta: unknown): void {
    if (typeof delta !== 'string' || delta === '' || this.callText === null) return;
    this.callText += delta;
    this.parts.push({ type: 'tool-call-delta', candidate: CANDIDATE, arguments: delta });
  }

  private completeCall(whole: unknown): void {
    if (typeof whole !== 'string' || this.callText === null) return;
    if (whole.startsWith(this.callText)) this.callDelta(whole.slice(this.callText.length));
  }
}

function indexOf(value: unknown): number {
  return indexOr(value, 0);
}
