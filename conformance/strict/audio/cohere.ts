import { between, fileWithName, memberOf } from '../media/rules.ts';
import type { Rule, StrictUpstream } from '../rule.ts';

const CHECKED = '2026-11-29';
const PAGE = { url: 'https://docs.cohere.com/reference/create-audio-transcription', checked: CHECKED };

const LANGUAGES = 'ar de el en es fr it ja ko nl pl pt vi zh'.split(' ');

const language: Rule = {
  id: 'language',
  statement: '`language` is required: the ISO 639-1 code of one of fourteen languages.',
  source: { url: 'https://huggingface.co/CohereLabs/cohere-transcribe-03-2026', checked: CHECKED },
  refuses(request) {
    const code = memberOf(request, 'language');
    if (code === undefined) return 'invalid request: language is required';
    return LANGUAGES.includes(String(code)) ? null : `invalid request: language '${String(code)}' is not supported`;
  },
  examples: {
    refused: [{ form: { language: undefined } }, { form: { language: 'de-AT' } }, { form: { language: 'sv' } }],
    accepted: [{ form: { language: 'de' } }],
  },
};

const MEMBERS = ['model', 'language', 'temperature', 'file'];

export const cohereTranscriptions: StrictUpstream = {
  name: 'cohere-transcriptions',
  label: 'Cohere, transcriptions',
  provider: 'cohere',
  wire: 'cohere-transcriptions',
  models: ['cohere-transcribe-03-2026'],
  rules: [
    language,
    fileWithName({ member: 'file', extensions: ['flac', 'mp3', 'mpeg', 'mpga', 'ogg', 'wav'], source: PAGE }),
    between({ member: 'temperature', least: 0, most: 1, isForm: true, source: PAGE }),
    {
      id: 'members',
      statement: 'Form parts that the page does not list are refused.',
      source: PAGE,
      status: 422,
      refuses({ form }) {
        const unknown = [...(form?.keys() ?? [])].find((name) => !MEMBERS.includes(name));
        return unknown === undefined
          ? null
          : `invalid request: unknown field: parameter '${unknown}' is not a valid field`;
      },
      examples: { refused: [{ form: { prompt: 'Names.' } }, { form: { response_format: 'json' } }] },
    },
  ],
  envelope: (message) => ({ id: '00000000-0000-0000-0000-000000000000', message }),
};
