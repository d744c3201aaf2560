import type { Transcript, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import {
  amountOf,
  type Billable,
  completionTokensOf,
  ONE_REQUEST,
  promptTokensOf,
  type Quantity,
} from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** The lowest rate of speech in any of the formats: Opus at 6 kbit/s (RFC 6716). */
const LEAST_BYTES_PER_SECOND = 750;
/** The usual rate of a recording of unknown length: Opus at 32 kbit/s, as browsers record. */
const USUAL_BYTES_PER_SECOND = 4_000;
/** Decoders disagree about the last frames, and some providers bill whole seconds. */
const MEASURING_MARGIN = 1.02;
const MORE_MS = 2_000;

/** Gemini counts 32 tokens a second, Voxtral 12.5, OpenAI 10. */
const MOST_TOKENS_PER_SECOND = 50;
const USUAL_TOKENS_PER_SECOND = 10;
/** Speakers rarely exceed four words a second for long. */
const LIKELY_OUTPUT_PER_SECOND = 8;
const LIKELY_OUTPUT_AT_LEAST = 1_024;
/** The gateway's own instruction for a model without a transcription endpoint. */
const INSTRUCTION_TOKENS = 512;
/** Used for a model with unknown limits. */
const UNKNOWN_OUTPUT_TOKENS = 65_536;
/** English and Chinese both have between 3.5 and 4.5. */
const CHARS_PER_TOKEN = 4;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

type Asked = Pick<TranscriptionRequest, 'file' | 'durationMs' | 'prompt' | 'keywords' | 'format' | 'speakerReferences'>;

/** The duration of one request's recording, and its tokens. */
export class AudioSize implements RequestBounds {
  /** The longest possible recording in this file. */
  private readonly longestMs: number;
  private readonly textBytes: number;

  constructor(
    private readonly request: Asked,
    private readonly model: Pick<Model, 'capabilities'>,
  ) {
    const { file, prompt, keywords, speakerReferences } = request;
    this.longestMs = Math.ceil((file.size / LEAST_BYTES_PER_SECOND) * 1_000) + MORE_MS;
    // A speaker's reference is a recording, whose text has far more bytes than the recording has tokens.
    const texts = [prompt ?? '', ...keywords, ...speakerReferences];
    this.textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), INSTRUCTION_TOKENS);
  }

  certain(): LargestRequest {
    return this.sized(this.measuredMs(), this.model.capabilities?.maxOutputTokens ?? UNKNOWN_OUTPUT_TOKENS);
  }

  async counted(): Promise<LargestRequest> {
    const ms = this.measuredMs();
    const likely = Math.ceil((ms / 1_000) * LIKELY_OUTPUT_PER_SECOND) + LIKELY_OUTPUT_AT_LEAST;
    return this.sized(ms, Math.min(likely, this.certain().outputTokens));
  }

  isPlausible(billable: Billable): boolean {
    const { inputTokens, outputTokens, pieces = [] } = this.plausible();
    const longestMs = pieces.reduce((sum, { amount }) => sum + amount, 0);
    if (amountOf(billable, 'millisecond') > longestMs || amountOf(billable, 'request') > 1) return false;
    return promptTokensOf(billable) <= inputTokens && completionTokensOf(billable) <= outputTokens;
  }

  /** Doubles the larger of two durations: the declared one may be forged, the one derived from the size hardly. */
  plausible(): LargestRequest {
    const ms = PLAUSIBLE_FACTOR * Math.max(this.longestMs, this.measuredMs());
    return this.sized(ms, PLAUSIBLE_FACTOR * this.certain().outputTokens);
  }

  /** Returns the upstream's reported usage, completed with the gateway's own measurements. */
  billableOf({ text, tokens, duration, billedSeconds, segments, words }: UsedTranscript): Billable {
    const reportedSeconds = billedSeconds ?? duration;
    const lastSecond = Math.max(0, ...[segments?.at(-1)?.end ?? 0, words?.at(-1)?.end ?? 0]);
    const ms = reportedSeconds === null ? this.estimatedMs(lastSecond) : Math.round(reportedSeconds * 1_000);
    const isReported = reportedSeconds !== null || tokens !== null;
    const counted = tokens ?? (isReported ? NO_TOKENS : estimatedTokens(ms, text));
    const quantities: readonly Quantity[] = [
      { unit: 'input_token', amount: counted.textInput },
      { unit: 'audio_input_token', amount: counted.audioInput },
      { unit: 'output_token', amount: counted.output },
      this.time(Math.min(ms, Number.MAX_SAFE_INTEGER)),
      ONE_REQUEST,
    ];
    return { quantities, source: isReported ? 'reported' : 'estimated' };
  }

  private sized(ms: number, outputTokens: number): LargestRequest {
    const inputTokens = this.textBytes + Math.ceil((ms / 1_000) * MOST_TOKENS_PER_SECOND);
    return { inputTokens, outputTokens, pieces: [this.time(ms)] };
  }

  /** Providers charge more for recognising speakers or keywords. */
  private time(amount: number): Quantity<'millisecond'> {
    const { format, keywords } = this.request;
    const variant = [format === 'diarized_json' ? 'diarized' : '', keywords.length > 0 ? 'keywords' : '']
      .filter((word) => word !== '')
      .join('/');
    return { unit: 'millisecond', amount, ...(variant !== '' && { variant }) };
  }

  private measuredMs(): number {
    const { durationMs } = this.request;
    return durationMs === null ? this.longestMs : Math.ceil(durationMs * MEASURING_MARGIN) + MORE_MS;
  }

  private estimatedMs(lastSecond: number): number {
    const { durationMs, file } = this.request;
    // Something was said at that second, whatever the file's headers state.
    const lastMs = Math.min(Math.ceil(lastSecond * 1_000), this.longestMs);
    if (durationMs !== null) return Math.max(durationMs, lastMs);
    if (lastSecond > 0) return lastMs;
    return Math.ceil((file.size / USUAL_BYTES_PER_SECOND) * 1_000);
  }
}

/** The facts that determine a charge. */
export type UsedTranscript = Pick<Transcript, 'text' | 'tokens' | 'duration' | 'billedSeconds' | 'segments' | 'words'>;

const NO_TOKENS = { textInput: 0, audioInput: 0, output: 0 };

function estimatedTokens(ms: number, text: string) {
  return {
    textInput: 0,
    audioInput: Math.ceil((ms / 1_000) * USUAL_TOKENS_PER_SECOND),
    output: Math.ceil(text.length / CHARS_PER_TOKEN),
  };
}
