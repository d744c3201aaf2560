import { receivedOf } from './received.ts';
import { type Example, isOfFamily, type ReceivedRequest, type Rule, type StrictUpstream } from './rule.ts';

/** The smallest request of each wire; `{model}` in a path stands for the model. */
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
  const query = new URLSearchParams(Object.assign({}, ...steps.map((step) => step.query)));
  const sent = new Request('http://upstream', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...Object.assign({}, ...steps.map((step) => step.headers)) },
    body: JSON.stringify(Object.assign({ model }, ...steps.map((step) => step.body))),
  });
  const parts = Object.entries<string | Blob>(Object.assign({}, ...steps.map((step) => step.form)));
  const { headers, bytes } =
    parts.length > 0 ? await formOf([['model', model], ...parts], sent.headers) : await read(sent);
  return receivedOf({
    method: 'POST',
    target: `${path.replace('{model}', encodeURIComponent(model))}?${query}`,
    headers,
    bytes,
  });
}

async function formOf(parts: readonly (readonly [string, string | Blob])[], headers: Headers) {
  const form = new FormData();
  for (const [name, part] of parts) form.append(name, part);
  headers.delete('content-type');
  return read(new Request('http://upstream', { method: 'POST', headers, body: form }));
}

async function read(sent: Request) {
  return { headers: sent.headers, bytes: new Uint8Array(await sent.arrayBuffer()) };
}
