import type { Losses } from '../../../domain/exchange/loss.ts';
import { type Quirk, quirksOf } from '../../quirk.ts';

export type Block = Readonly<Record<string, unknown>>;

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

const ACKNOWLEDGEMENT = 'I have the result.';
const CONTINUE = 'Continue.';

/**
 * Splits turns for models that refuse text in the same turn as calls ("Conversation blocks and tool use blocks cannot be provided
 * in the same turn") or as results. They become two turns, with a short one of the other role between them.
 */
export function withTurnsApart(turns: readonly Turn[], quirks: readonly Quirk[], losses: Losses): readonly Turn[] {
  const rules = quirksOf(quirks, 'message-order');
  const ofCalls = rules.find(({ rule }) => rule === 'calls-apart');
  const ofResults = rules.find(({ rule }) => rule === 'answered-results');
  if (ofCalls === undefined && ofResults === undefined) return turns;
  return turns.flatMap((turn) => {
    const isUser = turn.role === 'user';
    const quirk = isUser ? ofResults : ofCalls;
    const words = turn.content.filter(isConversation);
    if (quirk === undefined || words.length === 0 || words.length === turn.content.length) return [turn];
    const others = { ...turn, content: turn.content.filter((block) => !isConversation(block)) };
    const isApart = others.content.some((block) => 'toolUse' in block || 'toolResult' in block);
    if (!isApart) return [turn];
    losses.note({ field: 'messages', verdict: 'approximated', why: quirk.why });
    const said = { ...turn, content: words };
    return isUser
      ? [others, { role: 'assistant', content: [{ text: ACKNOWLEDGEMENT }] }, said]
      : [said, { role: 'user', content: [{ text: CONTINUE }] }, others];
  });
}

/** Returns whether Bedrock counts the block as a conversation block. Reasoning stays with the calls that it led to. */
function isConversation(block: Block): boolean {
  return ['text', 'image', 'document', 'video', 'audio'].some((member) => member in block);
}
