import { fileWithName, memberOf, oneOf, textWithin } from '../media/rules.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/mistral.openapi.yaml', checked: CHECKED };
const page = (url: string) => ({ url, checked: CHECKED });

/** Returns an error body in the shape of the recorded refusals of the provider's other services. */
const envelope = (message: string) => ({
  ...{ object: 'error', message, type: 'invalid_request_error', param: null, code: '3051' },
});

const oneVoice: Rule = {
  id: 'voice',
  statement: 'Either `voice_id` or `ref_audio` is required.',
  source: page('https://docs.mistral.ai/studio-api/audio/text_to_speech/speech'),
  status: 422,
  refuses(request) {
    const given = ['voice_id', 'ref_audio'].filter((name) => typeof memberOf(request, name) === 'string');
    return given.length === 1 ? null : 'Exactly one of voice_id and ref_audio must be provided.';
  },
  examples: {
    refused: [{ body: { voice_id: undefined } }, { body: { ref_audio: 'UklGRg==' } }],
    accepted: [{ body: { voice_id: undefined, ref_audio: 'UklGRg==' } }],
  },
};

export const mistralSpeech: StrictUpstream = {
  name: 'mistral-speech',
  label: 'Mistral, speech',
  provider: 'mistral',
  wire: 'mistral-speech',
  models: ['voxtral-mini-tts-3-0', 'voxtral-mini-tts-2603'],
  rules: [
    textWithin({ member: 'input', most: 100_000, source: DOCUMENT }),
    oneOf({ member: 'response_format', values: ['pcm', 'wav', 'mp3', 'flac', 'opus'], source: DOCUMENT }),
    oneVoice,
  ],
  envelope,
};

const all = ({ form }: ReceivedRequest, name: string) => (form?.getAll(name) ?? []).map(String);

const languageAlone: Rule = {
  id: 'language-with-timestamps',
  statement: '`language` and `timestamp_granularities` are mutually exclusive.',
  source: page('https://github.com/livekit/agents/issues/4399'),
  refuses: (request) =>
    memberOf(request, 'language') !== undefined && memberOf(request, 'timestamp_granularities') !== undefined
      ? 'timestamp_granularities is not compatible with language.'
      : null,
  examples: {
    refused: [{ form: { language: 'de', timestamp_granularities: 'segment' } }],
    accepted: [{ form: { language: 'de' } }, { form: { timestamp_granularities: 'segment' } }],
  },
};

const language: Rule = {
  id: 'language',
  statement: '`language` must have two letters.',
  source: DOCUMENT,
  status: 422,
  refuses(request) {
    const code = memberOf(request, 'language');
    return code === undefined || /^\w{2}$/.test(String(code)) ? null : "String should match pattern '^\\w{2}$'";
  },
  examples: { refused: [{ form: { language: 'pt-BR' } }, { form: { language: 'yue' } }] },
};

const contextBias: Rule = {
  id: 'context-bias',
  statement: '`context_bias` must have at most 100 terms, without spaces and commas.',
  source: page('https://github.com/akhmialeuski/advanced-audio-recorder/pull/90'),
  status: 422,
  refuses(request) {
    const terms = all(request, 'context_bias');
    if (terms.length > 100) return 'List should have at most 100 items after validation';
    return terms.some((term) => !/^[^,\s]+$/.test(term)) ? "String should match pattern '^[^,\\s]+$'" : null;
  },
  examples: {
    refused: [{ form: { context_bias: 'two words' } }, { form: { context_bias: 'one,two' } }],
    accepted: [{ form: { context_bias: 'Switchyard' } }],
  },
};

const MEMBERS = 'model file file_url file_id language temperature stream diarize context_bias timestamp_granularities';

export const mistralTranscriptions: StrictUpstream = {
  name: 'mistral-transcriptions',
  label: 'Mistral, transcriptions',
  provider: 'mistral',
  wire: 'mistral-transcriptions',
  models: [...['voxtral-small-transcribe-3-0', 'voxtral-mini-transcribe-3-0', 'voxtral-mini-2602']],
  rules: [
    fileWithName({
      ...{ member: 'file', extensions: ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'] },
      source: page('https://schemas.apis.io/schemas/mistral/mistral-transcriptionrequest/'),
    }),
    language,
    languageAlone,
    contextBias,
    oneOf({ member: 'timestamp_granularities', values: ['segment', 'word'], isForm: true, source: DOCUMENT }),
    {
      id: 'form-members',
      statement: 'Form parts that the published document does not list are refused.',
      source: DOCUMENT,
      status: 422,
      refuses({ form }) {
        const unknown = [...(form?.keys() ?? [])].find((name) => !MEMBERS.split(' ').includes(name));
        return unknown === undefined ? null : `Extra inputs are not permitted: ${unknown}`;
      },
      examples: { refused: [{ form: { prompt: 'Names.' } }, { form: { response_format: 'json' } }] },
    },
  ],
  envelope,
};
