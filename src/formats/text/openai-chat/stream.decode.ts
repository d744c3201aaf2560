import type { Citation } from '../../../domain/exchange/part.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { countsAnything, standingReport, type Usage } from '../../../domain/exchange/usage.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { parseAnswerJson } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { createdOf, errorIn, idOf, type Json, tierOf } from '../shared/choice-answer.ts';
import { PartReader } from '../shared/part-reader.ts';
import { modelOf } from '../shared/served-as.ts';
import { indexOf, OBJECT_ARGUMENTS, usageOf } from './answer.decode.ts';
import { citationsBeside } from './citations.ts';
import { isSilent } from './produced.ts';
import { CandidateDecoder } from './stream.decode.content.ts';

/**
 * Reads a stream of chat chunks. Chunks of several candidates may be interleaved. Within one candidate the blocks are
 * emitted one after the other.
 */
export class ChatStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.onEnd(),
  });
  private readonly candidates = new Map<number, CandidateDecoder>();
  private citations: readonly Citation[] = [];
  private started = false;
  private sawDone = false;
  private answerId: string | null = null;
  private usage: Usage | null = null;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEnd(): void {
    if (!this.started) this.reader.fail(emptyStream());
    else if (!this.isComplete()) this.reader.fail(truncatedStream());
    else this.finish();
  }

  private onEvent({ data }: ServerSentEvent): void {
    const text = data.trim();
    if (text === '') return;
    if (text.startsWith('[DONE')) {
      this.sawDone = true;
      if (this.candidates.size > 0) this.finish();
      else this.reader.fail(emptyStream());
      return;
    }
    const chunk = parseAnswerJson(text, OBJECT_ARGUMENTS);
    if (isRecord(chunk)) this.onChunk(chunk);
    else this.reader.fail(eventNotJson());
  }

  private onChunk(chunk: Json): void {
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    const error = errorIn(chunk, choices);
    if (error !== null) {
      // Content in the same chunk as an error was written before the error.
      if (choices.some(({ delta }) => isRecord(delta) && !isSilent(delta))) this.onChoices(chunk, choices);
      this.reader.fail(error);
      return;
    }
    // Azure's first chunk holds only the prompt's filter result, without an id and without choices.
    if (choices.length > 0) this.onChoices(chunk, choices);
    else if (isRecord(chunk.audio)) this.onChoices(chunk, [{ delta: { audio: chunk.audio } }]);
    const sources = citationsBeside(chunk);
    if (sources.length > 0) this.citations = sources;
    const usage = usageOf(chunk, this.source);
    // Azure's first chunk has no id. A usage of zeros in it carries no information.
    if (usage === null || (!this.started && !countsAnything(usage))) return;
    this.start(chunk);
    this.usage = standingReport(this.usage, usage);
    this.reader.emit({ type: 'usage', usage: this.usage, ...tierOf(chunk) });
  }

  private onChoices(chunk: Json, choices: readonly Json[]): void {
    this.start(chunk);
    for (const [position, choice] of choices.entries()) this.candidate(indexOf(choice, position)).onChoice(choice);
  }

  private start(chunk: Json): void {
    if (this.started) return;
    this.started = true;
    this.answerId = idOf(chunk);
    this.reader.emit({ type: 'start', id: this.answerId, created: createdOf(chunk), ...modelOf(chunk.model) });
  }

  private candidate(index: number): CandidateDecoder {
    const known = this.candidates.get(index);
    if (known) return known;
    const made = new CandidateDecoder(index, this.source, `${this.answerId ?? 'answer'}_${index}`, this.reader.emit);
    this.candidates.set(index, made);
    return made;
  }

  /** Returns whether every candidate has a finish reason. The end mark may be missing then. */
  private isComplete(): boolean {
    if (this.sawDone) return true;
    return this.candidates.size > 0 && [...this.candidates.values()].every((candidate) => candidate.isFinished);
  }

  private finish(): void {
    for (const candidate of this.candidates.values()) {
      const unanswered = candidate.finish(this.citations);
      if (unanswered === null) continue;
      this.reader.fail(unanswered);
      return;
    }
    this.reader.finish();
  }
}
