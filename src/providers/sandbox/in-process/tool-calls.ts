import { inputFor } from './arguments.ts';
import { isAboutLookup, mentionsOf } from './mentions.ts';
import type { Turn } from './prompt.ts';
import { type ChatRequest, type Tool, toolOf } from './request.ts';

export interface ToolCall {
  readonly kind: Tool['kind'];
  readonly name: string;
  /** JSON for a function, free text for a custom tool. */
  readonly input: string;
}

/** The request's tool choice names a tool that it does not offer. */
export class UnknownToolError extends Error {}

/** The tools that may be called, and whether one has to be. */
interface Choice {
  readonly tools: readonly Tool[];
  readonly isRequired: boolean;
}

/**
 * Returns the calls of this round: those that the prompt asks for, otherwise the one that `tool_choice` requires. An agent's
 * tools have effects, so none is called because of the subject of a prompt, except for a single tool that only looks something
 * up, as in the first example of every API. A prompt gets one round, and one more for each `then`; a required call uses a tool
 * that the turn has not called yet, so that every loop ends.
 */
export function toolCallsOf(request: ChatRequest, turn: Turn): ToolCall[] {
  const { tools, isRequired } = choiceOf(request);
  if (tools.length === 0) return [];
  const wanted = mentionsOf(tools, turn.prompt).filter(({ round }) => round === turn.round);
  const calls = wanted.map(({ tool, given }) => callOf(tool, given, turn.prompt));
  if (calls.length > 0) return request.parallel_tool_calls === false ? calls.slice(0, 1) : calls;
  const open = isRequired || isLookup(request, turn) ? tools : [];
  const next = open.find(({ kind, name }) => !turn.called.has(`${kind} ${name}`));
  return next === undefined ? [] : [callOf(next, null, turn.prompt)];
}

function isLookup({ tools }: ChatRequest, { prompt, round }: Turn): boolean {
  const [only, ...others] = tools ?? [];
  return round === 0 && only !== undefined && others.length === 0 && isAboutLookup(toolOf(only), prompt);
}

function callOf(tool: Tool, given: string | null, prompt: string): ToolCall {
  return { kind: tool.kind, name: tool.name, input: inputFor(tool, given, prompt) };
}

function choiceOf(request: ChatRequest): Choice {
  const tools = (request.tools ?? []).map(toolOf);
  const choice = request.tool_choice ?? 'auto';
  if (choice === 'none') return { tools: [], isRequired: false };
  if (choice === 'auto') return { tools, isRequired: false };
  if (choice === 'required') return required(tools);
  if (choice.type !== 'allowed_tools') return required([offered(toolOf(choice), tools)]);
  const { mode, tools: entries } = choice.allowed_tools;
  const allowed = entries.map((entry) => offered(toolOf(entry), tools));
  return mode === 'required' ? required(allowed) : { tools: allowed, isRequired: false };
}

function required(tools: readonly Tool[]): Choice {
  if (tools.length === 0) throw new UnknownToolError("A tool is 'required', but the request has none.");
  return { tools, isRequired: true };
}

/** Returns the declared tool: a choice contains only its name. */
function offered(named: Tool, tools: readonly Tool[]): Tool {
  const tool = tools.find(({ kind, name }) => kind === named.kind && name === named.name);
  if (tool === undefined) throw new UnknownToolError(`The tool '${named.name}' is chosen, but not in 'tools'.`);
  return tool;
}
