import { PNG } from '../script.ts';

/* Requests of agents that speak chat completions: Cline, opencode, aider, Cursor (the OpenAI SDKs and the AI SDK). */

const edit = {
  name: 'edit_file',
  description: 'Edits a file.',
  parameters: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { path: { type: 'string' }, search: { type: 'string' }, replace: { type: 'string', default: '' } },
    required: ['path', 'search'],
    additionalProperties: false,
  },
};

/** A tool of an MCP server, with a dot. */
export const MCP_TOOL = 'context7.resolve-library';

const tools = [
  { type: 'function', function: edit },
  { type: 'function', function: { name: MCP_TOOL, description: 'Finds a library.', parameters: { type: 'object' } } },
  { type: 'function', function: { name: 'finish' } },
];

const SYSTEM = 'You are a software engineer.';
const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'auto' } };

/** Returns a request of opencode, which uses the AI SDK. */
export function opencodeRequest(model: string, prompt: string, history: readonly unknown[]) {
  return {
    model,
    max_tokens: 32_000,
    messages: [{ role: 'system', content: SYSTEM }, { role: 'user', content: prompt }, ...history],
    tools,
    tool_choice: 'auto',
    stream: true,
    stream_options: { include_usage: true },
  };
}

const marked = { cache_control: { type: 'ephemeral' } };

/** Returns a request of Cline or Roo: content as arrays, OpenRouter's cache marks, an image. */
export function clineRequest(model: string, prompt: string, withImage: boolean) {
  return {
    model,
    messages: [
      { role: 'system', content: [{ type: 'text', text: SYSTEM, ...marked }] },
      {
        role: 'user',
        content: [{ type: 'text', text: prompt, ...marked }, ...(withImage ? [IMAGE] : [])],
      },
    ],
    temperature: 0,
    max_completion_tokens: 8192,
    reasoning_effort: 'medium',
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: false,
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Returns a request of Cursor: strict tools that must be called, one of them by name, and an earlier turn with array content. */
export function cursorRequest(model: string, prompt: string) {
  return {
    model,
    messages: [
      { role: 'developer', content: SYSTEM },
      { role: 'user', content: [{ type: 'text', text: prompt }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_9', type: 'function', function: { name: 'edit_file', arguments: '{"path":"a","search":"b"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_9', content: [{ type: 'text', text: 'Edited.' }] },
      { role: 'user', content: 'Go on.' },
    ],
    tools: [{ type: 'function', function: { ...edit, strict: false } }],
    tool_choice: { type: 'function', function: { name: 'edit_file' } },
    user: 'cursor-user-1',
    stream: true,
  };
}

/** Returns a request for a structured response, as agents send for plans and titles. */
export function structuredRequest(model: string, prompt: string) {
  return {
    model,
    messages: [{ role: 'user', content: prompt }],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'plan',
        strict: true,
        schema: {
          type: 'object',
          properties: { steps: { type: 'array', items: { type: 'string' } }, risk: { type: ['string', 'null'] } },
          required: ['steps', 'risk'],
          additionalProperties: false,
        },
      },
    },
    stream: false,
  };
}

/** Returns a request of aider with an old configuration: functions, the predecessor of tools. */
export function legacyRequest(model: string, prompt: string) {
  return {
    model,
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: prompt },
      {
        role: 'assistant',
        content: null,
        function_call: { name: 'edit_file', arguments: '{"path":"a","search":"b"}' },
      },
      { role: 'function', name: 'edit_file', content: 'Edited.' },
    ],
    functions: [edit],
    function_call: 'auto',
    temperature: 0,
    stream: true,
  };
}
