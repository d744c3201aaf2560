import { asObject } from '../../shared/json.ts';
import { between, memberOf, oneOf } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/elevenlabs.openapi.json', checked: CHECKED };
const page = (url: string) => ({ url, checked: CHECKED });

const envelope = (message: string, { id }: Rule) => ({
  detail: { type: 'validation_error', code: 'invalid_parameters', message, status: id.replaceAll('-', '_') },
});

const MULTILINGUAL_2 = { label: 'Multilingual v2', models: /multilingual_v2/ };
const OTHERS = { label: 'All models but Multilingual v2', models: /^(?!.*multilingual_v2)/ };

const noLanguage: Rule = {
  id: 'no-language-code',
  statement: '`language_code` is not supported.',
  family: MULTILINGUAL_2,
  source: DOCUMENT,
  refuses: (request) =>
    memberOf(request, 'language_code') === undefined
      ? null
      : `Model '${request.model}' does not support the language_code ${String(memberOf(request, 'language_code'))}.`,
  examples: { refused: [{ body: { language_code: 'de' } }] },
};

const languageCode: Rule = {
  id: 'language-code',
  statement: '`language_code` must be an ISO 639-1 code, or a three-letter code if the language has none.',
  family: OTHERS,
  source: DOCUMENT,
  refuses(request) {
    const code = memberOf(request, 'language_code');
    return code === undefined || /^(?:[a-z]{2}|fil|yue|haw|ceb)$/.test(String(code))
      ? null
      : `Language code '${String(code)}' is not supported.`;
  },
  examples: {
    refused: [{ body: { language_code: 'pt-BR' } }, { body: { language_code: 'deu' } }],
    accepted: [{ body: { language_code: 'pt' } }],
  },
};

const speed: Rule = {
  id: 'speed',
  statement: '`voice_settings.speed` must be from 0.7 to 1.2.',
  source: page('https://github.com/livekit/agents/issues/4774'),
  refuses({ body }) {
    const value = asObject(asObject(body).voice_settings).speed;
    return value === undefined || (typeof value === 'number' && value >= 0.7 && value <= 1.2)
      ? null
      : `Invalid setting for speed received, expected to be greater or equal to 0.7 and less or equal to 1.2, received ${String(value)}`;
  },
  examples: {
    refused: [{ body: { voice_settings: { speed: 1.5 } } }, { body: { voice_settings: { speed: 0.5 } } }],
    accepted: [{ body: { voice_settings: { speed: 1.2 } } }],
  },
};

const FORMATS =
  'mp3_22050_32 mp3_24000_48 mp3_44100_32 mp3_44100_64 mp3_44100_96 mp3_44100_128 mp3_44100_192 pcm_8000 pcm_16000 pcm_22050 pcm_24000 ' +
  'pcm_32000 pcm_44100 pcm_48000 ulaw_8000 alaw_8000 opus_48000_32 opus_48000_64 opus_48000_96 opus_48000_128 opus_48000_192';

const text: Rule = {
  id: 'text',
  statement: '`text` is required and must not be empty.',
  source: DOCUMENT,
  refuses(request) {
    const spoken = memberOf(request, 'text');
    return typeof spoken === 'string' && spoken.trim() !== '' ? null : 'Input should have at least 1 character.';
  },
  examples: { refused: [{ body: { text: '' } }, { body: { text: undefined } }] },
};

/** The longest text of each model, in characters. */
const LONGEST: readonly (readonly [models: RegExp, characters: number])[] = [
  [/_v3$/, 5_000],
  [/_(?:flash|turbo)_v2_5$/, 40_000],
];

const textLength: Rule = {
  id: 'text-length',
  statement:
    '`text` must have at most 5,000 characters with v3, 40,000 with Flash and Turbo v2.5, and 10,000 with others.',
  source: page('https://nativeai.agency/hub/tools/elevenlabs-api/tts-models'),
  refuses(request) {
    const most = LONGEST.find(([models]) => models.test(request.model))?.[1] ?? 10_000;
    return [...String(memberOf(request, 'text'))].length <= most
      ? null
      : `The requested text exceeds the maximum of ${most} characters.`;
  },
  examples: {
    refused: [{ model: 'eleven_v3', body: { text: 'x'.repeat(5_001) } }],
    accepted: [{ model: 'eleven_flash_v2_5', body: { text: 'x'.repeat(5_001) } }],
  },
};

export const elevenlabsSpeech: StrictUpstream = {
  name: 'elevenlabs-speech',
  label: 'ElevenLabs, speech',
  provider: 'elevenlabs',
  wire: 'elevenlabs-speech',
  models: [
    ...['eleven_v4', 'eleven_v4_turbo', 'eleven_v3', 'eleven_multilingual_v2', 'eleven_flash_v2_5'],
    'eleven_turbo_v2_5',
  ],
  rules: [
    text,
    textLength,
    noLanguage,
    languageCode,
    speed,
    oneOf({ member: 'output_format', values: FORMATS.split(' '), isForm: 'query', source: DOCUMENT }),
  ],
  envelope,
};

const SCRIBE_1 = { label: 'Scribe v1', models: /^scribe_v1/ };

const keytermsOfScribe1: Rule = {
  id: 'no-keyterms',
  statement: '`keyterms` require Scribe v2.',
  family: SCRIBE_1,
  source: page('https://github.com/livekit/agents/pull/4967'),
  refuses: (request) =>
    memberOf(request, 'keyterms') === undefined ? null : 'Keyterms are only supported with the scribe_v2 model.',
  examples: { refused: [{ form: { keyterms: 'Switchyard' } }] },
};

const keyterms: Rule = {
  id: 'keyterms',
  statement:
    '`keyterms` must have at most 1,000 terms of at most 5 words and fewer than 50 characters, without `<`, `>`, `{`, `}`, `[`, `]` and `\\`.',
  source: page('https://github.com/intent-hq/intent/issues/3318'),
  refuses({ form }) {
    const terms = (form?.getAll('keyterms') ?? []).map(String);
    if (terms.length > 1_000) return 'Too many keyterms: at most 1000 are allowed.';
    if (terms.some((term) => /[<>{}[\]\\]/.test(term))) return 'Some keyword contains invalid characters';
    if (terms.some((term) => term.length >= 50)) return 'Some keyword is too long';
    return terms.some((term) => term.trim().split(/\s+/).length > 5) ? 'Some keyword has too many words' : null;
  },
  examples: {
    refused: [
      { model: 'scribe_v2', form: { keyterms: 'list[0]' } },
      { model: 'scribe_v2', form: { keyterms: 'x'.repeat(50) } },
      { model: 'scribe_v2', form: { keyterms: 'one two three four five six' } },
    ],
    accepted: [{ model: 'scribe_v2', form: { keyterms: 'Switchyard' } }],
  },
};

const SCRIBE_MEMBERS =
  'model_id file language_code tag_audio_events num_speakers timestamps_granularity diarize diarization_threshold additional_formats ' +
  'file_format cloud_storage_url source_url webhook webhook_id temperature seed use_multi_channel multichannel_output_style ' +
  'webhook_metadata entity_detection no_verbatim use_speaker_library detect_speaker_roles entity_redaction entity_redaction_mode ' +
  'keyterms';

const recording: Rule = {
  id: 'file',
  statement: 'Exactly one of `file`, `source_url` and `cloud_storage_url` is required.',
  source: DOCUMENT,
  refuses: ({ form }) =>
    ['file', 'source_url', 'cloud_storage_url'].filter((name) => form?.has(name)).length === 1
      ? null
      : 'Must provide either file or cloud_storage_url parameter.',
  examples: { refused: [{ form: { file: undefined } }, { form: { source_url: 'https://example.com/a.mp3' } }] },
};

const threshold: Rule = {
  id: 'diarization-threshold',
  statement: '`diarization_threshold` requires `diarize`, and cannot be combined with `num_speakers`.',
  source: DOCUMENT,
  refuses: (request) =>
    memberOf(request, 'diarization_threshold') === undefined ||
    (memberOf(request, 'diarize') === 'true' && memberOf(request, 'num_speakers') === undefined)
      ? null
      : 'diarization_threshold can only be set when diarize=True and num_speakers=None.',
  examples: {
    refused: [{ form: { diarization_threshold: '0.2' } }],
    accepted: [{ form: { diarization_threshold: '0.2', diarize: 'true' } }],
  },
};

const scribeLanguage: Rule = {
  id: 'language-code',
  statement: '`language_code` must be an ISO 639-1 or 639-3 code without a region.',
  source: DOCUMENT,
  refuses(request) {
    const code = memberOf(request, 'language_code');
    return code === undefined || /^[a-z]{2,3}$/.test(String(code))
      ? null
      : `Invalid language code received: '${String(code)}'`;
  },
  examples: { refused: [{ form: { language_code: 'pt-BR' } }], accepted: [{ form: { language_code: 'pt' } }] },
};

export const elevenlabsTranscriptions: StrictUpstream = {
  name: 'elevenlabs-transcriptions',
  label: 'ElevenLabs, transcriptions',
  provider: 'elevenlabs',
  wire: 'elevenlabs-transcriptions',
  models: ['scribe_v2', 'scribe_v1'],
  rules: [
    recording,
    oneOf({ member: 'timestamps_granularity', values: ['none', 'word', 'character'], isForm: true, source: DOCUMENT }),
    between({ member: 'temperature', least: 0, most: 2, isForm: true, source: DOCUMENT }),
    between({ member: 'num_speakers', least: 1, most: 32, isForm: true, source: DOCUMENT }),
    ...[threshold, scribeLanguage, keytermsOfScribe1, keyterms],
    {
      id: 'no-verbatim',
      statement: '`no_verbatim` requires Scribe v2.',
      family: SCRIBE_1,
      source: DOCUMENT,
      refuses: (request) =>
        memberOf(request, 'no_verbatim') === 'true' ? 'no_verbatim is only supported with scribe_v2 model.' : null,
      examples: { refused: [{ form: { no_verbatim: 'true' } }], accepted: [{ form: { no_verbatim: 'false' } }] },
    },
    {
      id: 'form-members',
      statement: 'Form parts for other providers are refused.',
      source: DOCUMENT,
      refuses({ form }) {
        const unknown = [...(form?.keys() ?? [])].find((name) => !SCRIBE_MEMBERS.split(' ').includes(name));
        return unknown === undefined ? null : `Extra inputs are not permitted: ${unknown}`;
      },
      examples: { refused: [{ form: { response_format: 'json' } }, { form: { language: 'de' } }] },
    },
  ],
  envelope,
};
