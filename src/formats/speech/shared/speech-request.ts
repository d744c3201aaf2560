import { closestLanguage, hasSubtag } from '../../../domain/audio/language-name.ts';
import { charactersOf, SPEECH_FORMATS, type SpeechFormat, type SpeechRequest } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';

/* Shared by the requests of speech wires: voices, formats, speed, and losses. */

/** From OpenAI's published document, `VoiceIdsShared` and `CreateSpeechRequest`. */
export const OPENAI_VOICES = [
  'alloy',
  'ash',
  'ballad',
  'cedar',
  'coral',
  'echo',
  'fable',
  'marin',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
] as const;
export type OpenaiVoice = (typeof OPENAI_VOICES)[number];

/** Maps each of OpenAI's voices to a provider's most similar one: of the same gender and, if possible, of similar character. */
export type VoiceTable = Readonly<Record<OpenaiVoice, string>>;

/** The abilities of a model; it does not have those that are absent. */
export interface SpeechTraits {
  /** The formats that the model produces itself; the gateway converts between wav and pcm. */
  readonly formats: readonly SpeechFormat[];
  /** Absent if the model has OpenAI's own voices. */
  readonly voices?: VoiceTable;
  /** Sent if the client names no voice, to a provider that requires one. */
  readonly defaultVoice?: string;
  /** The slowest and the fastest speed. */
  readonly speed?: readonly [number, number];
  readonly instructions?: true;
  /** The longest text, in characters, if it is shorter than OpenAI's; the catalog has it only for its own models. */
  readonly longestInput?: number;
  /** Whether a language can be set; a list has the only codes that the provider accepts. */
  readonly language?: true | readonly string[];
}

/** The format that a client gets, and the one that is requested from the upstream. */
export interface FormatChoice {
  readonly given: SpeechFormat;
  readonly asked: SpeechFormat;
  /** Whether the client has named the format. */
  readonly isNamed: boolean;
}

/** The values that are sent to a model, in the model's own terms. */
export interface SpeechPlan {
  readonly format: FormatChoice;
  readonly voice: string | null;
  readonly speed: number | null;
  readonly instructions: string | null;
  readonly language: string | null;
  readonly losses: readonly Loss[];
}

/**
 * Returns a failure if the text is too long for a model; `null` if it is not. `most` is in characters. Another channel of the
 * model may accept more.
 */
export function inputTooLong(input: string, most: number): Failure | null {
  // A text never has more characters than UTF-16 units.
  const length = input.length <= most ? input.length : charactersOf(input);
  if (length <= most) return null;
  return new Failure('invalid_value', {
    message: `\`input\` has ${length} characters; the limit of this model is ${most}.`,
    param: 'input',
    retry: 'other-target',
    hint: 'Split the text between sentences, and send the parts in several requests.',
  });
}

/**
 * Maps a request to a model's abilities. Fails (400) only for a text that is too long and for a format that the model cannot
 * produce: another channel may support it, and a file in another format would be useless.
 */
export function planSpeech(request: SpeechRequest, traits: SpeechTraits): SpeechPlan | Failure {
  const tooLong = traits.longestInput === undefined ? null : inputTooLong(request.input, traits.longestInput);
  if (tooLong !== null) return tooLong;
  const format = chooseFormat(request.format, traits.formats);
  if (format instanceof Failure) return format;
  const losses: Loss[] = [];
  const lose = (field: string, why: string) => losses.push({ field, verdict: 'dropped', why });
  if (request.instructions !== null && traits.instructions !== true) {
    lose('instructions', 'this channel’s model does not accept instructions');
  }
  const language = languageFor(request.language, traits.language, losses);
  return {
    format,
    voice: voiceFor(request, traits, losses),
    speed: speedFor(request.speed, traits.speed, losses),
    instructions: traits.instructions === true ? request.instructions : null,
    language,
    losses,
  };
}

/**
 * Chooses the first one available: the same format; wav for pcm and pcm for wav. Without a requested format: mp3, otherwise wav.
 */
export function chooseFormat(
  wanted: SpeechFormat | null,
  formats: readonly SpeechFormat[] = SPEECH_FORMATS,
): FormatChoice | Failure {
  const given = wanted ?? (formats.includes('mp3') ? 'mp3' : 'wav');
  const isNamed = wanted !== null;
  if (formats.includes(given)) return { given, asked: given, isNamed };
  const other = given === 'wav' ? 'pcm' : given === 'pcm' ? 'wav' : null;
  if (other !== null && formats.includes(other)) return { given, asked: other, isNamed };
  const [first] = formats;
  if (!isNamed && first !== undefined) return { given: first, asked: first, isNamed };
  return noSuchFormat(given, formats);
}

function noSuchFormat(wanted: SpeechFormat, formats: readonly SpeechFormat[]): Failure {
  const isSamples = (format: SpeechFormat) => format === 'wav' || format === 'pcm';
  const made = SPEECH_FORMATS.filter(
    (format) => formats.includes(format) || (isSamples(format) && formats.some(isSamples)),
  );
  const list = made.map((format) => `\`${format}\``).join(', ');
  return new Failure('unsupported_parameter', {
    message: `\`response_format\` cannot be \`${wanted}\` here: the model's channel makes ${list}.`,
    param: 'response_format',
    kind: 'loss_refused',
    retry: 'other-target',
    hint: `Use one of ${list}, or leave \`response_format\` out.`,
  });
}

function voiceFor({ voice, isCustomVoice }: SpeechRequest, traits: SpeechTraits, losses: Loss[]): string | null {
  const { voices, defaultVoice } = traits;
  if (voice === null) return defaultVoice ?? null;
  const known = isCustomVoice || voices === undefined ? undefined : OPENAI_VOICES.find((name) => name === voice);
  const own = known === undefined ? undefined : voices?.[known];
  if (own === undefined) return voice;
  if (own !== voice) {
    losses.push({ field: 'voice', verdict: 'approximated', why: `the provider's most similar voice is \`${own}\`` });
  }
  return own;
}

function languageFor(language: string | null, taken: SpeechTraits['language'], losses: Loss[]): string | null {
  if (language === null || taken === true) return language;
  const closest = taken === undefined ? null : closestLanguage(language, taken);
  if (closest === null) {
    const lacks = taken === undefined ? '' : 'does not list this language, and ';
    losses.push({
      field: 'language',
      verdict: 'dropped',
      why: `the provider ${lacks}detects the language itself`,
    });
  } else if (hasSubtag(language) && closest.toLowerCase() !== language.toLowerCase()) {
    losses.push({
      field: 'language',
      verdict: 'approximated',
      why: `the provider's closest language is \`${closest}\``,
    });
  }
  return closest;
}

function speedFor(speed: number | null, range: SpeechTraits['speed'], losses: Loss[]): number | null {
  if (speed === null) return null;
  if (range === undefined) {
    if (speed !== 1) losses.push({ field: 'speed', verdict: 'dropped', why: 'this channel’s model has a fixed speed' });
    return null;
  }
  const [slowest, fastest] = range;
  const nearest = Math.min(fastest, Math.max(slowest, speed));
  if (nearest !== speed) {
    const why = `the model speaks at ${slowest} to ${fastest} times its usual speed; ${nearest} is used`;
    losses.push({ field: 'speed', verdict: 'approximated', why });
  }
  return nearest;
}

const READ_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'voice',
  'instructions',
  'response_format',
  'speed',
  'stream_format',
  'language',
  'provider_options',
]);

/** Returns the losses of members that the gateway does not know, for a provider with a body of another shape. */
export function unknownMembers(body: Readonly<Record<string, unknown>>): readonly Loss[] {
  return Object.keys(body)
    .filter((name) => !READ_MEMBERS.has(name) && body[name] !== null)
    .map((field) => ({ field, verdict: 'dropped', why: 'the provider does not support this field' }));
}
