import { receivedOf } from './received.ts';
import { type Example, isOfFamily, type ReceivedRequest, type Rule, type StrictUpstream } from './rule.ts';

/** The smallest request of each wire; `{model}` in a path or as a value is replaced by the model. */
const BASIC_REQUESTS: Readonly<Record<string, Example>> = {
  'openai-chat': { path: '/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  'openai-responses': { path: '/responses', body: { input: 'Hi' } },
  'anthropic-messages': { path: '/messages', body: { max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] } },
  'openai-completions': { path: '/completions', body: { prompt: 'Hi' } },
  'cohere-chat': { path: '/v2/chat', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  gemini: {
    path: '/models/{model}:generateContent',
    body: { model: undefined, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  },
  'bedrock-converse': {
    path: '/model/{model}/converse',
    body: { model: undefined, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
  },
  'openai-embeddings': { path: '/embeddings', body: { input: 'Hi' } },
  'openai-images': { path: '/images/generations', body: { prompt: 'A cat.' } },
  'openai-translations': { path: '/audio/translations' },
  'deepgram-speech': { path: '/speak', query: { model: '{model}' }, body: { model: undefined, text: 'Hi' } },
  'deepgram-listen': { path: '/listen', query: { model: '{model}' }, body: { model: undefined } },
  'elevenlabs-speech': {
    path: '/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream',
    body: { model: undefined, model_id: '{model}', text: 'Hi' },
  },
  'elevenlabs-transcriptions': {
    path: '/speech-to-text',
    form: { model: undefined, model_id: '{model}', file: new File([new Uint8Array(4)], 'speech.wav') },
  },
  'mistral-speech': { path: '/audio/speech', body: { input: 'Hi', voice_id: 'en_paul_neutral' } },
  'mistral-transcriptions': {
    path: '/audio/transcriptions',
    form: { file: new File([new Uint8Array(4)], 'speech.wav') },
  },
  'xai-speech': { path: '/tts', body: { model: undefined, text: 'Hi', voice_id: 'eve', language: 'auto' } },
  'xai-transcriptions': {
    path: '/stt',
    form: { model: undefined, file: new File([new Uint8Array(4)], 'speech.wav') },
  },
  'cohere-transcriptions': {
    path: '/v2/audio/transcriptions',
    form: { language: 'en', file: new File([new Uint8Array(4)], 'speech.wav') },
  },
  'openrouter-transcriptions': {
    path: '/audio/transcriptions',
    body: { input_audio: { data: 'UklGRg==', format: 'wav' } },
  },
  'xai-images': { path: '/images/generations', body: { prompt: 'A cat.' } },
  'recraft-images': { path: '/images/generations', body: { prompt: 'A cat.' } },
  'together-images': { path: '/images/generations', body: { prompt: 'A cat.' } },
  'openrouter-images': { path: '/images', body: { prompt: 'A cat.' } },
  'bfl-images': { path: '/{model}', body: { model: undefined, prompt: 'A cat.' } },
  'gemini-images': {
    path: '/models/{model}:generateContent',
    body: {
      model: undefined,
      contents: [{ role: 'user', parts: [{ text: 'A cat.' }] }],
      generationConfig: { responseModalities: ['IMAGE'] },
    },
  },
  imagen: {
    path: '/models/{model}:predict',
    body: { model: undefined, instances: [{ prompt: 'A cat.' }], parameters: { sampleCount: 1 } },
  },
  'replicate-images': {
    path: '/models/{model}/predictions',
    body: { model: undefined, input: { prompt: 'A cat.' } },
  },
  'ideogram-images': { path: '/v1/{model}/generate', body: { model: undefined, prompt: 'A cat.' } },
  'stability-images': { path: '/v2beta/stable-image/generate/sd3', form: { prompt: 'A cat.' } },
  'openai-speech': { path: '/audio/speech', body: { input: 'Hi', voice: 'alloy' } },
  'openai-transcriptions': {
    path: '/audio/transcriptions',
    form: { file: new File([new Uint8Array([0x52, 0x49, 0x46, 0x46])], 'speech.wav') },
  },
};

/** Returns the request of an example, for the first model of the rule's family unless it names one. */
export async function exampleRequest(
  upstream: StrictUpstream,
  example: Example,
  rule?: Rule,
): Promise<ReceivedRequest> {
  const steps = [BASIC_REQUESTS[upstream.wire] ?? {}, upstream.basic ?? {}, example];
  const models = rule === undefined ? upstream.models : upstream.models.filter((id) => isOfFamily(rule, id));
  const model = example.model ?? models[0] ?? '';
  const path = steps.findLast((step) => step.path !== undefined)?.path ?? '/';
  const named = (value: unknown) => (value === '{model}' ? model : value);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries<string>(Object.assign({}, ...steps.map((step) => step.query))))
    query.set(name, String(named(value)));
  const sent = new Request('http://upstream', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...Object.assign({}, ...steps.map((step) => step.headers)) },
    body: JSON.stringify(Object.assign({ model }, ...steps.map((step) => step.body)), (_, value) => named(value)),
  });
  const isForm = steps.some((step) => step.form !== undefined);
  const parts = Object.entries<string | Blob | undefined>(Object.assign({ model }, ...steps.map((step) => step.form)));
  const { headers, bytes } = isForm ? await formOf(parts, sent.headers, model) : await read(sent);
  return receivedOf({
    method: 'POST',
    target: `${path.replace('{model}', encodeURIComponent(model))}?${query}`,
    headers,
    bytes,
  });
}

async function formOf(
  parts: readonly (readonly [string, string | Blob | undefined])[],
  headers: Headers,
  model: string,
) {
  const form = new FormData();
  for (const [name, part] of parts) if (part !== undefined) form.append(name, part === '{model}' ? model : part);
  headers.delete('content-type');
  return read(new Request('http://upstream', { method: 'POST', headers, body: form }));
}

async function read(sent: Request) {
  return { headers: sent.headers, bytes: new Uint8Array(await sent.arrayBuffer()) };
}
