import type { Samples } from '../fuzz/samples.ts';
import { parseJson } from '../shared/json.ts';
import { type Fields, learn, noFields, publishedFields } from './published-fields.ts';

const CHAT_DOCUMENTS = {
  whole: [
    { file: 'openai.openapi.json', component: 'CreateChatCompletionResponse' },
    { file: 'groq.openapi.yaml', component: 'CreateChatCompletionResponse' },
    { file: 'mistral.openapi.yaml', component: 'ChatCompletionResponse' },
    { file: 'openrouter.openapi.yaml', component: 'ChatResult' },
    { file: 'together.openapi.yaml', component: 'ChatCompletionResponse' },
  ],
  stream: [
    { file: 'openai.openapi.json', component: 'CreateChatCompletionStreamResponse' },
    { file: 'groq.openapi.yaml', component: 'CreateChatCompletionStreamResponse' },
    { file: 'mistral.openapi.yaml', component: 'CompletionChunk' },
    { file: 'openrouter.openapi.yaml', component: 'ChatStreamChunk' },
    { file: 'together.openapi.yaml', component: 'ChatCompletionChunk' },
  ],
};

/**
 * The components of published documents that describe the responses of each format. There is no document for
 * Cohere and Converse.
 */
const DOCUMENTS: Readonly<Record<string, typeof CHAT_DOCUMENTS>> = {
  'openai-chat': CHAT_DOCUMENTS,
  'openai-responses': {
    whole: [{ file: 'openai.openapi.json', component: 'Response' }],
    stream: [{ file: 'openai.openapi.json', component: 'ResponseStreamEvent' }],
  },
  'anthropic-messages': {
    whole: [
      { file: 'anthropic.openapi.json', component: 'Message' },
      { file: 'anthropic.openapi.json', component: 'BetaMessage' },
    ],
    stream: [
      { file: 'anthropic.openapi.json', component: 'MessageStreamEvent' },
      { file: 'anthropic.openapi.json', component: 'BetaMessageStreamEvent' },
    ],
  },
  gemini: {
    whole: [{ file: 'gemini-v1beta.openapi.json', component: 'GenerateContentResponse' }],
    stream: [{ file: 'gemini-v1beta.openapi.json', component: 'GenerateContentResponse' }],
  },
};

/** Returns the members that a format's responses may have according to the published documents. */
export function documentedFields(format: string, kind: 'whole' | 'stream'): Fields {
  const described = DOCUMENTS[format];
  return described === undefined ? noFields('object') : publishedFields(described[kind]);
}

/** Adds the members of the samples to the fields. */
export function learnFields(fields: Fields, format: string, kind: 'whole' | 'stream', samples: Samples): Fields {
  if (kind === 'whole') for (const sample of samples.answers) if (sample.format === format) learn(fields, sample.body);
  if (kind === 'stream') {
    for (const sample of samples.streams) {
      if (sample.format === format) for (const { data } of sample.events) learn(fields, parseJson(data));
    }
  }
  return fields;
}
