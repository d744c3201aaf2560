import type { Foundation, PlacedThought } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState, StateFamily } from '../../../domain/exchange/opaque-state.ts';
import type { ReasoningPart } from '../../../domain/exchange/part.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { textOrNull } from '../../shared/json/json-values.ts';

/*
 * Wraps reasoning state of one family for the field in which another format has its own (a thinking block's `signature`, a
 * reasoning item's `encrypted_content`, a part's `thoughtSignature`): a client returns it unread, and the gateway finds its
 * origin in it. The whole token is standard base64, the only encoding that all of these fields allow.
 */

/**
 * The beginning of every token. 18 bytes become 24 base64 characters whatever follows, so the marker can be searched for in raw
 * bytes.
 */
export const STATE_MARKER = btoa('switchyard/state1:');

const FAMILIES: ReadonlySet<unknown> = new Set<StateFamily>([
  'anthropic',
  'google',
  'openai-responses',
  'openai-chat',
  'cohere',
]);

/**
 * The most characters of thoughts in one token; longer thoughts can be restored only from the gateway's memory. Models think up
 * to about 32,000 tokens, and a client sends the token again with every turn.
 */
export const MOST_SEALED_CHARACTERS = 256 * 1024;

type Wrapped = readonly [StateFamily, string | null, string | null, string, string?, Kind?];
/** Whether a sealed text is a summary or is withheld by its vendor. */
type Kind = 'summary' | 'redacted';
type Place = 'before-text' | 'text' | 'before-call' | 'call';

/** A thought with its state. */
export type SealedThought = ReasoningPart & { readonly state: OpaqueState };

export function wrapState(state: OpaqueState): string {
  return tokenOf(wrapped(state));
}

/** Wraps a thought whose text the client must not see, or may lose: the token includes the text. */
export function wrapThought(thought: SealedThought): string {
  return tokenOf(thought.text.length > MOST_SEALED_CHARACTERS ? wrapped(thought.state) : sealed(thought));
}

/**
 * Returns whether a thought that a client returns without text is withheld by its vendor, as opposed to a mere carrier of state.
 * Claude also signs thoughts whose text it does not show; tokens record which of its thoughts are withheld.
 */
export function isWithheld({ text, redacted, state }: Pick<SealedThought, 'text' | 'redacted' | 'state'>): boolean {
  return redacted === true || (text === '' && state.family !== 'anthropic');
}

/** Wraps everything that a part of an answer is based on, for the one field that accompanies the part. */
export function wrapFoundation({ beforeText, text, beforeCall, state }: Foundation): string {
  const length = [...beforeText, ...beforeCall].reduce((sum, thought) => sum + thought.text.length, 0);
  const listed = (place: Place, thoughts: readonly PlacedThought[]) =>
    thoughts.flatMap((thought) => (hasState(thought) ? [[placeOf(place, thought), ...sealed(thought)]] : []));
  const alone = (place: Place, own: OpaqueState | undefined) => (own === undefined ? [] : [[place, ...wrapped(own)]]);
  const isShort = length <= MOST_SEALED_CHARACTERS;
  return tokenOf([
    ...listed('before-text', isShort ? beforeText : []),
    ...alone('text', text),
    ...listed('before-call', isShort ? beforeCall : []),
    ...alone('call', state),
  ]);
}

/** Returns `null` for a text that is not one of the gateway's tokens; for a foundation's token, the part's own state. */
export function unwrapState(token: string): OpaqueState | null {
  const foundation = unwrapFoundation(token);
  if (foundation === null) return stateIn(listIn(token));
  const { state, text, beforeCall, beforeText } = foundation;
  return state ?? text ?? [...beforeText, ...beforeCall].at(-1)?.state ?? null;
}

/** Returns the thought in a token, without text if the token has only its state; `null` for any other text. */
export function unwrapThought(token: string): SealedThought | null {
  const thought = thoughtIn(listIn(token));
  if (thought !== null) return thought;
  const state = unwrapState(token);
  return state === null ? null : { type: 'reasoning', text: '', state };
}

/** Returns `null` for a text that is not a token of this kind. */
export function unwrapFoundation(token: string): Foundation | null {
  const entries = listIn(token);
  if (entries === null || entries.length === 0 || !entries.every(Array.isArray)) return null;
  const at = (place: Place) =>
    entries.flatMap(([where, ...value]): (PlacedThought & SealedThought)[] => {
      const [, named, after] = PLACE.exec(String(where)) ?? [];
      const thought = named === place ? thoughtIn(value) : null;
      if (thought === null) return [];
      return [after === undefined ? thought : { ...thought, after: Number(after) }];
    });
  return {
    beforeText: at('before-text'),
    text: at('text')[0]?.state,
    beforeCall: at('before-call'),
    state: at('call')[0]?.state,
  };
}

/** A place, and the number of characters of text before a thought there. */
const PLACE = /^([a-z-]+)(?:@(\d{1,15}))?$/;

function placeOf(place: Place, { after }: PlacedThought): string {
  return after === undefined ? place : `${place}@${after}`;
}

function hasState(thought: ReasoningPart): thought is SealedThought {
  return thought.state !== undefined;
}

function wrapped({ family, data, provider, channel }: OpaqueState): Wrapped {
  return [family, provider, channel, data];
}

/** Wraps a thought with its text. OpenAI's state is the whole item, including what it displays. */
function sealed({ state, text, summary, redacted }: SealedThought): Wrapped {
  const [family, provider, channel, data] = wrapped(state);
  if (redacted) return [family, provider, channel, data, '', 'redacted'];
  if (text === '' || family === 'openai-responses') return [family, provider, channel, data];
  return summary ? [family, provider, channel, data, text, 'summary'] : [family, provider, channel, data, text];
}

function tokenOf(value: unknown): string {
  return STATE_MARKER + Buffer.from(JSON.stringify(value)).toString('base64');
}

function listIn(token: string): unknown[] | null {
  if (!token.startsWith(STATE_MARKER)) return null;
  const value = parseJson(Buffer.from(token.slice(STATE_MARKER.length), 'base64').toString());
  return Array.isArray(value) ? value : null;
}

function stateIn(value: readonly unknown[] | null): OpaqueState | null {
  const [family, provider, channel, data] = value ?? [];
  if (!isFamily(family) || typeof data !== 'string') return null;
  return { family, data, provider: textOrNull(provider), channel: textOrNull(channel) };
}

function thoughtIn(value: readonly unknown[] | null): SealedThought | null {
  const state = stateIn(value);
  if (state === null) return null;
  const [, , , , text, kind] = value ?? [];
  return {
    type: 'reasoning',
    text: typeof text === 'string' ? text : '',
    ...(kind === 'summary' ? { summary: true } : {}),
    ...(kind === 'redacted' ? { redacted: true } : {}),
    state,
  };
}

/**
 * Returns the state in a field that natively holds `family`'s own: a token states its origin, anything else belongs to the
 * family.
 */
export function stateInField(text: string, family: StateFamily): OpaqueState {
  return unwrapState(text) ?? { family, data: text, provider: null, channel: null };
}

/**
 * Returns the text for a field that natively holds `family`'s state: the family's own bytes, or a token around another family's.
 */
export function stateForField(state: OpaqueState, family: StateFamily): string {
  return state.family === family ? state.data : wrapState(state);
}

function isFamily(value: unknown): value is StateFamily {
  return FAMILIES.has(value);
}
