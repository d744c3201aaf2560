import { landscape } from './pictures.ts';

/* The same conversation in each client's format, for the captures of the demo. */

const SYSTEM = 'You review the firmware of a delivery robot. Be brief, and name the file to change.';
const QUESTION = 'The left wheel slips on this ramp after rain. What should I check first?';
const THOUGHT = 'The log may show whether the slip begins before or after the torque limit.';
const CALL = { id: 'call_demo_1', name: 'read_log', arguments: { file: 'wheel-left.log', last_lines: 3 } };
const RESULT = '12:04:11 slip=0.31 torque=4.2\n12:04:12 slip=0.44 torque=2.1 limited\n12:04:13 slip=0.12 torque=2.0';
const REASONING = 'The slip rises a second before the limiter reacts, so its window is too long.';
const ANSWER =
  'Check the traction limiter first: it reacts one second after the slip begins.\n\nIn `drive/traction.rs`, lower `SLIP_WINDOW_MS` from 1000 to 200, and test it on the wet ramp again.';
const PIECES = ANSWER.match(/.{1,40}/gs) ?? [];
const TOOL = {
  name: CALL.name,
  description: 'Reads the last lines of a log of the robot.',
  schema: { type: 'object', properties: { file: { type: 'string' }, last_lines: { type: 'integer' } } },
};
const WIDTH = 240;
const HEIGHT = 150;

/** The bodies of one format. */
interface Bodies {
  request(model: string, picture: string): object;
  answer(model: string): object;
  /** The data of the events of a stream; an event with a `type` has it as its name. */
  events(model: string): readonly object[];
}

const usage = { input: 412, output: 96 };
const openaiUsage = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: 508 };

const openaiChat: Bodies = {
  request: (model, picture) => ({
    model,
    messages: [
      { role: 'system', content: SYSTEM },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          { type: 'text', text: QUESTION },
        ],
      },
      {
        ...{ role: 'assistant', content: null, reasoning_content: THOUGHT },
        tool_calls: [
          { id: CALL.id, type: 'function', function: { name: CALL.name, arguments: JSON.stringify(CALL.arguments) } },
        ],
      },
      { role: 'tool', tool_call_id: CALL.id, content: RESULT },
    ],
    tools: [
      { type: 'function', function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema } },
    ],
  }),
  answer: (model) => {
    const message = { role: 'assistant', content: ANSWER, reasoning_content: REASONING };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return { id: 'chatcmpl-demo', object: 'chat.completion', model, choices, usage: openaiUsage };
  },
  events: (model) => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...{ id: 'chatcmpl-demo', object: 'chat.completion.chunk', model },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const texts = PIECES.map((content) => chunk({ content }));
    return [chunk({ role: 'assistant', reasoning_content: REASONING }), ...texts, chunk({}, 'stop')];
  },
};

const output = [
  { type: 'reasoning', id: 'rs_demo', summary: [{ type: 'summary_text', text: REASONING }] },
  {
    ...{ type: 'message', id: 'msg_demo', role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
  },
];

const openaiResponses: Bodies = {
  request: (model, picture) => ({
    model,
    instructions: SYSTEM,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${picture}` },
          { type: 'input_text', text: QUESTION },
        ],
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: THOUGHT }] },
      { type: 'function_call', call_id: CALL.id, name: CALL.name, arguments: JSON.stringify(CALL.arguments) },
      { type: 'function_call_output', call_id: CALL.id, output: RESULT },
    ],
    tools: [{ type: 'function', name: TOOL.name, description: TOOL.description, parameters: TOOL.schema }],
  }),
  answer: (model) => ({
    ...{ id: 'resp_demo', object: 'response', status: 'completed', model, output },
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
  events: (model) => [
    { type: 'response.output_item.added', output_index: 0, item: { ...output[0], summary: [] } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: REASONING },
    { type: 'response.output_item.added', output_index: 1, item: { ...output[1], content: [] } },
    ...PIECES.map((delta) => ({ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta })),
    { type: 'response.completed', response: openaiResponses.answer(model) },
  ],
};

const anthropicMessages: Bodies = {
  request: (model, picture) => ({
    ...{ model, max_tokens: 2_000, system: SYSTEM },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
          { type: 'text', text: QUESTION },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: THOUGHT, signature: 'demo' },
          { type: 'tool_use', id: CALL.id, name: CALL.name, input: CALL.arguments },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: CALL.id, content: RESULT }] },
    ],
    tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema }],
  }),
  answer: (model) => ({
    ...{ id: 'msg_demo', type: 'message', role: 'assistant', model, stop_reason: 'end_turn' },
    content: [
      { type: 'thinking', thinking: REASONING, signature: 'demo' },
      { type: 'text', text: ANSWER },
    ],
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
  events: (model) => [
    { type: 'message_start', message: { ...anthropicMessages.answer(model), content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: REASONING } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ...PIECES.map((text) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: usage.output } },
    { type: 'message_stop' },
  ],
};

const BODIES: Readonly<Record<string, Bodies>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
};

export interface DemoExchange {
  readonly request: string;
  readonly answer: string;
}

/** Returns the bodies of an exchange; `null` for a format without one. */
export function demoExchange(format: string, model: string, stream: boolean): DemoExchange | null {
  const bodies = Object.hasOwn(BODIES, format) ? BODIES[format] : undefined;
  if (bodies === undefined) return null;
  const request = { ...bodies.request(model, picture()), ...(stream && { stream }) };
  const answer = stream ? bodies.events(model).map(eventText).join('') : JSON.stringify(bodies.answer(model));
  return { request: JSON.stringify(request), answer };
}

function eventText(event: object): string {
  const name = 'type' in event ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

let ramp: string | undefined;

function picture(): string {
  ramp ??= landscape('a wet ramp', WIDTH, HEIGHT).toString('base64');
  return ramp;
}
