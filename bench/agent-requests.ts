import { modelName } from './load/mock-answers.ts';
import { noncePlaceholder } from './load/protocol.ts';

export const agentFormats = ['chat', 'responses', 'messages'] as const;
export type AgentFormat = (typeof agentFormats)[number];

const TOOLS = 20;
const MAX_TOKENS = 8_000;
const RESULT =
  'export function parse(path: string): Tree {\n  const lines = read(path).split("\\n");\n  return lines.map((line) => node(line));\n}\n';
const QUESTION = `Request ${noncePlaceholder}: find out why the parser drops the last line, and fix it.`;

/** A tool call and its result, about a kilobyte; the index makes ids unique. */
interface Step {
  readonly id: string;
  readonly input: { readonly file_path: string; readonly limit: number };
  readonly said: string;
  readonly result: string;
}

function steps(bytes: number): Step[] {
  return Array.from({ length: Math.ceil(bytes / 1_350) }, (_, index) => ({
    id: `call_${String(index).padStart(6, '0')}`,
    input: { file_path: `/home/dev/project/src/formats/part-${index}.ts`, limit: 200 },
    said: `I look at part ${index} of the parser, since the input_lines that it reads come from there.`,
    result: RESULT.repeat(7),
  }));
}

function schemaOf(index: number): object {
  return {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: `The absolute path of the file that tool ${index} reads.` },
      limit: { type: 'integer', description: 'The most lines to return.', minimum: 1 },
      mode: { type: 'string', enum: ['read', 'write', 'append'] },
    },
    required: ['file_path'],
    additionalProperties: false,
  };
}

const DESCRIPTION = 'Reads or changes a file in the workspace and reports what it found. Use it before you guess.';
const tools = Array.from({ length: TOOLS }, (_, index) => ({ name: `tool_${index}`, parameters: schemaOf(index) }));

/** Returns a request of a coding agent in the middle of its work, as JSON text: a conversation of about `bytes`, and 20 tools. */
export function agentRequest(format: AgentFormat, bytes: number): string {
  const model = modelName('bench');
  switch (format) {
    case 'chat':
      return JSON.stringify({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: QUESTION }, ...steps(bytes).flatMap(chatTurns)],
        tools: tools.map((tool) => ({ type: 'function', function: { ...tool, description: DESCRIPTION } })),
      });
    case 'responses':
      return JSON.stringify({
        model,
        max_output_tokens: MAX_TOKENS,
        store: false,
        input: [{ role: 'user', content: [{ type: 'input_text', text: QUESTION }] }, ...steps(bytes).flatMap(items)],
        tools: tools.map((tool) => ({ type: 'function', ...tool, description: DESCRIPTION, strict: false })),
      });
    case 'messages':
      return JSON.stringify({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: QUESTION }, ...steps(bytes).flatMap(messageTurns)],
        tools: tools.map(({ name, parameters }) => ({ name, description: DESCRIPTION, input_schema: parameters })),
      });
  }
}

function chatTurns({ id, input, said, result }: Step): object[] {
  const call = { id, type: 'function', function: { name: 'tool_0', arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: said, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

function items({ id, input, said, result }: Step): object[] {
  return [
    { role: 'assistant', content: [{ type: 'output_text', text: said }] },
    { type: 'function_call', call_id: id, name: 'tool_0', arguments: JSON.stringify(input) },
    { type: 'function_call_output', call_id: id, output: result },
  ];
}

function messageTurns({ id, input, said, result }: Step): object[] {
  return [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: said },
        { type: 'tool_use', id, name: 'tool_0', input },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
  ];
}
