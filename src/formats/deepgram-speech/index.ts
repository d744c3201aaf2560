import { SPEECH_SAMPLE_RATE, type SpeechFormat, type SpeechRequest } from '../../domain/audio/speech.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { countInHeader, openSpeech } from '../shared/speech-answer.ts';
import { planSpeech, type SpeechTraits, unknownMembers, type VoiceTable } from '../shared/speech-request.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import type { SpeechWire } from '../wire.ts';

const COMMON = {
  formats: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
  speed: [0.7, 1.5],
  language: true,
} as const;

/** Of Aura-2. */
const VOICES: VoiceTable = {
  ...{ alloy: 'thalia', coral: 'helena', marin: 'andromeda', nova: 'asteria', sage: 'athena', shimmer: 'luna' },
  ...{
    ash: 'apollo',
    ballad: 'orpheus',
    cedar: 'arcas',
    echo: 'aries',
    fable: 'draco',
    onyx: 'zeus',
    verse: 'odysseus',
  },
};

/** The first Aura has fewer voices. */
const OLD_VOICES: VoiceTable = {
  ...{ alloy: 'asteria', coral: 'stella', marin: 'hera', nova: 'luna', sage: 'athena', shimmer: 'luna' },
  ...{
    ash: 'arcas',
    ballad: 'orpheus',
    cedar: 'perseus',
    echo: 'orion',
    fable: 'helios',
    onyx: 'zeus',
    verse: 'arcas',
  },
};

const SAMPLES = { encoding: 'linear16', sample_rate: String(SPEECH_SAMPLE_RATE) };

/** The published document, `V1SpeakPostParametersEncoding` and `V1SpeakPostParametersContainer`. */
const ENCODINGS: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: 'mp3' },
  opus: { encoding: 'opus', container: 'ogg' },
  aac: { encoding: 'aac' },
  flac: { encoding: 'flac' },
  wav: { ...SAMPLES, container: 'wav' },
  pcm: { ...SAMPLES, container: 'none' },
};

/** A model with its voice and language, such as `aura-2-thalia-en`. */
const WHOLE_MODEL = /^aura(?:-\d+)?-[a-z]+-[a-z]{2,3}$/;
const FIRST_AURA = /^aura(?:-1)?$/;

/** Options that change neither the bill nor where the answer goes. */
const OPTIONS = ['bit_rate', 'tag'];

/** Deepgram's speech (its published document, `/v1/speak`): all but the text is in the query, the voice as a part of the model's name. */
export const deepgramSpeech: SpeechWire = {
  name: 'deepgram-speech',
  operations: ['audio.speech'],
  harmlessOptions: OPTIONS,
  encodeRequest(request, { upstreamModel }) {
    const plan = planSpeech(request, traitsOf(upstreamModel));
    if (plan instanceof Failure) return plan;
    const losses: Loss[] = [...plan.losses, ...unknownMembers(request.body)];
    const model = modelWith(plan.voice, plan.language, upstreamModel, losses);
    const query = new URLSearchParams({ model, ...ENCODINGS[plan.format.asked] });
    if (plan.speed !== null) query.set('speed', String(plan.speed));
    addOptions(query, request, losses);
    const body = new TextEncoder().encode(JSON.stringify({ text: request.input }));
    return { body, suffix: `?${query}`, headers: { accept: '*/*' }, losses };
  },
  openAnswer: (headers, request, { upstreamModel }) =>
    openSpeech(headers, request, traitsOf(upstreamModel), {
      json: null,
      characters: countInHeader(headers, 'dg-char-count'),
    }),
  decodeFailure,
};

function traitsOf(model: string): SpeechTraits {
  const isFirst = FIRST_AURA.test(model);
  return { ...COMMON, voices: isFirst ? OLD_VOICES : VOICES, ...(!WHOLE_MODEL.test(model) && defaultOf(isFirst)) };
}

function defaultOf(isFirst: boolean): Pick<SpeechTraits, 'defaultVoice'> {
  return { defaultVoice: isFirst ? 'asteria' : 'thalia' };
}

function modelWith(voice: string | null, language: string | null, model: string, losses: Loss[]): string {
  const isWhole = WHOLE_MODEL.test(model);
  const spoken = language?.split('-')[0]?.toLowerCase() ?? null;
  if (voice === null || WHOLE_MODEL.test(voice)) {
    const named = voice ?? model;
    if (spoken !== null && !named.endsWith(`-${spoken}`)) {
      losses.push({ field: 'language', verdict: 'dropped', why: `the voice \`${named}\` has a language of its own` });
    }
    return named;
  }
  const family = isWhole ? model.split('-').slice(0, -2).join('-') : model.replace(/^aura-1$/, 'aura');
  return `${family}-${voice}-${spoken ?? (isWhole ? (model.split('-').at(-1) ?? 'en') : 'en')}`;
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
