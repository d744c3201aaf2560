import { charactersOf, type SpeechRequest, type SpeechUsage } from '../../../domain/audio/speech.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** Tokens that templates put around the text. */
const TOKENS_AROUND_TEXT = 64;
/** An upper bound: slow speakers read ten letters of English per second, and two and a half characters of Chinese. */
const MS_PER_LETTER = 100;
const MS_PER_OTHER = 400;
/** The longest time for a digit or an abbreviation that is read out. */
const LONGEST_CHARACTER_MS = 1_000;
/** Silence at both ends. */
const SILENCE_MS = 5_000;
/** Gemini has 25 tokens a second of audio (ai.google.dev, "Understand and count tokens"); OpenAI's models have fewer. */
const TOKENS_PER_SECOND = 25;
/** English has four letters per token, other scripts about one character. */
const LETTERS_PER_TOKEN = 4;
/** A speaker's usual pace: fifteen letters of English a second. */
const USUAL_MS_PER_LETTER = 67;
const USUAL_MS_PER_OTHER = 220;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

/** The size of one speech request: characters, tokens and the length of the audio. */
export class SpeechSize implements RequestBounds {
  /** The code points of the text. */
  readonly characters: number;
  private readonly letters: number;
  private readonly instructed: number;

  constructor(private readonly request: Pick<SpeechRequest, 'input' | 'instructions' | 'speed'>) {
    this.characters = charactersOf(request.input);
    this.letters = countLetters(request.input);
    this.instructed = Buffer.byteLength(request.instructions ?? '');
  }

  certain(): LargestRequest {
    return this.sized(this.characters * LONGEST_CHARACTER_MS + SILENCE_MS, 1);
  }

  counted(): Promise<LargestRequest> {
    return Promise.resolve(this.sized(this.paced(MS_PER_LETTER, MS_PER_OTHER) + SILENCE_MS, 1));
  }

  isPlausible(billable: Billable): boolean {
    const { inputTokens, outputTokens, pieces = [] } = this.plausible();
    if (promptTokensOf(billable) > inputTokens || completionTokensOf(billable) > outputTokens) return false;
    if (amountOf(billable, 'request') > 1) return false;
    return pieces.every(({ unit, amount }) => amountOf(billable, unit) <= amount);
  }

  plausible(): LargestRequest {
    return this.sized(this.characters * LONGEST_CHARACTER_MS + SILENCE_MS, PLAUSIBLE_FACTOR);
  }

  /** Returns the usual duration of the text, for audio whose length is unknown, such as streamed FLAC. */
  estimatedMs(): number {
    return Math.ceil(this.paced(USUAL_MS_PER_LETTER, USUAL_MS_PER_OTHER) / (this.request.speed ?? 1));
  }

  /** Estimates the tokens for this much audio, if the upstream reports none. */
  estimatedTokens(audioMs: number): SpeechUsage {
    const others = this.characters - this.letters;
    return {
      inputTokens: Math.ceil((this.letters + this.instructed) / LETTERS_PER_TOKEN) + others,
      outputTokens: Math.ceil((audioMs * TOKENS_PER_SECOND) / 1_000),
    };
  }

  private paced(msPerLetter: number, msPerOther: number): number {
    return this.letters * msPerLetter + (this.characters - this.letters) * msPerOther;
  }

  private sized(audioMs: number, factor: number): LargestRequest {
    const slowed = Math.ceil(audioMs / Math.min(1, this.request.speed ?? 1)) * factor;
    const text = Buffer.byteLength(this.request.input) + this.instructed + TOKENS_AROUND_TEXT;
    return {
      inputTokens: text * factor,
      isTextOnly: true,
      outputTokens: Math.ceil((slowed * TOKENS_PER_SECOND) / 1_000),
      pieces: [
        { unit: 'character', amount: this.characters },
        { unit: 'millisecond', amount: slowed },
      ],
    };
  }
}

/** Counts ASCII and other alphabetic letters. Other scripts take longer to speak per character. */
function countLetters(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x0e00) letters++;
  return letters;
}
