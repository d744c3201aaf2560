import { instanceOf } from '../shared/json-schema/instance.ts';
import { REASONING_MODEL } from './models.ts';
import { type ChatMessage, type ChatRequest, type Tool, textOf, toolOf } from './request.ts';

const QUOTED_CHARACTERS = 200;
const SYNTHETIC = 'This is a synthetic answer from the Switchyard sandbox; no AI model was asked.';
const HOW_TO_GET_REAL_ONES = 'Add a provider key (for example OPENAI_API_KEY) or a channel to get real answers.';

export interface ToolCall {
  readonly kind: Tool['kind'];
  readonly name: string;
  /** JSON for a function, free text for a custom tool. */
  readonly input: string;
}

/** What the sandbox says, before limits; a function of the request alone. */
export interface Answer {
  readonly reasoning: string | null;
  readonly text: string | null;
  readonly toolCalls: readonly ToolCall[];
}

/** The request asks for a tool that it does not offer. */
export class UnknownToolError extends Error {}

export function composeAnswer(request: ChatRequest): Answer {
  const reasoning =
    request.model === REASONING_MODEL
      ? 'Synthetic reasoning: there is nothing to think about, the sandbox only quotes the last message.'
      : null;
  const tools = toolsToCall(request);
  if (tools.length > 0) return { reasoning, text: null, toolCalls: tools.map(callOf) };
  return { reasoning, text: textAnswer(request), toolCalls: [] };
}

function textAnswer(request: ChatRequest): string {
  const format = request.response_format;
  if (format?.type === 'json_schema' && format.json_schema.schema !== undefined) {
    return JSON.stringify(instanceOf(format.json_schema.schema));
  }
  if (format !== undefined && format !== null && format.type !== 'text') {
    return JSON.stringify({ synthetic: true, note: `${SYNTHETIC} ${HOW_TO_GET_REAL_ONES}` });
  }
  const last = request.messages.at(-1);
  const said =
    last !== undefined && isToolResult(last)
      ? `The tool ${JSON.stringify(toolNameOf(last, request))} returned: ${quote(textOf(last))}.`
      : `You said: ${quote(lastUserText(request))}.`;
  return `${SYNTHETIC} ${said} ${HOW_TO_GET_REAL_ONES}`;
}

function quote(text: string): string {
  const characters = [...text.slice(0, 2 * QUOTED_CHARACTERS)];
  return `"${characters.slice(0, QUOTED_CHARACTERS).join('')}"`;
}

function isToolResult(message: ChatMessage): boolean {
  return message.role === 'tool' || message.role === 'function';
}

/** A result names only the call; the call, in an earlier message, names the tool. */
function toolNameOf(result: ChatMessage, request: ChatRequest): string {
  if (result.name) return result.name;
  for (const { tool_calls: calls } of request.messages) {
    const call = calls?.find(({ id }) => id === result.tool_call_id);
    const named = call?.function ?? call?.custom;
    if (typeof named === 'object' && named !== null && 'name' in named) return String(named.name);
  }
  return result.tool_call_id ?? 'unknown';
}

function lastUserText(request: ChatRequest): string {
  const message = request.messages.findLast(({ role }) => role === 'user');
  return message === undefined ? '' : textOf(message);
}

function toolsToCall(request: ChatRequest): Tool[] {
  const tools = (request.tools ?? []).map(toolOf);
  const choice = request.tool_choice ?? 'auto';
  if (choice === 'none') return [];
  if (typeof choice === 'string') return mentionedTools(tools, choice === 'required', request);
  if (choice.type !== 'allowed_tools') return [offered(toolOf(choice), tools)];
  const { mode, tools: allowed } = choice.allowed_tools;
  const some = allowed.map((entry) => offered(toolOf(entry), tools));
  return mentionedTools(some, mode === 'required', request);
}

/** The tools that the last user message speaks of; the first of all when there must be one. */
function mentionedTools(tools: readonly Tool[], isRequired: boolean, request: ChatRequest): Tool[] {
  const last = request.messages.at(-1);
  if (!isRequired && last !== undefined && isToolResult(last)) return [];

  const words = new Set(
    lastUserText(request)
      .toLowerCase()
      .split(/[^a-z0-9_-]+/),
  );
  const mentioned = tools.filter((tool) => words.has(tool.name.toLowerCase()));
  const wanted = mentioned.length === 0 && isRequired ? tools.slice(0, 1) : mentioned;
  if (wanted.length === 0 && isRequired) throw new UnknownToolError("A tool is 'required', but there is none.");
  return request.parallel_tool_calls === false ? wanted.slice(0, 1) : wanted;
}

/** A choice only names a tool; what it takes stands in the request's list of tools. */
function offered(named: Tool, tools: readonly Tool[]): Tool {
  const tool = tools.find(({ kind, name }) => kind === named.kind && name === named.name);
  if (tool === undefined) throw new UnknownToolError(`The tool '${named.name}' is chosen, but not in 'tools'.`);
  return tool;
}

function callOf(tool: Tool): ToolCall {
  if (tool.kind === 'custom') return { kind: tool.kind, name: tool.name, input: 'synthetic input' };
  const schema = tool.parameters ?? { type: 'object' };
  return { kind: tool.kind, name: tool.name, input: JSON.stringify(instanceOf(schema)) };
}
