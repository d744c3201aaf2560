import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { countsAnything, standingReport, type Usage } from '../../../domain/exchange/usage.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { indexOr, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { StreamDecoder } from '../format.ts';
import { createdOf, errorIn, failureOfEmpty, finishOf, idOf, type Json, rawFinish } from '../shared/choice-answer.ts';
import { decodeUsage } from '../shared/openai-usage.ts';
import { PartReader } from '../shared/part-reader.ts';
import { modelOf } from '../shared/served-as.ts';
import { tokenLogprobs } from './answer.decode.ts';

/** Reads a stream of text completions. */
export class CompletionStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.onEnd(),
  });
  /** The upstream's finish reason of each choice; `null` while the choice continues. */
  private readonly ends = new Map<number, string | null>();
  /** The choices that have a text. */
  private readonly written = new Set<number>();
  private isStarted = false;
  private usage: Usage | null = null;

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEnd(): void {
    if (this.ends.size === 0) this.reader.fail(emptyStream());
    else if ([...this.ends.values()].includes(null)) this.reader.fail(truncatedStream());
    else this.finish();
  }

  private onEvent({ data }: ServerSentEvent): void {
    const text = data.trim();
    if (text === '') return;
    if (text.startsWith('[DONE')) {
      if (this.ends.size > 0) this.finish();
      else this.reader.fail(emptyStream());
      return;
    }
    const chunk = parseObject(text);
    if (chunk === null) this.reader.fail(eventNotJson());
    else this.onChunk(chunk);
  }

  private onChunk(chunk: Json): void {
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    const error = errorIn(chunk, choices);
    // Content in the same chunk as an error was written before the error.
    const written = error === null ? choices : choices.filter(({ text }) => typeof text === 'string' && text !== '');
    if (written.length > 0) this.start(chunk);
    for (const [place, choice] of written.entries()) this.onChoice(choice, indexOr(choice.index, place));
    if (error !== null) {
      this.reader.fail(error);
      return;
    }
    const usage = decodeUsage(chunk.usage);
    if (usage === null || (!this.isStarted && !countsAnything(usage))) return;
    this.start(chunk);
    this.usage = standingReport(this.usage, usage);
    this.reader.emit({ type: 'usage', usage: this.usage });
  }

  private start(chunk: Json): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.reader.emit({ type: 'start', id: idOf(chunk), created: createdOf(chunk), ...modelOf(chunk.model) });
  }

  private onChoice(choice: Json, candidate: number): void {
    if (!this.ends.has(candidate)) {
      this.ends.set(candidate, null);
      this.reader.emit({ type: 'text-start', candidate });
    }
    const text = textOrEmpty(choice.text);
    const logprobs = tokenLogprobs(choice.logprobs);
    if (text !== '') this.written.add(candidate);
    if (text !== '' || logprobs !== null) {
      this.reader.emit({ type: 'text-delta', candidate, text, ...(logprobs === null ? {} : { logprobs }) });
    }
    const raw = rawFinish(choice);
    if (raw !== null) this.ends.set(candidate, raw);
  }

  private finish(): void {
    for (const [candidate, raw] of this.ends) {
      const finish = finishOf(raw, false);
      const unanswered = failureOfEmpty(!this.written.has(candidate), finish);
      if (unanswered !== null) {
        this.reader.fail(unanswered);
        return;
      }
      this.reader.emit({ type: 'text-end', candidate });
      this.reader.emit({ type: 'finish', candidate, finish });
    }
    this.reader.finish();
  }
}
