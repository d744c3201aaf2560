import type { OpaqueState, StateFamily } from '../../../domain/exchange/opaque-state.ts';
import type { IssuedState, ReasoningPart } from '../../../domain/exchange/part.ts';
import type { RestField } from '../../../domain/exchange/request.ts';
import { listOf, nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { noteOdd } from '../shared/rest.ts';
import { unwrapState } from '../shared/state-token.ts';
import { partOfOwn, partsOfDetails, plainState, textOfDetail, UNKNOWN_ORIGIN } from './reasoning.ts';

/*
 * Earlier reasoning that chat clients send back: plain text (`reasoning_content`, `reasoning`), OpenRouter's `reasoning_details`,
 * LiteLLM's `thinking_blocks`. A chat upstream gets each of them unchanged. If the vendor behind a router is known, an upstream that
 * speaks the vendor's own format gets the state that the vendor issued.
 */

type Json = Readonly<Record<string, unknown>>;

/**
 * The family of an item's state, by OpenRouter's format names. OpenAI's is missing on purpose: its encrypted reasoning is
 * bound to the key that it was issued to, and that key is the router's.
 */
const VENDORS: Readonly<Record<string, StateFamily>> = {
  'anthropic-claude-v1': 'anthropic',
  'google-gemini-v1': 'google',
};

const SAID_TWICE = 'the message has the same thoughts in another field';
const BLOCKS_WHY = 'the thoughts are sent as text, and their signatures to the vendor that issued them';

/** Returns the reasoning of one assistant message. If two members hold different texts, the difference is noted. */
export function decodeThoughts(message: Json, path: string, rest: RestField[]): ReasoningPart[] {
  const plains = ['reasoning_content', 'reasoning'].flatMap((key) => {
    const text = nonEmptyText(message[key]);
    noteOdd(message, key, (value) => typeof value === 'string', path, rest);
    return text === null ? [] : [{ key, text }];
  });
  for (const key of ['reasoning_details', 'thinking_blocks']) noteOdd(message, key, Array.isArray, path, rest);
  const blocks = listOf(message.thinking_blocks);
  const parts = detailParts(listOf(message.reasoning_details), `${path}.reasoning_details`);
  if (blocks.length > 0) {
    if (parts.length === 0) parts.push(...blockParts(blocks, `${path}.thinking_blocks`));
    const value = message.thinking_blocks;
    rest.push({ path: `${path}.thinking_blocks`, value, verdict: 'approximated', why: BLOCKS_WHY });
  }
  const said = parts.map((part) => part.text).join('');
  const [plain, ...others] = plains;
  if (plain !== undefined && said === '') {
    const state = plainState(UNKNOWN_ORIGIN);
    parts.unshift({ type: 'reasoning', text: plain.text, state, path: `${path}.${plain.key}` });
  }
  const used = said === '' ? (plain?.text ?? '') : said;
  for (const { key, text } of said === '' ? others : plains) {
    const isSame = withoutSpace(text) === withoutSpace(used);
    const why = isSame ? SAID_TWICE : 'the message has its reasoning twice, with different content';
    rest.push({ path: `${path}.${key}`, value: text, verdict: isSame ? 'approximated' : 'dropped', why });
  }
  return parts;
}

/** Returns a block of the content or of `thinking_blocks`, in Anthropic's shape; `null` for any other block. */
export function thinkingBlock(block: Json, path: string): ReasoningPart | null {
  if (block.type === 'redacted_thinking' && typeof block.data === 'string') {
    return { ...thought('', path), redacted: true, issued: issuedBy('anthropic', block.data) };
  }
  if (block.type !== 'thinking' || typeof block.thinking !== 'string') return null;
  const signature = nonEmptyText(block.signature);
  const part = thought(block.thinking, path);
  return signature === null ? part : { ...part, issued: issuedBy('anthropic', signature) };
}

function thought(text: string, path: string): ReasoningPart {
  return { type: 'reasoning', text, state: plainState(UNKNOWN_ORIGIN), path };
}

function blockParts(blocks: readonly unknown[], path: string): ReasoningPart[] {
  return blocks.flatMap((block) => (isRecord(block) ? (thinkingBlock(block, path) ?? []) : []));
}

/** Returns consecutive items of unknown vendors as one part, and an item of a known vendor as a separate part. */
function detailParts(details: readonly unknown[], path: string): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let others: Json[] = [];
  const flush = () => {
    parts.push(...partsOfDetails(others, UNKNOWN_ORIGIN));
    others = [];
  };
  for (const item of joinedItems(details.filter(isRecord))) {
    const issued = issuedIn(item);
    if (issued === null) others.push(item);
    else {
      flush();
      parts.push({ ...thoughtOfVendor(item), issued });
    }
  }
  flush();
  return parts.map((part) => ({ ...part, path }));
}

/**
 * Returns a signed item without text is a thought that the vendor does not show; only an encrypted item is withheld from the
 * vendor's clients.
 */
function thoughtOfVendor(item: Json): ReasoningPart {
  const { redacted, ...part } = partOfOwn([item], UNKNOWN_ORIGIN);
  return redacted && item.type === 'reasoning.encrypted' ? { ...part, redacted } : part;
}

/**
 * Joins the pieces of a stream that some clients keep apart. They send one thought back as many items with the same position, and
 * only the last has the signature.
 */
function joinedItems(items: readonly Json[]): Json[] {
  const joined: Json[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const goesOn =
      last?.type === 'reasoning.text' &&
      item.type === 'reasoning.text' &&
      last.format === item.format &&
      last.index !== undefined &&
      last.index === item.index &&
      nonEmptyText(last.signature) === null &&
      isVendors(item);
    if (goesOn && last !== undefined) {
      joined[joined.length - 1] = { ...last, ...item, text: textOfDetail(last) + textOfDetail(item) };
    } else joined.push(item);
  }
  return joined;
}

function isVendors({ format }: Json): boolean {
  return typeof format === 'string' && entryOf(VENDORS, format) !== undefined;
}

function issuedIn(item: Json): IssuedState | null {
  const family = typeof item.format === 'string' ? entryOf(VENDORS, item.format) : undefined;
  const data = nonEmptyText(item.type === 'reasoning.encrypted' ? item.data : item.signature);
  // The gateway's own tokens contain their origin.
  if (family === undefined || data === null || unwrapState(data) !== null) return null;
  return issuedBy(family, data, nonEmptyText(item.id));
}

function issuedBy(family: StateFamily, data: string, callId: string | null = null): IssuedState {
  const unknown: OpaqueState = { family, data, provider: null, channel: null };
  return { state: unwrapState(data) ?? unknown, callId };
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
