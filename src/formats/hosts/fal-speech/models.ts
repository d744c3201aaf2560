import type { SpeechTraits, VoiceTable } from '../../speech/shared/speech-request.ts';

/** A fal model's member names and abilities; each model is an endpoint with its own request body. */
export interface FalSpeechModel {
  readonly models: RegExp;
  readonly traits: SpeechTraits;
  /** The member with the text. */
  readonly text: 'text' | 'prompt' | 'input';
  /** The object that holds the voice and the speed, and the voice's name in it; if absent, both are at the top level. */
  readonly voiceIn?: { readonly object: string; readonly voice: string };
  /** The member for the language, as a code or as its English name. */
  readonly language?: { readonly member: string; readonly as: 'code' | 'name' };
  /** The model accepts `audio_setting`, and returns a URL only on request. */
  readonly hasAudioSetting?: true;
  /** The model does not have OpenAI's voices, and its own are not known: it uses its default voice. */
  readonly hasUnknownVoices?: true;
}

/** Returns the voice table of a model with few voices. */
function voicesOf(woman: string, man: string): Pick<SpeechTraits, 'voices' | 'defaultVoice'> {
  const voices = {
    ...{ alloy: woman, coral: woman, marin: woman, nova: woman, sage: woman, shimmer: woman },
    ...{ ash: man, ballad: man, cedar: man, echo: man, fable: man, onyx: man, verse: man },
  };
  return { voices, defaultVoice: woman };
}

const AMERICANS: VoiceTable = {
  ...{ alloy: 'af_alloy', coral: 'af_bella', marin: 'af_heart', nova: 'af_nova', sage: 'af_sarah', shimmer: 'af_sky' },
  ...{ ash: 'am_michael', ballad: 'am_liam', cedar: 'am_fenrir', echo: 'am_echo', fable: 'am_eric', onyx: 'am_onyx' },
  verse: 'am_puck',
};

const BRITISH: VoiceTable = {
  ...{
    alloy: 'bf_alice',
    coral: 'bf_lily',
    marin: 'bf_emma',
    nova: 'bf_emma',
    sage: 'bf_isabella',
    shimmer: 'bf_lily',
  },
  ...{ ash: 'bm_daniel', ballad: 'bm_lewis', cedar: 'bm_george', echo: 'bm_daniel', fable: 'bm_fable' },
  ...{ onyx: 'bm_george', verse: 'bm_lewis' },
};

/** Each language of Kokoro is an endpoint that has only its own voices and requires one. */
const KOKORO: Readonly<Record<string, Pick<SpeechTraits, 'voices' | 'defaultVoice'>>> = {
  'british-english': { voices: BRITISH, defaultVoice: 'bf_alice' },
  spanish: voicesOf('ef_dora', 'em_alex'),
  french: voicesOf('ff_siwis', 'ff_siwis'),
  italian: voicesOf('if_sara', 'im_nicola'),
  hindi: voicesOf('hf_alpha', 'hm_omega'),
  japanese: voicesOf('jf_alpha', 'jm_kumo'),
  'brazilian-portuguese': voicesOf('pf_dora', 'pm_alex'),
  'mandarin-chinese': voicesOf('zf_xiaobei', 'zm_yunjian'),
};

function kokoro(models: RegExp, voices: Pick<SpeechTraits, 'voices' | 'defaultVoice'>): FalSpeechModel {
  return { models, text: 'prompt', traits: { formats: ['wav'], speed: [0.1, 5], ...voices } };
}

const MINIMAX: Omit<FalSpeechModel, 'models'> = {
  text: 'text',
  traits: {
    formats: ['mp3', 'flac', 'pcm'],
    speed: [0.5, 2],
    language: true,
    defaultVoice: 'Wise_Woman',
    voices: {
      ...{ alloy: 'Calm_Woman', coral: 'Lively_Girl', marin: 'Wise_Woman', nova: 'Exuberant_Girl' },
      ...{ sage: 'Calm_Woman', shimmer: 'Lovely_Girl' },
      ...{ ash: 'Casual_Guy', ballad: 'Young_Knight', cedar: 'Patient_Man', echo: 'Decent_Boy', fable: 'Elegant_Man' },
      ...{ onyx: 'Deep_Voice_Man', verse: 'Determined_Man' },
    },
  },
  voiceIn: { object: 'voice_setting', voice: 'voice_id' },
  language: { member: 'language_boost', as: 'name' },
  hasAudioSetting: true,
};

const ELEVENLABS: Omit<FalSpeechModel, 'models'> = {
  text: 'text',
  traits: {
    formats: ['mp3'],
    speed: [0.7, 1.2],
    voices: {
      ...{ alloy: 'River', ash: 'Chris', ballad: 'Callum', cedar: 'Eric', coral: 'Laura', echo: 'Liam' },
      ...{ fable: 'George', marin: 'Sarah', nova: 'Jessica', onyx: 'Brian', sage: 'Matilda', shimmer: 'Lily' },
      verse: 'Will',
    },
  },
};

/** elevenlabs.io, "Models": the languages of Flash and Turbo v2.5. */
const LANGUAGES_OF_2_5 =
  'ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh'.split(' ');

const ELEVEN_LANGUAGE = { member: 'language_code', as: 'code' } as const;

/** From fal.ai, the pages of each model, and the types of its published client; the first match applies. */
const MODELS: readonly FalSpeechModel[] = [
  ...Object.entries(KOKORO).map(([name, voices]) => kokoro(new RegExp(`^fal-ai/kokoro/${name}$`), voices)),
  kokoro(/^fal-ai\/kokoro(?:\/|$)/, { voices: AMERICANS, defaultVoice: 'af_heart' }),
  { ...MINIMAX, models: /^fal-ai\/minimax\/(?:speech-02|preview\/speech-2\.5)-/ },
  { ...MINIMAX, models: /^fal-ai\/minimax\/speech-/, text: 'prompt' },
  // Returns an error for a language that the model does not support; Multilingual supports no language parameter at
  // all.
  { ...ELEVENLABS, models: /^fal-ai\/elevenlabs\/tts\/multilingual-v2$/ },
  {
    ...ELEVENLABS,
    models: /^fal-ai\/elevenlabs\/tts\/[a-z]+-v2\.5$/,
    traits: { ...ELEVENLABS.traits, language: LANGUAGES_OF_2_5 },
    language: ELEVEN_LANGUAGE,
  },
  {
    ...ELEVENLABS,
    models: /^fal-ai\/elevenlabs\/tts\//,
    traits: { ...ELEVENLABS.traits, language: true },
    language: ELEVEN_LANGUAGE,
  },
  {
    models: /^fal-ai\/play(?:ai|ht)\/tts\/v3$/,
    text: 'input',
    traits: { formats: ['mp3'], ...voicesOf('Jennifer (English (US)/American)', 'Dexter (English (US)/American)') },
  },
  {
    models: /^fal-ai\/orpheus-tts$/,
    text: 'text',
    traits: {
      formats: ['wav'],
      voices: {
        ...{ alloy: 'tara', coral: 'jess', marin: 'mia', nova: 'leah', sage: 'mia', shimmer: 'zoe' },
        ...{ ash: 'dan', ballad: 'zac', cedar: 'leo', echo: 'dan', fable: 'leo', onyx: 'leo', verse: 'zac' },
      },
    },
  },
];

/** Most models take `text`, and those that run on fal's own machines produce wav. */
const OTHERS: FalSpeechModel = { models: /./, text: 'text', traits: { formats: ['wav'] }, hasUnknownVoices: true };

export function falSpeechModel(upstreamModel: string): FalSpeechModel {
  return MODELS.find(({ models }) => models.test(upstreamModel)) ?? OTHERS;
}
