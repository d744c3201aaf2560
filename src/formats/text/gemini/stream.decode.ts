import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { MediaPart, Part, UnknownPart } from '../../../domain/exchange/part.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import {
  bothRounds,
  completionTokens,
  countsAnything,
  standingReport,
  type Usage,
} from '../../../domain/exchange/usage.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { parseAnswerJson } from '../../shared/json/exact-json.ts';
import { indexOr, nonEmptyText, saysSomething } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { PartReader } from '../shared/part-reader.ts';
import { modelOf } from '../shared/served-as.ts';
import {
  CALLS,
  CallIds,
  type CandidateEnd,
  createdOf,
  decodeFinish,
  decodeLogprobs,
  decodePart,
  errorInAnswer,
  failedCandidates,
  finishReasonOf,
  promptBlock,
  stateOf,
  wireParts,
} from './answer.decode.ts';
import { StreamedCitations, webSearchesOf } from './citations.ts';
import { errorOf, memberOf, numberOf, type WireObject } from './decoding.ts';
import { PartialArguments } from './stream.decode.tools.ts';
import { decodeUsage, serviceTierOf } from './usage.ts';

/**
 * Reads `streamGenerateContent?alt=sse`: every event is a GenerateContentResponse with the new content. There is no end
 * mark.
 */
export class GeminiStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.onEnd(),
  });
  private readonly candidates = new Map<number, CandidateReader>();
  private ids: CallIds | null = null;
  private started = false;
  private blocked = false;
  private anyFinished = false;
  private webSearches = 0;
  private usage: Usage | null = null;
  /** The usage of earlier rounds of Google's own tools, which the latest report does not include. */
  private rounds: Usage | null = null;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  get mayEnd(): boolean {
    return this.blocked || this.anyFinished;
  }

  private onEnd(): void {
    if (!this.started) this.reader.fail(emptyStream());
    else if (!this.mayEnd) this.reader.fail(truncatedStream());
    else this.complete();
  }

  private complete(): void {
    const candidates = [...this.candidates.values()];
    const failed = failedCandidates(candidates.map(({ end }) => end));
    if (failed !== null) this.reader.fail(failed);
    else {
      // One of several candidates may have no finish reason although the answer as a whole is complete.
      for (const candidate of candidates) candidate.finish();
      this.reader.finish();
    }
  }

  /**
   * Handles an event. A broken connection leaves an unfinished last event; the end of the stream decides whether that is a
   * failure.
   */
  private onEvent({ data }: ServerSentEvent): void {
    if (data === '[DONE]') return;
    const chunk = parseAnswerJson(data, CALLS);
    if (isRecord(chunk)) {
      this.onChunk(chunk);
      return;
    }
    // A proxy may leave out the blank lines between events. Then each line is the data of one event.
    const lines = data.split('\n').map((line) => parseAnswerJson(line, CALLS));
    const isLast = this.reader.isEnding;
    if (lines.length > 1 && lines.slice(0, -1).every(isRecord)) {
      for (const line of lines) if (isRecord(line) && !this.reader.isOver) this.onChunk(line);
      if (isLast || isRecord(lines.at(-1))) return;
    }
    if (!isLast) this.reader.fail(eventNotJson());
  }

  private onChunk(chunk: WireObject): void {
    const { error } = chunk;
    const wire = Array.isArray(chunk.candidates) ? chunk.candidates.filter(isRecord) : [];
    if (errorOf(error)) {
      // Content in the same chunk as an error was written before the error.
      if (wire.length > 0) this.onAnswer(chunk, wire);
      this.reader.fail(errorInAnswer(error));
    } else this.onAnswer(chunk, wire);
  }

  private onAnswer(chunk: WireObject, wire: readonly WireObject[]): void {
    if (!this.started) {
      this.started = true;
      this.ids = new CallIds(chunk);
      const id = nonEmptyText(memberOf(chunk, 'responseId'));
      const model = modelOf(memberOf(chunk, 'modelVersion'));
      this.reader.emit({ type: 'start', id, created: createdOf(chunk), ...model });
    }
    wire.forEach((candidate, index) => {
      const reader = this.readerOf(indexOr(numberOf(candidate.index), index));
      reader.read(candidate);
      this.anyFinished ||= reader.finished;
      this.webSearches = Math.max(this.webSearches, webSearchesOf(candidate));
    });
    if (this.candidates.size === 0) this.onBlock(promptBlock(chunk));
    const reported = memberOf(chunk, 'usageMetadata');
    const usage = decodeUsage(reported, this.webSearches);
    if (usage === null) return;
    this.noteRounds(usage);
    this.usage = standingReport(this.usage, usage);
    const all = this.rounds === null ? this.usage : bothRounds(this.rounds, this.usage);
    this.reader.emit({ type: 'usage', usage: all, serviceTier: serviceTierOf(reported) });
  }

  /**
   * Notes the usage of earlier rounds: between rounds the counts start again, and only the report that comes with the end
   * includes all rounds.
   */
  private noteRounds(latest: Usage): void {
    const { usage, rounds } = this;
    if (this.mayEnd) this.rounds = null;
    else if (usage !== null && countsAnything(latest) && completionTokens(latest) < completionTokens(usage)) {
      this.rounds = rounds === null ? usage : bothRounds(rounds, usage);
    }
  }

  private onBlock(block: ReturnType<typeof promptBlock>): void {
    if (block === null || this.blocked) return;
    this.blocked = true;
    const { emit } = this.reader;
    emit({ type: 'refusal-start', candidate: 0 });
    emit({ type: 'refusal-delta', candidate: 0, text: block.message, byGateway: true });
    emit({ type: 'refusal-end', candidate: 0 });
    emit({ type: 'finish', candidate: 0, finish: { unified: 'content-filter', raw: block.reason } });
  }

  private readerOf(index: number): CandidateReader {
    const known = this.candidates.get(index);
    if (known !== undefined) return known;
    const reader = new CandidateReader(index, this.source, () => this.ids?.next(index) ?? '', this.reader.emit);
    this.candidates.set(index, reader);
    return reader;
  }
}

/** One candidate's blocks. Text and thoughts stay open from chunk to chunk; other parts arrive whole. */
class CandidateReader {
  private open: 'text' | 'reasoning' | null = null;
  /** The signature of the open block; it may come with the block's text or in an empty part after it. */
  private state: OpaqueState | undefined;
  private text: string[] = [];
  private call: PartialCall | null = null;
  private hasCalls = false;
  /** The last finish reason. Gemini also sends one in mid-stream if its own code ran and the answer continues. */
  private reason: string | null = null;
  private message: unknown;
  private hasContent = false;
  private readonly citations = new StreamedCitations();

  constructor(
    private readonly candidate: number,
    private readonly source: DecodeSource,
    private readonly newId: () => string,
    private readonly emit: (part: StreamPart) => void,
  ) {}

  get finished(): boolean {
    return this.reason !== null;
  }

  get end(): CandidateEnd {
    return { raw: this.reason, message: this.message, hasContent: this.hasContent };
  }

  read(wire: WireObject): void {
    const logprobs = decodeLogprobs(wire);
    const parts = wireParts(wire);
    const firstText = parts.findIndex((part) => typeof part.text === 'string' && part.thought !== true);
    for (const [index, part] of parts.entries()) this.onPart(part, index === firstText ? logprobs : undefined);
    for (const citation of this.citations.next(wire, () => this.text.join(''))) {
      this.openBlock('text');
      this.emit({ type: 'citation', candidate: this.candidate, citation });
    }
    const reason = finishReasonOf(wire);
    if (reason === null) return;
    this.close();
    this.reason = reason;
    this.message = memberOf(wire, 'finishMessage');
  }

  /** Called at the end of the stream, because the format has no other end mark. */
  finish(): void {
    this.close();
    this.emit({ type: 'finish', candidate: this.candidate, finish: decodeFinish(this.reason, this.hasCalls) });
  }

  private onPart(wire: WireObject, logprobs: ReturnType<typeof decodeLogprobs>): void {
    this.hasContent ||= saysSomething(wire);
    const call = memberOf(wire, 'functionCall');
    if (isRecord(call) && this.isPartial(call)) {
      this.onPartialCall(wire, call);
      return;
    }
    const part = decodePart(wire, this.source, this.newId);
    if (part === null) return;
    if (part.type === 'text' || part.type === 'reasoning') {
      this.onText(part, logprobs);
      return;
    }
    this.close();
    this.onWhole(part);
  }

  private onText(
    part: Part & { readonly type: 'text' | 'reasoning' },
    logprobs: ReturnType<typeof decodeLogprobs>,
  ): void {
    const { candidate } = this;
    // The API ends a stream with an empty text without further content.
    if (part.text === '' && part.state === undefined && this.open !== part.type) return;
    // Text after a signature is a separate part, which goes back without that signature.
    if (this.state !== undefined && part.text !== '') this.close();
    this.openBlock(part.type);
    if (part.text !== '') {
      this.emit(
        part.type === 'text'
          ? { type: 'text-delta', candidate, text: part.text, ...(logprobs === undefined ? {} : { logprobs }) }
          : { type: 'reasoning-delta', candidate, text: part.text },
      );
      if (part.type === 'text') this.text.push(part.text);
    }
    if (part.state !== undefined) this.state = part.state;
  }

  private onWhole(part: Exclude<Part, { readonly type: 'text' | 'reasoning' }>): void {
    const { candidate } = this;
    switch (part.type) {
      case 'tool-call': {
        this.hasCalls = true;
        const { id, name, state } = part;
        const withState = state === undefined ? {} : { state };
        this.emit({ type: 'tool-call-start', candidate, id, name, ...withState });
        this.emit({ type: 'tool-call-delta', candidate, arguments: part.arguments });
        this.emit({ type: 'tool-call-end', candidate, ...withState });
        return;
      }
      case 'unknown':
        this.emit({ type: 'unknown', candidate, part: part satisfies UnknownPart });
        return;
      case 'refusal':
      case 'tool-result':
        return;
      default:
        this.emit({ type: 'media', candidate, part: part satisfies MediaPart });
    }
  }

  /** Returns whether a call continues, or is a piece of the open call. Only the first piece has the name. */
  private isPartial(call: WireObject): boolean {
    return (
      memberOf(call, 'willContinue') === true ||
      saysSomething(memberOf(call, 'partialArgs')) ||
      (this.call !== null && nonEmptyText(call.name) === null)
    );
  }

  private onPartialCall(wire: WireObject, call: WireObject): void {
    if (typeof call.name === 'string' && call.name !== '') {
      this.close();
      const id = typeof call.id === 'string' && call.id !== '' ? call.id : this.newId();
      this.call = { id, name: call.name, args: new PartialArguments(), state: undefined };
    }
    if (this.call === null) return;
    this.call.args.add(memberOf(call, 'partialArgs'));
    this.call.args.assign(call.args);
    this.call.state = stateOf(wire, this.source) ?? this.call.state;
    if (memberOf(call, 'willContinue') !== true) this.closeCall();
  }

  private closeCall(): void {
    if (this.call === null) return;
    const { id, name, args, state } = this.call;
    this.call = null;
    const part: Part = { type: 'tool-call', id, name, arguments: args.json, ...(state === undefined ? {} : { state }) };
    this.onWhole(part);
  }

  private openBlock(kind: 'text' | 'reasoning'): void {
    if (this.open === kind) return;
    this.close();
    this.open = kind;
    this.text = [];
    const { candidate } = this;
    this.emit(
      kind === 'text' ? { type: 'text-start', candidate } : { type: 'reasoning-start', candidate, summary: true },
    );
  }

  private close(): void {
    this.closeCall();
    if (this.open === null) return;
    const { candidate, state } = this;
    const type = this.open === 'text' ? 'text-end' : 'reasoning-end';
    this.emit({ type, candidate, ...(state === undefined ? {} : { state }) });
    this.open = null;
    this.state = undefined;
  }
}

interface PartialCall {
  readonly id: string;
  readonly name: string;
  readonly args: PartialArguments;
  state: OpaqueState | undefined;
}
