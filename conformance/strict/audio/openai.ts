import { asObject } from '../../shared/json.ts';
import { between, fileWithName, memberOf, notTaken, oneOf, textWithin } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { EXTENSIONS, granularities, languageCodes, SOUND } from './openai-form.ts';

const CHECKED = '2026-11-28';
const DOCUMENT = { url: 'specs/openai.openapi.json', checked: CHECKED };

const TTS_1 = { label: 'TTS-1', models: /^tts-1/ };
const GPT_TRANSCRIBE = { label: 'GPT transcription models', models: /^gpt-.*transcribe(?!-diarize)/ };
const DIARIZE = { label: 'The model that distinguishes speakers', models: /-diarize/ };
const NOT_GPT_TRANSCRIBE = { label: 'All models but gpt-transcribe', models: /^(?!gpt-transcribe$)/ };
const WHISPER = { label: 'Whisper', models: /^whisper/ };

const VOICES = 'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ');

/** A custom voice is an object with its id. */
const voice: Rule = {
  ...oneOf({ member: 'voice', values: VOICES, source: DOCUMENT }),
  refuses(request) {
    const value = memberOf(request, 'voice');
    const isKnown = VOICES.includes(String(value)) || typeof asObject(value).id === 'string';
    return value === undefined || isKnown
      ? null
      : `Invalid value: '${String(value)}'. Supported values are: ${VOICES.join(', ')}.`;
  },
};

export const openaiSpeech: StrictUpstream = {
  name: 'openai-speech',
  label: 'OpenAI, speech',
  provider: 'openai',
  wire: 'openai-speech',
  models: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'],
  rules: [
    textWithin({ member: 'input', most: 4_096, source: DOCUMENT }),
    voice,
    oneOf({ member: 'response_format', values: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'], source: DOCUMENT }),
    between({ member: 'speed', least: 0.25, most: 4, source: DOCUMENT }),
    notTaken({ member: 'instructions', value: 'Whisper.', family: TTS_1, source: DOCUMENT }),
    {
      ...oneOf({ member: 'stream_format', values: ['audio'], family: TTS_1, source: DOCUMENT }),
      id: 'stream-format-tts-1',
    },
  ],
  envelope: openaiEnvelope,
};

const issue = (path: string) => ({ url: `https://github.com/${path}`, checked: '2026-11-29' });

const chunking: Rule = {
  id: 'chunking-strategy',
  statement: '`chunking_strategy` is required.',
  family: DIARIZE,
  source: issue('riffado/riffado/issues/101'),
  refuses: ({ form }) =>
    [...(form?.keys() ?? [])].some((name) => name.startsWith('chunking_strategy'))
      ? null
      : 'chunking_strategy is required for diarization models',
  examples: {
    refused: [{ form: { chunking_strategy: undefined } }],
    accepted: [{ form: { chunking_strategy: 'auto' } }],
  },
};

const rules: readonly Rule[] = [
  fileWithName({ member: 'file', extensions: EXTENSIONS, source: DOCUMENT }),
  chunking,
  languageCodes(issue('iOfficeAI/AionUi/pull/1939'), /^(?:[a-z]{2}|haw|yue|fil)$/),
  oneOf({
    ...{ member: 'response_format', values: ['json', 'text'], isForm: true },
    ...{ family: GPT_TRANSCRIBE, source: DOCUMENT, id: 'response-format-gpt' },
  }),
  oneOf({
    ...{ member: 'response_format', values: ['json', 'text', 'diarized_json'], isForm: true },
    ...{ family: DIARIZE, source: DOCUMENT, id: 'response-format-diarize' },
  }),
  oneOf({
    ...{
      member: 'response_format',
      values: ['json', 'text', 'vtt', 'srt', 'verbose_json'],
      isForm: true,
      family: WHISPER,
    },
    source: {
      url: 'recordings/openai/transcriptions/001-rejected-request-surfaces-the-provider-body.json',
      checked: CHECKED,
    },
  }),
  granularities(DOCUMENT, 'whisper-1'),
  between({ member: 'temperature', least: 0, most: 1, isForm: true, source: DOCUMENT }),
  notTaken({ member: 'prompt', value: 'Names.', isForm: true, family: DIARIZE, source: DOCUMENT }),
  notTaken({ member: 'languages', value: 'de', isForm: true, family: NOT_GPT_TRANSCRIBE, source: DOCUMENT }),
  notTaken({ member: 'keywords', value: 'Switchyard', isForm: true, family: NOT_GPT_TRANSCRIBE, source: DOCUMENT }),
  notTaken({ member: 'include', value: 'logprobs', isForm: true, family: WHISPER, source: DOCUMENT }),
];

export const openaiTranscriptions: StrictUpstream = {
  name: 'openai-transcriptions',
  label: 'OpenAI, transcriptions',
  provider: 'openai',
  wire: 'openai-transcriptions',
  models: ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-transcribe', 'gpt-4o-transcribe-diarize'],
  basic: { form: { file: SOUND, chunking_strategy: 'auto' } },
  rules,
  envelope: openaiEnvelope,
};

/** Members that the published document lists for transcriptions but not for translations, each with a value. */
const ONLY_OF_TRANSCRIPTIONS: Readonly<Record<string, string>> = {
  ...{ language: 'de', 'timestamp_granularities[]': 'word', stream: 'true', chunking_strategy: 'auto' },
  'include[]': 'logprobs',
};

export const openaiTranslations: StrictUpstream = {
  name: 'openai-translations',
  label: 'OpenAI, translations',
  provider: 'openai',
  wire: 'openai-translations',
  models: ['whisper-1'],
  basic: { form: { file: SOUND } },
  rules: [
    fileWithName({ member: 'file', extensions: EXTENSIONS, source: DOCUMENT }),
    oneOf({
      ...{ member: 'response_format', values: ['json', 'text', 'srt', 'verbose_json', 'vtt'], isForm: true },
      source: DOCUMENT,
    }),
    between({ member: 'temperature', least: 0, most: 1, isForm: true, source: DOCUMENT }),
    ...Object.entries(ONLY_OF_TRANSCRIPTIONS).map(([name, value]) =>
      notTaken({ member: name.replace('[]', ''), value, isForm: true, source: DOCUMENT }),
    ),
  ],
  envelope: openaiEnvelope,
};
