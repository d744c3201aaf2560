import { PNG } from '../leaves/leaf-values.ts';
import { asArray, asObject } from '../shared/json.ts';

type Json = Readonly<Record<string, unknown>>;

/** A request that exercises one feature of Open Responses, and what its response must contain. */
export interface OpenCase {
  readonly name: string;
  readonly request: Json;
  /** The request that continues from the first response. */
  readonly next?: (answer: Json) => Json;
  readonly thinks?: true;
  readonly has: 'message' | 'function_call';
  readonly status?: 'completed' | 'incomplete';
}

const user = (content: unknown) => ({ type: 'message', role: 'user', content });

const TOOL = {
  type: 'function',
  name: 'find_station',
  description: 'Finds the station of a town.',
  parameters: {
    type: 'object',
    properties: { town: { type: 'string', description: 'The name of the town' } },
    required: ['town'],
  },
};

/** A blank page. */
const PDF = btoa(
  '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj trailer<</Root 1 0 R>>\n%%EOF',
);

const CALLED = { input: [user('Which station does Ulm have?')], tools: [TOOL], tool_choice: 'required' };

function callOf(answer: Json): Json {
  return asObject(asArray(answer.output).find((item) => asObject(item).type === 'function_call'));
}

const resultOf = (answer: Json) => ({
  type: 'function_call_output',
  call_id: callOf(answer).call_id,
  output: 'Ulm Hauptbahnhof',
});

const OUTPUT_FORMAT = {
  type: 'json_schema',
  name: 'town',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
  strict: true,
};

export const CASES: readonly OpenCase[] = [
  { name: 'a text', request: { input: [user('Say good morning.')] }, has: 'message' },
  { name: 'a prompt as plain text', request: { input: 'Say good morning.' }, has: 'message' },
  {
    name: 'a system message',
    request: { input: [{ type: 'message', role: 'system', content: 'Speak like a poet.' }, user('Say good morning.')] },
    has: 'message',
  },
  {
    name: 'instructions, and a developer message in parts',
    request: {
      instructions: 'Be short.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
        user([{ type: 'input_text', text: 'Say good morning.' }]),
      ],
    },
    has: 'message',
  },
  {
    name: 'a call of the only tool',
    request: { input: [user('Where is the station of Ulm?')], tools: [TOOL] },
    has: 'function_call',
  },
  { name: 'a required call', request: CALLED, has: 'function_call' },
  {
    name: 'the result of a call, with the call repeated',
    request: CALLED,
    next: (answer) => ({ input: [...CALLED.input, ...asArray(answer.output), resultOf(answer)], tools: [TOOL] }),
    has: 'message',
  },
  {
    name: 'the result of a call, by response id, without the tools',
    request: CALLED,
    next: (answer) => ({ previous_response_id: answer.id, input: [resultOf(answer)] }),
    has: 'message',
  },
  {
    name: 'an image',
    request: {
      input: [
        user([
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
        ]),
      ],
    },
    has: 'message',
  },
  {
    name: 'a file',
    request: {
      input: [
        user([
          { type: 'input_text', text: 'What does it say?' },
          { type: 'input_file', filename: 'empty.pdf', file_data: `data:application/pdf;base64,${PDF}` },
        ]),
      ],
    },
    has: 'message',
  },
  {
    name: 'several turns',
    request: {
      input: [
        user('My dog is called Bo.'),
        { type: 'message', role: 'assistant', content: 'A good name.' },
        {
          type: 'message',
          role: 'assistant',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'Truly.' }],
        },
        user('What is my dog called?'),
      ],
    },
    has: 'message',
  },
  {
    name: 'a turn by the previous response id',
    request: { input: 'The word is heron.' },
    next: (answer) => ({ previous_response_id: answer.id, input: 'Which word?' }),
    has: 'message',
  },
  {
    name: 'a response that must not be stored',
    request: { input: 'Say good morning.', store: false, metadata: { of: 'a test' } },
    has: 'message',
  },
  {
    name: 'reasoning with a summary',
    request: { input: 'Think, then answer.', reasoning: { effort: 'low', summary: 'auto' } },
    thinks: true,
    has: 'message',
  },
  {
    name: 'continued encrypted reasoning',
    request: { input: 'Think.', store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } },
    next: (answer) => ({
      ...{ store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } },
      input: [user('Think.'), ...asArray(answer.output), user('Think again.')],
    }),
    thinks: true,
    has: 'message',
  },
  {
    name: 'JSON by a schema',
    request: { input: 'Name a town.', text: { format: OUTPUT_FORMAT } },
    has: 'message',
  },
  {
    name: 'a truncated response',
    request: { input: 'Say good morning, and then good evening.', max_output_tokens: 16 },
    has: 'message',
    status: 'incomplete',
  },
];
