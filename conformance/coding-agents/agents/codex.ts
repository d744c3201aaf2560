import OpenAI from 'openai';
import { asArray, asObject } from '../../shared/json.ts';
import { LAST_WORDS, PATCH } from '../script.ts';
import {
  CODEX_HEADERS,
  codeModeRequest,
  codexOutputSchemaRequest,
  codexRequest,
  fullAccessRequest,
  MCP,
} from '../traffic/codex.ts';
import { type Agent, different, type Workplace } from './agent.ts';

interface Turn {
  readonly item: Readonly<Record<string, unknown>>;
  /** The deltas of the item's text, in order. */
  readonly deltas: readonly string[];
}

async function ask({ origin, apiKey }: Workplace, body: object): Promise<Turn> {
  const sdk = new OpenAI({
    baseURL: `${origin}/v1`,
    apiKey,
    maxRetries: 0,
    logLevel: 'off',
    defaultHeaders: CODEX_HEADERS,
  });
  // Codex sends fields that the SDK's types lack.
  const stream = await sdk.responses.create(body as OpenAI.Responses.ResponseCreateParamsStreaming);
  const deltas: string[] = [];
  let done: unknown;
  let completed: unknown;
  for await (const event of stream) {
    if ('delta' in event && typeof event.delta === 'string' && !event.type.includes('reasoning'))
      deltas.push(event.delta);
    // Codex takes the items from this event, and only the usage from the last one.
    if (event.type === 'response.output_item.done') done = event.item;
    if (event.type === 'response.completed') completed = event.response;
  }
  const { output, usage } = asObject(completed);
  if (usage === undefined || asArray(output).length === 0) throw new Error('the stream has no end');
  return { item: asObject(done), deltas };
}

const FIND = { query: 'größe' };

async function work(place: Workplace): Promise<readonly string[]> {
  const { model, prompt } = place;
  const first = await ask(place, codexRequest(model, prompt, []));
  const { call_id } = first.item;
  const patched = { ...first.item, id: undefined };
  const history: unknown[] = [
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'A patch.' }],
      content: null,
      encrypted_content: null,
    },
    patched,
    { type: 'custom_tool_call_output', call_id, output: 'Exit code: 0\nOutput:\nSuccess. Updated: M src/größe.ts' },
  ];
  const second = await ask(place, codexRequest(model, prompt, history));
  const found = { ...second.item, id: undefined };
  history.push(found, {
    type: 'function_call_output',
    call_id: second.item.call_id,
    output: [{ type: 'input_text', text: '[]' }],
  });
  const third = await ask(place, codexRequest(model, prompt, history));
  const { type, name, input } = first.item;
  const { namespace, arguments: text } = second.item;
  return [
    ...different('the patch', { type, name, input }, { type: 'custom_tool_call', name: 'apply_patch', input: PATCH }),
    ...different('the pieces of the patch', first.deltas.join(''), PATCH),
    ...different('the tool of a namespace', [namespace, second.item.name], [MCP.namespace, MCP.name]),
    ...different('its arguments', JSON.parse(String(text)), FIND),
    ...different('the last words', asObject(asArray(third.item.content)[0]).text, LAST_WORDS),
  ];
}

export const CODEX: Agent = {
  name: 'Codex',
  format: 'openai-responses',
  steps: [
    { tool: 'apply_patch', input: PATCH },
    { tool: `${MCP.namespace}__${MCP.name}`, input: FIND },
    { text: LAST_WORDS },
  ],
  work,
  sides: {
    'in code mode': (place) => ask(place, codeModeRequest(place.model, 'Go on.')),
    'with full access': (place) => ask(place, fullAccessRequest(place.model, 'Go on.')),
    'with a schema for the last answer': (place) => ask(place, codexOutputSchemaRequest(place.model, 'Sum up.')),
  },
  onlyAt: {
    // The request also has tools, with which Cohere refuses a schema.
    'with a schema for the last answer': [
      'openai-chat',
      'openai-responses',
      'anthropic-messages',
      'gemini',
      'bedrock-converse',
    ],
  },
};
