import type { Citation } from '../../../domain/exchange/part.ts';
import type { TokenLogprob } from '../../../domain/exchange/response.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';
import { failureOfEmpty, finishOf, type Json, rawFinish } from '../shared/choice-answer.ts';
import {
  audioPart,
  calledTool,
  contentParts,
  imagesOf,
  isCall,
  reasoningText,
  stateOfCall,
  tokenLogprobs,
  uniqueId,
} from './answer.decode.ts';
import { citationOf } from './citations.ts';
import { isSilent } from './produced.ts';
import { type Origin, partsOfDetails, plainState, textOfDetail } from './reasoning.ts';
import { FORMAT } from './schema.ts';
import { ToolBlocks } from './stream.decode.tools.ts';

type Plain = 'text' | 'reasoning' | 'refusal';

/**
 * One choice of a stream. Opens and closes blocks so that at most one is open, and collects values that can only be read
 * whole.
 */
export class CandidateDecoder {
  isFinished = false;

  private saidByDelta = false;
  private open: Plain | null = null;
  private readonly tools: ToolBlocks;
  private readonly ids = new Set<string>();
  private calls = 0;
  private hasNewCalls = false;
  /** OpenRouter's items since the last closed reasoning block. */
  private details: Record<string, unknown>[] = [];
  /** The text of the open reasoning block. */
  private thought = '';
  private sources: Citation[] = [];
  private hasText = false;
  private readonly spoken: Record<string, unknown> = {};
  private readonly audio: Buffer[] = [];
  private raw: string | null = null;
  private isEmpty = true;

  constructor(
    private readonly index: number,
    private readonly origin: Origin,
    private readonly place: string,
    private readonly onPart: (part: StreamPart) => void,
  ) {
    this.tools = new ToolBlocks(index, this.emit);
  }

  private readonly emit = (part: StreamPart): void => {
    this.isEmpty = false;
    this.onPart(part);
  };

  onChoice(choice: Json): void {
    const delta = this.deltaOf(choice);
    if (delta !== null) this.onDelta(delta, choice);
    const raw = rawFinish(choice);
    if (raw === null) return;
    this.raw = raw;
    this.isFinished = true;
  }

  /**
   * Returns the new content of a chunk. Some servers write it in a `message`, and some repeat the whole message at the end
   * (MiniMax).
   */
  private deltaOf({ delta, message }: Json): Json | null {
    if (isRecord(delta)) this.saidByDelta ||= !isSilent(delta);
    if (isRecord(message) && !this.saidByDelta) return message;
    return isRecord(delta) ? delta : null;
  }

  private onDelta(delta: Json, choice: Json): void {
    const { content } = delta;
    this.onReasoning(delta);
    const logprobs = tokenLogprobs(choice.logprobs);
    if (typeof content === 'string') {
      if (content !== '' || logprobs !== null) this.onText(content, logprobs);
    } else if (Array.isArray(content)) this.onBlocks(content);
    else if (logprobs !== null) this.onText('', logprobs);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') this.onRefusal(delta.refusal);
    if (Array.isArray(delta.annotations)) this.onAnnotations(delta.annotations);
    if (isRecord(delta.audio)) this.onAudio(delta.audio);
    for (const part of imagesOf(delta.images)) this.alone({ type: 'media', candidate: this.index, part });
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) if (isRecord(call)) this.onCall(call);
    if (isRecord(delta.function_call)) this.onOldCall({ index: 0, function: delta.function_call });
  }

  private onText(text: string, logprobs: readonly TokenLogprob[] | null): void {
    const { index } = this;
    const part: StreamPart = { type: 'text-delta', candidate: index, text, ...(logprobs === null ? {} : { logprobs }) };
    if (this.tools.isBusy()) {
      this.tools.hold([{ type: 'text-start', candidate: index }, part, { type: 'text-end', candidate: index }]);
      return;
    }
    this.enter('text');
    this.hasText = true;
    this.emit(part);
  }

  private onRefusal(text: string): void {
    this.enter('refusal');
    this.emit({ type: 'refusal-delta', candidate: this.index, text });
  }

  /** Decodes Mistral's blocks. Each delta holds a piece of one block. */
  private onBlocks(content: readonly unknown[]): void {
    for (const part of contentParts(content, this.origin)) {
      if (part.type === 'text') {
        this.onText(part.text, null);
        if (part.citations) this.sources.push(...part.citations);
      } else if (part.type === 'reasoning') this.onThought(part.text);
      else if (part.type === 'unknown') this.onUnknown(part.value);
      else if (part.type === 'image') this.alone({ type: 'media', candidate: this.index, part });
    }
  }

  private onUnknown(value: unknown): void {
    // A reference whose text came in an earlier delta.
    if (isRecord(value) && value.type === 'reference' && this.hasText) {
      const nothing = { url: null, title: null, citedText: null, start: null, end: null, documentIndex: null };
      this.sources.push({ ...nothing, raw: { format: FORMAT, value } });
      return;
    }
    const part = { type: 'unknown', format: FORMAT, value } as const;
    this.alone({ type: 'unknown', candidate: this.index, part });
  }

  private onAnnotations(annotations: readonly unknown[]): void {
    for (const annotation of annotations) {
      const citation = citationOf(annotation);
      if (citation !== null) this.sources.push(citation);
      else if (isRecord(annotation)) this.onUnknown(annotation);
    }
  }

  // ---- reasoning

  private onReasoning(delta: Json): void {
    const items = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isRecord) : [];
    for (const item of items) this.addDetail(item);
    const plain = reasoningText(delta);
    const text = plain === '' ? items.map(textOfDetail).join('') : plain;
    // Some servers send the reasoning as plain text first, and then the whole of it again with its state.
    if (text === '' || (plain === '' && this.open === 'reasoning' && text === this.thought)) return;
    this.onThought(text);
  }

  private onThought(text: string): void {
    if (this.tools.isBusy()) {
      const { index, origin } = this;
      this.tools.hold([
        { type: 'reasoning-start', candidate: index },
        { type: 'reasoning-delta', candidate: index, text },
        { type: 'reasoning-end', candidate: index, state: plainState(origin) },
      ]);
      return;
    }
    this.enter('reasoning');
    this.thought += text;
    this.emit({ type: 'reasoning-delta', candidate: this.index, text });
  }

  /** Joins the pieces of one item, which have the same position and kind, so that the item is returned whole. */
  private addDetail(item: Json): void {
    const last = this.details.at(-1);
    const key = item.type === 'reasoning.summary' ? 'summary' : 'text';
    const isText = item.type === 'reasoning.text' || item.type === 'reasoning.summary';
    const continues = isText && last !== undefined && last.type === item.type && last.index === item.index;
    if (!continues || (typeof last.signature === 'string' && typeof item.signature === 'string')) {
      this.details.push({ ...item });
      return;
    }
    const said = `${typeof last[key] === 'string' ? last[key] : ''}${typeof item[key] === 'string' ? item[key] : ''}`;
    for (const [member, value] of Object.entries(item)) if (value !== null) setMember(last, member, value);
    last[key] = said;
  }

  // ---- blocks

  private enter(kind: Plain): void {
    if (this.open === kind) return;
    this.close();
    this.tools.close();
    if (kind !== 'reasoning') this.releaseDetails();
    this.open = kind;
    this.thought = '';
    const candidate = this.index;
    if (kind === 'text') this.emit({ type: 'text-start', candidate });
    else if (kind === 'refusal') this.emit({ type: 'refusal-start', candidate });
    else this.emit({ type: 'reasoning-start', candidate, ...(this.isSummary() ? { summary: true } : {}) });
  }

  private isSummary(): boolean {
    return this.details[0]?.type === 'reasoning.summary';
  }

  private close(): void {
    const candidate = this.index;
    const { open } = this;
    this.open = null;
    if (open === 'text') {
      this.emitSources();
      this.emit({ type: 'text-end', candidate });
    } else if (open === 'refusal') this.emit({ type: 'refusal-end', candidate });
    else if (open === 'reasoning') this.closeReasoning();
  }

  /**
   * Closes a reasoning block. It may hold state of several origins (the gateway's own tokens behind another gateway); each
   * further state follows in a separate block.
   */
  private closeReasoning(): void {
    const candidate = this.index;
    const [first, ...others] = partsOfDetails(this.details, this.origin);
    this.details = [];
    this.emit({ type: 'reasoning-end', candidate, state: first?.state ?? plainState(this.origin) });
    for (const { state } of others) this.carryState(state);
  }

  /** Emits state that came without readable reasoning. */
  private releaseDetails(): void {
    if (this.details.length === 0) return;
    const parts = partsOfDetails(this.details, this.origin);
    this.details = [];
    for (const { state } of parts) this.carryState(state);
  }

  private carryState(state: Extract<StreamPart, { type: 'reasoning-end' }>['state']): void {
    const candidate = this.index;
    this.emit({ type: 'reasoning-start', candidate, redacted: true });
    this.emit({ type: 'reasoning-end', candidate, ...(state === undefined ? {} : { state }) });
  }

  private emitSources(): void {
    for (const citation of this.sources) this.emit({ type: 'citation', candidate: this.index, citation });
    this.sources = [];
  }

  private alone(part: StreamPart): void {
    if (this.tools.isBusy()) {
      this.tools.hold([part]);
      return;
    }
    this.close();
    this.tools.close();
    this.emit(part);
  }

  // ---- tool calls and audio

  /** Handles a call under the old member; servers that support both versions of the API write one call under both. */
  private onOldCall(call: Json): void {
    if (this.hasNewCalls) return;
    this.onCall(call);
    this.hasNewCalls = false;
  }

  private onCall(call: Json): void {
    if (!isCall(call)) return;
    this.hasNewCalls = true;
    const { name, text, custom } = calledTool(call);
    const id = typeof call.id === 'string' && call.id !== '' && call.id !== 'null' ? call.id : null;
    const state = stateOfCall(call, this.origin);
    const key = typeof call.index === 'number' ? call.index : null;
    if (this.tools.continues(key, id, name)) {
      this.tools.add(key, { name, text, state });
      return;
    }
    this.close();
    if (!this.tools.isBusy()) this.releaseDetails();
    const made = uniqueId(call.id, this.ids, `${this.place}_${this.calls}`);
    this.calls++;
    this.tools.begin({ key, wireId: id, id: made, name, custom, state }, text);
  }

  private onAudio(audio: Json): void {
    for (const key in audio) if (audio[key] !== '' && audio[key] !== null) setMember(this.spoken, key, audio[key]);
    if (typeof audio.data === 'string' && audio.data !== '') this.audio.push(Buffer.from(audio.data, 'base64'));
    if (typeof audio.transcript === 'string' && audio.transcript !== '') this.onText(audio.transcript, null);
  }

  // ---- the end

  /**
   * Ends the candidate, or returns its failure. `beside` are the sources next to the choices; they belong to the answer's text.
   */
  finish(beside: readonly Citation[]): Failure | null {
    const candidate = this.index;
    if (this.sources.length === 0) this.sources.push(...beside);
    this.close();
    this.tools.close();
    if (this.sources.length > 0) {
      // The sources came after the text had ended, or there was no text.
      this.emit({ type: 'text-start', candidate });
      this.emitSources();
      this.emit({ type: 'text-end', candidate });
    }
    this.releaseDetails();
    if (this.audio.length > 0) {
      const data = Buffer.concat(this.audio).toString('base64');
      this.emit({ type: 'media', candidate, part: audioPart(data, this.spoken, this.origin) });
    }
    const finish = finishOf(this.raw, this.calls > 0);
    const unanswered = failureOfEmpty(this.isEmpty, finish);
    if (unanswered === null) this.emit({ type: 'finish', candidate, finish });
    return unanswered;
  }
}
