import type { Losses } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import { withPairedResults } from './paired-results.ts';

const BEGIN = 'Begin.';
const CONTINUE = 'Continue.';
const FIRST = 'the conversation must begin with a user message, so a short one is added before the first answer';
const LAST = 'the model does not continue a prefilled answer, so a short user message asks it to';

/**
 * Returns the conversation for an API in which user and assistant must alternate: it begins with the user, ends with the user
 * unless the model continues an answer (`prefill`), and each result follows its call.
 */
export function inTurnOrder(messages: readonly Message[], prefill: boolean, losses: Losses): readonly Message[] {
  const first = messages.findIndex((message) => !isInstruction(message));
  const last = messages.findLast((message) => !isInstruction(message));
  if (first < 0 || last === undefined) return messages;
  const ordered = [...messages];
  if (last.role === 'assistant' && (!prefill || hasCalls(last))) {
    ordered.push(said(CONTINUE));
    losses.note({ field: last.path ?? 'messages', verdict: 'approximated', why: LAST });
  }
  if (messages[first]?.role === 'assistant') {
    ordered.splice(first, 0, said(BEGIN));
    losses.note({ field: messages[first].path ?? 'messages', verdict: 'approximated', why: FIRST });
  }
  return withPairedResults(ordered.length === messages.length ? messages : ordered, losses);
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

function hasCalls({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool-call');
}

function said(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text }] };
}
