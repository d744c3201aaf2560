import { SPEECH_FORMATS } from '../../domain/audio/speech.ts';
import type { VoiceTable } from '../../formats/speech/shared/speech-request.ts';
import type { SpeechDialect } from '../../formats/speech/wire.ts';
import type { ProviderWire } from '../manifest.ts';

/** `POST /audio/speech` as OpenAI defines it (its published document, `CreateSpeechRequest`). */
export const OPENAI_SPEECH: ProviderWire = { wire: 'openai-speech', path: '/audio/speech' };

/** The document on `instructions`: "Does not work with `tts-1` or `tts-1-hd`." */
const OLDER_MODELS: SpeechDialect = {
  formats: SPEECH_FORMATS,
  defaultVoice: 'alloy',
  speed: [0.25, 4],
  hasVoiceObjects: true,
};

const OPENAI_MODELS: SpeechDialect = { ...OLDER_MODELS, instructions: true };

/** The older models have nine of the voices (developers.openai.com, "Text to speech"). */
const OLDER_VOICES: VoiceTable = {
  ...{ alloy: 'alloy', ash: 'ash', coral: 'coral', echo: 'echo', fable: 'fable', nova: 'nova', onyx: 'onyx' },
  ...{ sage: 'sage', shimmer: 'shimmer', ballad: 'fable', cedar: 'onyx', marin: 'nova', verse: 'echo' },
};

/** Models priced by tokens report these only in events; the older ones have no events. */
export const OPENAI_SPEECH_MODELS: readonly SpeechDialect[] = [
  { ...OPENAI_MODELS, models: /gpt-/, hasEvents: true },
  { ...OLDER_MODELS, models: /^tts/, voices: OLDER_VOICES },
  OPENAI_MODELS,
];

/** Kokoro's voices in American and British English (its model card at Hugging Face, `VOICES.md`). */
export const KOKORO_VOICES: VoiceTable = {
  alloy: 'af_alloy',
  ash: 'am_michael',
  ballad: 'bm_lewis',
  cedar: 'am_fenrir',
  coral: 'af_bella',
  echo: 'am_echo',
  fable: 'bm_fable',
  marin: 'af_heart',
  nova: 'af_nova',
  onyx: 'am_onyx',
  sage: 'af_sarah',
  shimmer: 'af_sky',
  verse: 'am_puck',
};
