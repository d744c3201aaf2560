import { type ChatMessage, type ChatRequest, textOf } from './request.ts';

/** The state of the conversation: what the user has asked for, and what has been done. */
export interface Turn {
  /** The user's own words, without what the client's program has put around them. */
  readonly prompt: string;
  /** How many rounds of tool calls there were since. */
  readonly round: number;
  /** The tools that were called in them, by kind and name: `function get_weather`. */
  readonly called: ReadonlySet<string>;
  /** What has come back of the last round, in order; empty while the user waits for a first answer. */
  readonly results: readonly ToolResult[];
}

export interface ToolResult {
  readonly name: string;
  readonly text: string;
}

export function turnOf({ messages }: ChatRequest): Turn {
  const at = promptIndex(messages);
  const prompt = messages[at];
  const since = messages.slice(at + 1);
  const calls = since.flatMap(({ role, tool_calls: made }) => (role === 'assistant' ? (made ?? []) : []));
  return {
    prompt: prompt === undefined ? '' : withoutContext(textOf(prompt)),
    round: since.filter(({ role, tool_calls: made }) => role === 'assistant' && made?.length).length,
    called: new Set(calls.map((call) => `${call.custom === undefined ? 'function' : 'custom'} ${nameOf(call)}`)),
    results: resultsOf(messages),
  };
}

/**
 * Text that a client's program adds in the user's role after results of tools is not a prompt: it would ask again after each
 * round.
 */
function promptIndex(messages: readonly ChatMessage[]): number {
  let at = messages.length - 1;
  for (; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    let before = at - 1;
    while (messages[before]?.role === 'user') before -= 1;
    const answered = messages[before];
    if (answered === undefined || !isToolResult(answered)) return at;
    at = before;
  }
  return at;
}

function isToolResult({ role }: ChatMessage): boolean {
  return role === 'tool' || role === 'function';
}

function resultsOf(messages: readonly ChatMessage[]): ToolResult[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(last + 1).filter(isToolResult);
  if (results.length === 0) return [];
  const names = new Map(
    messages.flatMap(({ tool_calls: calls }) => calls ?? []).map((call) => [call.id, nameOf(call)]),
  );
  return results.map((result) => {
    const id = result.tool_call_id;
    return { name: result.name || names.get(id) || id || 'unknown', text: textOf(result) };
  });
}

/** A result names only the call; the call, in an earlier message, names the tool. */
function nameOf(call: NonNullable<ChatMessage['tool_calls']>[number]): string {
  return (call.function ?? call.custom)?.name ?? '';
}

const TAG = /<(\/?)([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>/gi;
/** In these coding agents put what the user has typed. */
const USERS_OWN = new Set([
  'feedback',
  'prompt',
  'query',
  'question',
  'task',
  'user_message',
  'user_query',
  'user_request',
  'userrequest',
]);

/**
 * The text without its `<tag>…</tag>` blocks: agents put reminders, files and the environment into the user's message that
 * way, and what they name there is not what the user asks for. Linear in the text, however many tags are open.
 */
export function withoutContext(text: string): string {
  const tags = [...text.matchAll(TAG)].filter(([, , name = '']) => !USERS_OWN.has(name.toLowerCase()));
  const ends = new Map<string, number[]>();
  for (const { 0: tag, 1: slash, 2: name = '', index } of tags.toReversed()) {
    if (slash !== '/') continue;
    const known = ends.get(name);
    if (known === undefined) ends.set(name, [index + tag.length]);
    else known.push(index + tag.length);
  }
  let kept = '';
  let from = 0;
  for (const { 1: slash, 2: name = '', index } of tags) {
    if (slash === '/' || index < from) continue;
    // The nearest end is the last of the list.
    const left = ends.get(name) ?? [];
    while (left.length > 0 && (left.at(-1) ?? 0) <= index) left.pop();
    const end = left.at(-1);
    if (end === undefined) continue;
    kept += `${text.slice(from, index)} `;
    from = end;
  }
  return (kept + text.slice(from)).trim();
}
