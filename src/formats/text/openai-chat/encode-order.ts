import type { Losses } from '../../../domain/exchange/loss.ts';
import { type Quirk, quirkOf, quirksOf } from '../../quirk.ts';
import { listOf } from '../../shared/json/json-values.ts';

type Message = Record<string, unknown>;

/** Mistral's API refuses an assistant message without content, so this replaces an answer that was never given. */
const ACKNOWLEDGEMENT = 'I have the result.';

/**
 * Puts the messages of a chat body into an order that the provider accepts. Leading system messages become one where a later
 * system message is refused, because the templates that refuse it accept exactly one.
 */
export function inAcceptedOrder(messages: readonly Message[], quirks: readonly Quirk[], losses: Losses): Message[] {
  const systemFirst = losses.isExact('system-prompt-midway') ? [...messages] : withOneSystem(messages);
  const rules = new Set(quirksOf(quirks, 'message-order').map(({ rule }) => rule));
  const alternating = rules.has('alternating') ? joined(systemFirst) : systemFirst;
  const answered = rules.has('answered-results') ? withAnsweredResults(alternating, losses) : alternating;
  const prefill = quirkOf(quirks, 'prefill');
  return prefill === undefined ? answered : withPrefill(answered, prefill.member);
}

function withPrefill(messages: readonly Message[], member: string): Message[] {
  const last = messages.at(-1);
  const isPrefill = last !== undefined && isPlainAnswer(last) && last[member] === undefined;
  return isPrefill ? [...messages.slice(0, -1), { ...last, [member]: true }] : [...messages];
}

function withOneSystem(messages: readonly Message[]): Message[] {
  const found = messages.findIndex((message) => !isInstruction(message));
  const count = found < 0 ? messages.length : found;
  return count < 2 ? [...messages] : [messages.slice(0, count).reduce(merged), ...messages.slice(count)];
}

/** Joins consecutive user messages, and consecutive assistant messages without calls. */
function joined(messages: readonly Message[]): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last !== undefined && mayJoin(last, message)) out[out.length - 1] = merged(last, message);
    else out.push(message);
  }
  return out;
}

function mayJoin(last: Message, message: Message): boolean {
  return last.role === message.role && (last.role === 'user' || isPlainAnswer(last));
}

function isPlainAnswer({ role, tool_calls: calls }: Message): boolean {
  return role === 'assistant' && calls === undefined;
}

/** Adds a short assistant answer between a tool result and the next user message. */
function withAnsweredResults(messages: readonly Message[], losses: Losses): Message[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'user' || messages[index - 1]?.role !== 'tool') return [message];
    losses.note({
      field: 'messages',
      verdict: 'approximated',
      why: 'the provider rejects a user message after a tool result, so a short assistant message is put between them',
    });
    return [{ role: 'assistant', content: ACKNOWLEDGEMENT }, message];
  });
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Returns the members of the first message, with the content of both. */
function merged(first: Message, second: Message): Message {
  const { content: before } = first;
  const { content: after } = second;
  if (typeof before === 'string' && typeof after === 'string') {
    const texts = [before, after].filter((text) => text !== '');
    return { ...second, ...first, content: texts.join('\n\n') };
  }
  return { ...second, ...first, content: [...blocksOf(before), ...blocksOf(after)] };
}

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content);
}
