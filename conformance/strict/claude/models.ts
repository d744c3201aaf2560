import { describe, expect, test } from 'bun:test';
import { asArray, asObject, parseJson } from '../../shared/json.ts';
import { ANSWER_TEXT } from '../answers.ts';
import { channelTo, type StrictBed, strictBed } from '../bed.ts';
import { hi, OBJECT, result, tool } from '../shared/client-requests.ts';
import { testClients } from '../shared/test-clients.ts';
import { anthropicMessages, bedrockClaude, vertexClaude } from './index.ts';
import { SIGNATURE, WITHHELD } from './reading.ts';

export const UPSTREAMS = [anthropicMessages, vertexClaude, bedrockClaude];

/** Starts a gateway with channels to every upstream of Claude. */
export function claudeBed(): StrictBed {
  return strictBed(UPSTREAMS, (server, upstream) => ({
    ...channelTo(server, upstream),
    formats: [upstream.wire],
    ...(upstream.provider === 'vertex' && { settings: { project: 'a-project' } }),
  }));
}

type Event = Readonly<Record<string, unknown>>;

/** A request of each client format, and how to read the text of one event of its stream. */
const STREAMED = {
  chat: {
    body: { messages: [hi] },
    textIn: ({ choices }: Event) => asObject(asObject(asArray(choices)[0]).delta).content ?? '',
  },
  responses: {
    body: { input: [hi] },
    textIn: ({ type, delta }: Event) => (type === 'response.output_text.delta' ? delta : ''),
  },
  messages: {
    body: { max_tokens: 64, messages: [hi] },
    textIn: ({ delta }: Event) => asObject(delta).text ?? '',
  },
};

/**
 * Describes what models of Claude accept from every client format.
 *
 * @param targets the models, each as `upstream/id`
 */
export function describeClaudeModels(bed: StrictBed, targets: readonly string[]): void {
  const { ask, refusalsOf } = bed;
  describe.each(targets)('%s', (model) => {
    testClients(bed, model);

    test.each(Object.entries(STREAMED))('streams to a %s client', async (client, { body, textIn }) => {
      const { text } = await ask(client as keyof typeof STREAMED, model, { ...body, stream: true });
      const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => asObject(parseJson(data)));
      expect({ said: events.map(textIn).join(''), refusals: bed.server.refusals }).toEqual({
        said: ANSWER_TEXT,
        refusals: [],
      });
    });

    test.each(['chat', 'responses'] as const)('accepts its own thoughts from a %s client', async (client) => {
      const thoughts = [
        { type: 'thinking', thinking: '', signature: SIGNATURE },
        { type: 'redacted_thinking', data: WITHHELD },
      ];
      const content = [...thoughts, { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }];
      const [name = ''] = model.split('/');
      bed.server.script(name, () =>
        Response.json({
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content, stop_reason: 'tool_use' },
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
      );
      const tools = client === 'chat' ? [tool(OBJECT)] : [{ type: 'function', name: 'look_up', parameters: OBJECT }];
      const thinking =
        client === 'chat' ? { reasoning_effort: 'high' } : { reasoning: { effort: 'high' }, store: false };
      const prompt = client === 'chat' ? { messages: [hi] } : { input: [hi] };
      const first = JSON.parse((await ask(client, model, { ...prompt, ...thinking, tools })).text);
      const next =
        client === 'chat'
          ? { messages: [hi, first.choices[0].message, result('toolu_1')] }
          : { input: [hi, ...first.output, { type: 'function_call_output', call_id: 'toolu_1', output: 'x' }] };
      expect(await refusalsOf(client, model, { ...next, ...thinking, tools })).toEqual([]);
    });
  });
}
