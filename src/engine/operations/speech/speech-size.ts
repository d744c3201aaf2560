import { charactersOf, type SpeechRequest, type SpeechUsage } from '../../../domain/audio/speech.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** Tokens that templates put around the text. */
const TOKENS_AROUND_TEXT = 64;
/** An upper bound: slow readers say ten letters of English a second, and four characters of Chinese. */
const MS_PER_LETTER = 100;
const MS_PER_OTHER = 400;
/** What a digit or an abbreviation that is read out can come to. */
const LONGEST_CHARACTER_MS = 1_000;
/** Silence at both ends. */
const SILENCE_MS = 5_000;
/** Gemini has 25 tokens a second of audio (ai.google.dev, "Understand and count tokens"); OpenAI's models have fewer. */
const TOKENS_PER_SECOND = 25;
/** English has four letters a token, and scripts without letters about one character. */
const LETTERS_PER_TOKEN = 4;
/** A speaker's usual pace: fifteen letters of English a second. */
const USUAL_MS_PER_LETTER = 67;
const USUAL_MS_PER_OTHER = 220;
/** A wrong alarm keeps an operator from his money, a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;

/** How large one request for speech can become: characters, tokens, and the length of the audio. */
export class SpeechSize implements RequestBounds {
  /** Code points of the text. */
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

  /** For audio that does not say how long it is, such as streamed FLAC: as long as the text usually takes. */
  estimatedMs(): number {
    return Math.ceil(this.paced(USUAL_MS_PER_LETTER, USUAL_MS_PER_OTHER) / (this.request.speed ?? 1));
  }

  /** Of an upstream that reports none, for so much audio. */
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

/** ASCII and the other letters of alphabets; what is written without them takes longer to say for each character. */
function countLetters(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) < 0x0e00) letters++;
  return letters;
}
