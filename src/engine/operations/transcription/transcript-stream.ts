import { EMPTY_TRANSCRIPT, type Transcript, type TranscriptEvent } from '../../../domain/audio/transcription.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { EventWriter } from '../../../formats/transcription/openai-transcriptions/stream.ts';
import type { TranscriptReader } from '../../../formats/transcription/wire.ts';
import type { ResponseStream } from '../../call/lane.ts';

const utf8 = new TextEncoder();
const NOTHING = new Uint8Array(0);

/** Carries a transcript to a client, as OpenAI's server-sent events. */
export class TranscriptStream implements ResponseStream {
  failure: Failure | null = null;
  started = false;
  opened = false;
  /** The transcript so far; the whole one once the stream is finished. */
  transcript: Transcript = EMPTY_TRANSCRIPT;
  finished = false;

  constructor(
    private readonly reader: TranscriptReader | null,
    private readonly writer: EventWriter,
    /** Returns why a complete transcript cannot be an answer; `null` if it can. */
    private readonly problemOf: (transcript: Transcript) => Failure | null,
  ) {}

  get served(): ServedAs {
    return { model: this.transcript.model, serviceTier: null };
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.reader === null || this.finished || this.failure !== null) return NOTHING;
    this.opened = true;
    return this.take(this.reader.push(piece));
  }

  end(): Uint8Array {
    if (this.reader === null || this.finished || this.failure !== null) return NOTHING;
    return this.take(this.reader.end());
  }

  /** Writes events. The caller supplies those of a whole transcript. */
  take(events: readonly TranscriptEvent[]): Uint8Array {
    let text = '';
    for (const event of events) {
      if (event.type === 'done') {
        this.failure = this.problemOf(event.transcript);
        if (this.failure !== null) return utf8.encode(text);
        this.transcript = event.transcript;
        this.finished = true;
      } else if (event.type === 'delta') {
        this.transcript = { ...this.transcript, text: this.transcript.text + event.text };
      }
      this.started ||= event.type === 'delta' ? event.text !== '' : event.type !== 'other';
      text += this.writer.write(event);
    }
    if (this.reader !== null && !this.finished) this.failure = this.reader.failure;
    return utf8.encode(text);
  }
}
