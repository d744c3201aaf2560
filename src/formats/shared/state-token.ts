import type { OpaqueState, StateFamily } from '../../domain/exchange/opaque-state.ts';
import { textOrNull } from './json-values.ts';

/*
 * Reasoning state of one family inside the field that another format has for its own (a thinking block's `signature`, a
 * reasoning item's `encrypted_content`, a part's `thoughtSignature`): a client brings it back unread, and the gateway finds
 * the origin in it. The whole token is standard base64, since that is all that every one of these fields may hold.
 */

/** What every token begins with. 18 bytes make 24 characters of base64 whatever follows, so it can be searched for in raw bytes. */
export const STATE_MARKER = btoa('switchyard/state1:');

const FAMILIES: ReadonlySet<unknown> = new Set<StateFamily>([
  'anthropic',
  'google',
  'openai-responses',
  'openai-chat',
  'cohere',
]);

export function wrapState({ family, data, provider, channel }: OpaqueState): string {
  return STATE_MARKER + Buffer.from(JSON.stringify([family, provider, channel, data])).toString('base64');
}

/** `null` for a text that is no token of the gateway's. */
export function unwrapState(token: string): OpaqueState | null {
  if (!token.startsWith(STATE_MARKER)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(token.slice(STATE_MARKER.length), 'base64').toString());
    if (!Array.isArray(value)) return null;
    const [family, provider, channel, data]: unknown[] = value;
    if (!isFamily(family) || typeof data !== 'string') return null;
    return { family, data, provider: textOrNull(provider), channel: textOrNull(channel) };
  } catch {
    return null;
  }
}

/** The state in a field that natively holds `family`'s own: a token says its origin, anything else is the family's. */
export function stateInField(text: string, family: StateFamily): OpaqueState {
  return unwrapState(text) ?? { family, data: text, provider: null, channel: null };
}

/** What a field that natively holds `family`'s state is to say: the family's own bytes, or a token around another's. */
export function stateForField(state: OpaqueState, family: StateFamily): string {
  return state.family === family ? state.data : wrapState(state);
}

function isFamily(value: unknown): value is StateFamily {
  return FAMILIES.has(value);
}
