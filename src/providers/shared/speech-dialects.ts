import type { SpeechDialect } from '../../formats/speech/wire.ts';
import { KOKORO_VOICES } from './openai-speech.ts';

/* How the speech of OpenAI's imitators differs from OpenAI's. */

const RATE = { sample_rate: 24_000 };

/**
 * Orpheus produces only wav, for 200 characters (console.groq.com, "Text to Speech"); the members are from the published
 * document, `CreateSpeechRequest`.
 */
const ORPHEUS: SpeechDialect = {
  formats: ['wav'],
  formatMembers: { wav: RATE },
  speed: [0.5, 5],
  longestInput: 200,
  isStrict: true,
};

export const GROQ_SPEECH: readonly SpeechDialect[] = [
  {
    ...ORPHEUS,
    models: /orpheus.*arabic/,
    defaultVoice: 'noura',
    voices: {
      ...{ alloy: 'noura', coral: 'lulwa', marin: 'aisha', nova: 'aisha', sage: 'noura', shimmer: 'lulwa' },
      ...{ ash: 'fahad', ballad: 'sultan', cedar: 'abdullah', echo: 'fahad', fable: 'sultan', onyx: 'abdullah' },
      verse: 'fahad',
    },
  },
  {
    ...ORPHEUS,
    models: /orpheus/,
    defaultVoice: 'autumn',
    voices: {
      ...{ alloy: 'autumn', coral: 'diana', marin: 'hannah', nova: 'hannah', sage: 'diana', shimmer: 'autumn' },
      ...{ ash: 'austin', ballad: 'daniel', cedar: 'troy', echo: 'austin', fable: 'daniel', onyx: 'troy' },
      verse: 'austin',
    },
  },
  { formats: ['mp3', 'flac', 'wav'], formatMembers: { wav: RATE }, speed: [0.5, 5], isStrict: true },
];

/** Samples are floats by default (the published document, `AudioSpeechRequest`). */
const SAMPLES = { response_encoding: 'pcm_s16le', sample_rate: 24_000 };

const TOGETHER: SpeechDialect = {
  formats: ['mp3', 'wav', 'pcm'],
  formatNames: { pcm: 'raw' },
  formatMembers: { wav: SAMPLES, pcm: SAMPLES },
  defaultFormat: 'wav',
  language: true,
};

const WOMAN = 'laidback woman';
const MAN = 'friendly sidekick';

export const TOGETHER_SPEECH: readonly SpeechDialect[] = [
  { ...TOGETHER, models: /kokoro/i, voices: KOKORO_VOICES, defaultVoice: 'af_heart' },
  {
    ...TOGETHER,
    models: /orpheus/i,
    defaultVoice: 'tara',
    voices: {
      ...{ alloy: 'tara', coral: 'jess', marin: 'zoe', nova: 'mia', sage: 'leah', shimmer: 'zoe' },
      ...{ ash: 'leo', ballad: 'dan', cedar: 'zac', echo: 'leo', fable: 'dan', onyx: 'zac', verse: 'dan' },
    },
  },
  {
    ...TOGETHER,
    models: /sonic/i,
    defaultVoice: WOMAN,
    voices: {
      ...{ alloy: WOMAN, coral: WOMAN, marin: WOMAN, nova: WOMAN, sage: WOMAN, shimmer: WOMAN },
      ...{ ash: MAN, ballad: MAN, cedar: MAN, echo: MAN, fable: MAN, onyx: MAN, verse: MAN },
    },
  },
  TOGETHER,
];

/** The published document, `SpeechRequest`: two formats, with pcm as the default. Each model has its own voices. */
export const OPENROUTER_SPEECH: readonly SpeechDialect[] = [
  { formats: ['mp3', 'pcm'], defaultFormat: 'pcm', speed: [0.25, 4] },
];
