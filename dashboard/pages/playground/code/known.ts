/* The named parameters of OpenAI's Python SDK; all others go into `extra_body`. */

const MORE = ['extra_headers', 'extra_query', 'timeout'];

const CHAT = [
  ...['model', 'messages', 'temperature', 'max_tokens', 'max_completion_tokens', 'reasoning_effort', 'tools'],
  ...['tool_choice', 'response_format', 'stream', 'stream_options', 'top_p', 'seed', 'stop', 'n', 'user'],
];
const RESPONSES = [
  ...['model', 'instructions', 'input', 'temperature', 'max_output_tokens', 'reasoning', 'include', 'store', 'tools'],
  ...['text', 'stream'],
];
const IMAGES = [
  ...['model', 'prompt', 'n', 'size', 'quality', 'style', 'background', 'moderation', 'response_format'],
  ...['output_format', 'output_compression', 'user'],
];
const TRANSCRIPTIONS = [
  ...['file', 'model', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities', 'include'],
  ...['chunking_strategy', 'known_speaker_names', 'known_speaker_references'],
];

export interface SdkMethod {
  /** The method's name, which is the same in both languages. */
  readonly name: string;
  readonly known: ReadonlySet<string>;
}

function method(name: string, known: readonly string[]): SdkMethod {
  return { name, known: new Set([...known, ...MORE]) };
}

/** The methods of OpenAI's SDKs by path. */
export const OPENAI_METHODS: Readonly<Record<string, SdkMethod>> = {
  '/v1/chat/completions': method('chat.completions.create', CHAT),
  '/v1/responses': method('responses.create', RESPONSES),
  '/v1/embeddings': method('embeddings.create', ['model', 'input', 'dimensions', 'encoding_format', 'user']),
  '/v1/moderations': method('moderations.create', ['model', 'input']),
  '/v1/images/generations': method('images.generate', IMAGES),
  '/v1/images/edits': method('images.edit', [
    'image',
    'mask',
    'model',
    'prompt',
    'n',
    'size',
    'response_format',
    'user',
  ]),
  '/v1/audio/speech': method('audio.speech.create', [
    ...['model', 'input', 'voice', 'instructions', 'response_format', 'speed', 'stream_format'],
  ]),
  '/v1/audio/transcriptions': method('audio.transcriptions.create', TRANSCRIPTIONS),
  '/v1/audio/translations': method('audio.translations.create', [
    'file',
    'model',
    'prompt',
    'response_format',
    'temperature',
  ]),
};
