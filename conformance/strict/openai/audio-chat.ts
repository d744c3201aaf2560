import { asArray, asObject } from '../../shared/json.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from '../rule.ts';
import { bodyOf } from '../shared/members.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';

const CHECKED = '2026-11-29';
const DOCUMENT = { url: 'specs/openai.openapi.json', checked: CHECKED };
const REPORT = { url: 'https://github.com/truefoundry/models/pull/822', checked: CHECKED };

const AUDIO = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } };
const SOUND = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
const heard = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });
const WITHOUT_OUTPUT = { modalities: undefined, audio: undefined };

function soundsIn(request: ReceivedRequest) {
  const blocks = asArray(bodyOf(request).messages).flatMap((message) =>
    asArray(asObject(message).content).map(asObject),
  );
  return blocks.filter(({ type }) => type === 'input_audio').map(({ input_audio: sound }) => asObject(sound));
}

function speaks(request: ReceivedRequest): boolean {
  return asArray(bodyOf(request).modalities).includes('audio');
}

const needsAudio: Rule = {
  id: 'audio-needed',
  statement: 'A request must have audio in its messages, or `audio` in `modalities`.',
  source: REPORT,
  refuses: (request) =>
    speaks(request) || soundsIn(request).length > 0
      ? null
      : 'This model requires that either input content or output modality contain audio.',
  examples: {
    refused: [{ body: WITHOUT_OUTPUT }, { body: { modalities: ['text'], audio: undefined } }],
    accepted: [{ body: { ...WITHOUT_OUTPUT, ...heard(SOUND) } }],
  },
};

const outputMembers: Rule = {
  id: 'audio-output',
  statement: '`modalities` with `audio` must be `text` and `audio`, and require `audio.voice` and `audio.format`.',
  source: DOCUMENT,
  refuses(request) {
    if (!speaks(request)) return null;
    const { voice, format } = asObject(bodyOf(request).audio);
    if (voice === undefined) return "Missing required parameter: 'audio.voice'.";
    return /^(?:wav|aac|mp3|flac|opus|pcm16)$/.test(String(format)) ? null : `Invalid value: '${String(format)}'.`;
  },
  examples: {
    refused: [{ body: { audio: undefined } }, { body: { audio: { voice: 'alloy', format: 'ogg' } } }],
    accepted: [{ body: { audio: { voice: 'marin', format: 'mp3' } } }],
  },
};

const streamed: Rule = {
  id: 'audio-stream-format',
  statement: 'In streams, `audio.format` must be `pcm16`.',
  source: { url: 'https://community.openai.com/t/waiting-for-gpt-4o-audio-preview/970884', checked: CHECKED },
  refuses(request) {
    const { format } = asObject(bodyOf(request).audio);
    if (bodyOf(request).stream !== true || !speaks(request) || format === 'pcm16') return null;
    return `Unsupported value: 'audio.format' does not support '${String(format)}' when stream=true. Supported values are: 'pcm16'.`;
  },
  examples: {
    refused: [{ body: { stream: true } }],
    accepted: [{ body: { stream: true, audio: { voice: 'alloy', format: 'pcm16' } } }],
  },
};

const inputFormat: Rule = {
  id: 'input-audio-format',
  statement: '`input_audio.format` must be `wav` or `mp3`.',
  source: DOCUMENT,
  refuses(request) {
    const wrong = soundsIn(request).find(({ format }) => format !== 'wav' && format !== 'mp3');
    return wrong === undefined
      ? null
      : `Invalid value: '${String(wrong.format)}'. Supported values are: 'wav' and 'mp3'.`;
  },
  examples: {
    refused: [{ body: heard({ ...SOUND, input_audio: { data: 'T2dnUw==', format: 'ogg' } }) }],
    accepted: [{ body: heard(SOUND) }],
  },
};

const formOfAnswer: Rule = {
  id: 'audio-response-format',
  statement: '`response_format` must be `text`.',
  source: REPORT,
  refuses(request) {
    const { type } = asObject(bodyOf(request).response_format);
    return type === undefined || type === 'text'
      ? null
      : `Invalid parameter: 'response_format' of type '${String(type)}' is not supported with this model.`;
  },
  examples: {
    refused: [
      { body: { response_format: { type: 'json_object' } } },
      { body: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } } },
    ],
    accepted: [{ body: { response_format: { type: 'text' } } }],
  },
};

/** The audio models, which are stricter than the text models. */
export const openaiAudioChat: StrictUpstream = {
  name: 'openai-audio-chat',
  label: 'OpenAI, chat completions with audio models',
  provider: 'openai',
  wire: 'openai-chat',
  models: ['gpt-audio-1.5', 'gpt-audio', 'gpt-audio-mini', 'gpt-4o-audio-preview'],
  basic: { body: AUDIO },
  rules: [needsAudio, outputMembers, streamed, inputFormat, formOfAnswer],
  envelope: openaiEnvelope,
};
