import { type ChatMessage, type ChatRequest, textOf } from './request.ts';

/** The state of the conversation: the user's request, and what has been done. */
export interface Turn {
  /** The user's own words, without the context that the client's program adds. */
  readonly prompt: string;
  /** The number of tool call rounds since the prompt. */
  readonly round: number;
  /** The tools called in those rounds, by kind and name: `function get_weather`. */
  readonly called: ReadonlySet<string>;
  /** The results of the last round, in order; empty while the user waits for a first answer. */
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
 * Returns the index of the prompt. Text that a client's program adds in the user's role after tool results is not a prompt: it
 * would repeat the request after each round.
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

/** Returns the tool's name: a result refers only to the call, and the call, in an earlier message, names the tool. */
function nameOf(call: NonNullable<ChatMessage['tool_calls']>[number]): string {
  return (call.function ?? call.custom)?.name ?? '';
}

const TAG = /<(\/?)([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>/gi;
/** Tags in which coding agents put what the user has typed. */
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
 * Removes `<tag>…</tag>` blocks: agents use them for reminders, files and the environment in the user's message, and names in
 * there are not the user's requests. Linear in the text's length, however many tags are open.
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
    // The nearest end is the last in the list.
    const left = ends.get(name) ?? [];
    while (left.length > 0 && (left.at(-1) ?? 0) <= index) left.pop();
    const end = left.at(-1);
    if (end === undefined) continue;
    kept += `${text.slice(from, index)} `;
    from = end;
  }
  return (kept + text.slice(from)).trim();
}
