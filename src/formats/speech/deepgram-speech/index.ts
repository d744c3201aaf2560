import { SPEECH_SAMPLE_RATE, type SpeechFormat, type SpeechRequest } from '../../../domain/audio/speech.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { countInHeader, openSpeech } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers } from '../shared/speech-request.ts';
import type { SpeechWire } from '../wire.ts';
import { type Speaking, speakingOf } from './models.ts';

const FORMATS: readonly SpeechFormat[] = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];

const SAMPLES = { encoding: 'linear16', sample_rate: String(SPEECH_SAMPLE_RATE) };

/** developers.deepgram.com, "Text to Speech": a longer text is refused with a 413. */
const LONGEST_INPUT = 2_000;

/** From the published document, `V1SpeakPostParametersEncoding` and `V1SpeakPostParametersContainer`. */
const ENCODINGS: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { ...SAMPLES, container: 'wav' },
  pcm: { ...SAMPLES, container: 'none' },
};

/** Options that change neither the price nor the destination of the answer. */
const OPTIONS = ['bit_rate', 'tag'];

/**
 * Deepgram's speech (its published document, `/v1/speak`): everything but the text is in the query, and the voice is part of the
 * model's name.
 */
export const deepgramSpeech: SpeechWire = {
  name: 'deepgram-speech',
  operations: ['audio.speech'],
  harmlessOptions: OPTIONS,
  encodeRequest(request, { upstreamModel }) {
    const speaking = speakingOf(request, upstreamModel);
    if (speaking instanceof Failure) return speaking;
    const plan = planSpeech(request, traitsOf(speaking));
    if (plan instanceof Failure) return plan;
    const losses: Loss[] = [...plan.losses, ...unknownMembers(request.body)];
    const { family, language, whole, lostLanguage } = speaking;
    const model = whole ?? `${family}-${plan.voice}-${language}`;
    if (lostLanguage !== null) {
      losses.push({ field: 'language', verdict: 'dropped', why: `the voice \`${model}\` has a fixed language` });
    }
    const query = new URLSearchParams({ model, ...ENCODINGS[plan.format.asked] });
    if (plan.speed !== null) query.set('speed', String(plan.speed));
    addOptions(query, request, losses);
    const body = new TextEncoder().encode(JSON.stringify({ text: request.input }));
    return { body, suffix: `?${query}`, headers: { accept: '*/*' }, losses };
  },
  openAnswer: (headers, request) =>
    openSpeech(
      headers,
      request,
      { formats: FORMATS },
      { json: null, characters: countInHeader(headers, 'dg-char-count') },
    ),
  decodeFailure,
};

function traitsOf({ whole, traits }: Speaking): SpeechTraits {
  const { table, defaultVoice, hasSpeed } = traits;
  return {
    formats: FORMATS,
    language: true,
    longestInput: LONGEST_INPUT,
    ...(whole === null && { voices: table, defaultVoice }),
    ...(hasSpeed && { speed: [0.7, 1.5] }),
  };
}

function addOptions(query: URLSearchParams, { options }: SpeechRequest, losses: Loss[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (OPTIONS.includes(name) && (typeof value === 'string' || typeof value === 'number')) {
      query.set(name, String(value));
    } else {
      const why = `only ${OPTIONS.map((one) => `\`${one}\``).join(' and ')} are passed on to this provider`;
      losses.push({ field: `provider_options.${name}`, verdict: 'dropped', why });
    }
  }
}
