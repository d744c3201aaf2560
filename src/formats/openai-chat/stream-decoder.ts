import type { Citation } from '../../domain/exchange/part.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { EventReader, type ServerSentEvent } from '../shared/sse.ts';
import { CandidateDecoder } from './candidate-decoder.ts';
import { citationsBeside } from './citations.ts';
import { createdOf, errorIn, idOf, indexOf, type Json, usageOf } from './response.ts';

/** Reads a stream of chat chunks. Candidates may be interleaved; within each one blocks come out one after the other. */
export class ChatStreamDecoder implements StreamDecoder {
  private readonly reader = new EventReader();
  private readonly candidates = new Map<number, CandidateDecoder>();
  private citations: readonly Citation[] = [];
  private out: StreamPart[] = [];
  private started = false;
  private closed = false;
  private sawDone = false;
  private answerId: string | null = null;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    if (this.closed) return [];
    try {
      this.reader.push(piece, this.onEvent);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.fail('event_too_large', 'The upstream sent an event that is too large.');
    }
    return this.take();
  }

  end(): readonly StreamPart[] {
    if (!this.closed) this.reader.end(this.onEvent);
    if (this.closed) return this.take();
    if (!this.started) this.fail('empty_stream', 'The upstream answered 200 with an empty stream.');
    else if (!this.isComplete()) {
      this.fail('truncated_stream', 'The upstream ended the stream before the answer was complete.');
    } else this.finish();
    return this.take();
  }

  private readonly onEvent = ({ data }: ServerSentEvent): void => {
    if (this.closed) return;
    const text = data.trim();
    if (text === '') return;
    if (text.startsWith('[DONE')) {
      this.sawDone = true;
      if (this.candidates.size > 0) this.finish();
      else this.fail('empty_stream', 'The upstream answered 200 with an empty stream.');
      return;
    }
    const chunk = parse(text);
    if (chunk === null) this.fail('garbage', 'The upstream sent an event that is not JSON.');
    else this.onChunk(chunk);
  };

  private onChunk(chunk: Json): void {
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    const error = errorIn(chunk, choices);
    if (error !== null) {
      this.failWith(error);
      return;
    }
    // Azure's first chunk tells about the prompt's filter only, and has neither id nor choices.
    if (choices.length > 0) this.start(chunk);
    const sources = citationsBeside(chunk);
    if (sources.length > 0) this.citations = sources;
    for (const [position, choice] of choices.entries()) this.candidate(indexOf(choice, position)).onChoice(choice);
    const usage = usageOf(chunk, this.source);
    if (usage === null) return;
    this.start(chunk);
    const serviceTier = typeof chunk.service_tier === 'string' ? { serviceTier: chunk.service_tier } : {};
    this.out.push({ type: 'usage', usage, ...serviceTier });
  }

  private start(chunk: Json): void {
    if (this.started) return;
    this.started = true;
    this.answerId = idOf(chunk);
    this.out.push({ type: 'start', id: this.answerId, created: createdOf(chunk) });
  }

  private candidate(index: number): CandidateDecoder {
    const known = this.candidates.get(index);
    if (known) return known;
    const emit = (part: StreamPart) => this.out.push(part);
    const made = new CandidateDecoder(index, this.source, `${this.answerId ?? 'answer'}_${index}`, emit);
    this.candidates.set(index, made);
    return made;
  }

  /** Every candidate has said why it ended; then the end mark may be missing. */
  private isComplete(): boolean {
    if (this.sawDone) return true;
    return this.candidates.size > 0 && [...this.candidates.values()].every((candidate) => candidate.isFinished);
  }

  private finish(): void {
    this.closed = true;
    for (const candidate of this.candidates.values()) candidate.finish(this.citations);
    this.out.push({ type: 'end' });
  }

  private fail(kind: string, message: string): void {
    this.failWith(new Failure('upstream_error', { kind, message }));
  }

  private failWith(failure: Failure): void {
    this.closed = true;
    this.out.push({ type: 'error', failure });
  }

  private take(): readonly StreamPart[] {
    const { out } = this;
    this.out = [];
    return out;
  }
}

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
