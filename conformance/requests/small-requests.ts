import type { ClientFormat } from '../readers/index.ts';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Where?' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
};
const QUESTION = 'Is it "warm" in São Paulo / Brazil?';

/** A request in each format with instructions, parts, numbers and a tool. */
export const SMALL_REQUESTS: Readonly<Record<ClientFormat, Readonly<Record<string, unknown>>>> = {
  'openai-chat': {
    model: '',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: QUESTION }] },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }],
    temperature: 0.5,
    max_tokens: 100,
    stop: ['\n\n'],
  },
  'openai-responses': {
    model: '',
    instructions: 'Be brief.',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] }],
    tools: [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }],
    temperature: 0.5,
    max_output_tokens: 100,
    store: false,
  },
  'anthropic-messages': {
    model: '',
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }],
    tools: [{ name: 'weather', input_schema: SCHEMA }],
    temperature: 0.5,
    max_tokens: 100,
    stop_sequences: ['\n\n'],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
    tools: [{ functionDeclarations: [{ name: 'weather', parameters: SCHEMA }] }],
    generationConfig: { temperature: 0.5, maxOutputTokens: 100, topK: 40 },
  },
};
