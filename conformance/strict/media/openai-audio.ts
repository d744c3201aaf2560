import type { Rule, Source, StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { between, fileWithName, memberOf, notTaken, oneOf, textWithin } from './rules.ts';

const CHECKED = '2026-11-28';
const DOCUMENT = { url: 'specs/openai.openapi.json', checked: CHECKED };
const GROQ = { url: 'specs/groq.openapi.yaml', checked: CHECKED };

const TTS_1 = { label: 'TTS-1', models: /^tts-1/ };
const GPT_TRANSCRIBE = { label: 'GPT transcription models', models: /^gpt-.*transcribe(?!-diarize)/ };
const DIARIZE = { label: 'The model that tells speakers apart', models: /-diarize/ };
const NOT_GPT_TRANSCRIBE = { label: 'All models but gpt-transcribe', models: /^(?!gpt-transcribe$)/ };
const WHISPER = { label: 'Whisper', models: /^whisper/ };

const VOICES = 'alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' ');
const EXTENSIONS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
const SOUND = new File([new Uint8Array([0xff, 0xfb, 0x90, 0x64])], 'speech.mp3', { type: 'audio/mpeg' });

export const openaiSpeech: StrictUpstream = {
  name: 'openai-speech',
  label: 'OpenAI, speech',
  provider: 'openai',
  wire: 'openai-speech',
  models: ['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd'],
  rules: [
    textWithin({ member: 'input', most: 4_096, source: DOCUMENT }),
    oneOf({ member: 'voice', values: VOICES, source: DOCUMENT }),
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

/** `timestamp_granularities` says something about `verbose_json` alone. `model`: one of which examples are. */
function granularities(source: Source, model?: string): Rule {
  const of = model === undefined ? {} : { model };
  const words = { 'timestamp_granularities[]': 'word' };
  return {
    id: 'granularities-format',
    statement: '`timestamp_granularities` needs the `response_format` `verbose_json`.',
    source,
    refuses(request) {
      if (memberOf(request, 'timestamp_granularities') === undefined) return null;
      const isVerbose = memberOf(request, 'response_format') === 'verbose_json';
      return isVerbose ? null : 'The timestamp_granularities parameter requires the response format verbose_json.';
    },
    examples: {
      refused: [{ ...of, form: words }],
      accepted: [{ ...of, form: { ...words, response_format: 'verbose_json' } }],
    },
  };
}

/** Rules of OpenAI's transcriptions and translations. */
const rules: readonly Rule[] = [
  fileWithName({ member: 'file', extensions: EXTENSIONS, source: DOCUMENT }),
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
  basic: { form: { file: SOUND } },
  rules,
  envelope: openaiEnvelope,
};

const GROQ_MEMBERS = new Set(
  'file url model language prompt response_format temperature timestamp_granularities timestamp_granularities[]'.split(
    ' ',
  ),
);

const groqMembers: Rule = {
  id: 'unknown-members',
  statement: 'A part that the published document does not list.',
  source: GROQ,
  refuses({ form }) {
    const unknown = [...(form?.keys() ?? [])].find((name) => !GROQ_MEMBERS.has(name));
    return unknown === undefined ? null : `unknown param \`${unknown}\``;
  },
  examples: { refused: [{ form: { stream: 'true' } }, { form: { chunking_strategy: 'auto' } }] },
};

export const groqTranscriptions: StrictUpstream = {
  name: 'groq-transcriptions',
  label: 'Groq, transcriptions',
  provider: 'groq',
  wire: 'openai-transcriptions',
  models: ['whisper-large-v3', 'whisper-large-v3-turbo'],
  basic: { form: { file: SOUND } },
  rules: [
    fileWithName({ member: 'file', extensions: EXTENSIONS, source: GROQ }),
    oneOf({ member: 'response_format', values: ['json', 'text', 'verbose_json'], isForm: true, source: GROQ }),
    granularities(GROQ),
    between({ member: 'temperature', least: 0, most: 1, isForm: true, source: GROQ }),
    groqMembers,
  ],
  envelope: openaiEnvelope,
};
