import { asArray, asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest } from '../rule.ts';

/* Helpers that read Messages requests, and parts for examples. */

export const CHECKED = '2026-11-28';

export type Wire = Readonly<Record<string, unknown>>;

export interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Wire[];
  /** The content is a text or a non-empty list. */
  readonly isFilled: boolean;
}

export const bodyOf = ({ body }: ReceivedRequest): Wire => asObject(body);

export function turnsOf(request: ReceivedRequest): readonly Turn[] {
  return asArray(bodyOf(request).messages).map((message) => {
    const { role, content } = asObject(message);
    return {
      role,
      blocks: blocksIn(content),
      isFilled: typeof content === 'string' ? content !== '' : blocksIn(content).length > 0,
    };
  });
}

/** Returns the blocks of a content, a system prompt or a result; a text is one block. */
export function blocksIn(content: unknown): readonly Wire[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content).map(asObject);
}

export interface PlacedBlock {
  readonly block: Wire;
  readonly path: string;
}

/**
 * Returns all blocks of the conversation, including those of tool results, with their paths as in the API's
 * messages.
 */
export function allBlocks(request: ReceivedRequest): readonly PlacedBlock[] {
  return turnsOf(request).flatMap(({ blocks }, turn) =>
    blocks.flatMap((block, at) => {
      const path = `messages.${turn}.content.${at}`;
      const inner = block.type === 'tool_result' ? blocksIn(block.content) : [];
      return [
        { block, path },
        ...inner.map((one, index) => ({ block: one, path: `${path}.tool_result.content.${index}` })),
      ];
    }),
  );
}

export function toolsOf(request: ReceivedRequest): readonly Wire[] {
  return asArray(bodyOf(request).tools).map(asObject);
}

export function isCustom({ type }: Wire): boolean {
  return type === undefined || type === 'custom';
}

export function isCount({ path }: ReceivedRequest): boolean {
  return /count[-_]tokens/.test(path);
}

// ---- examples

export const user = (content: unknown = 'Hi') => ({ role: 'user', content });
export const assistant = (content: unknown = 'Hello.') => ({ role: 'assistant', content });
export const text = (words = 'Hi', more: object = {}) => ({ type: 'text', text: words, ...more });
export const call = (id = 'toolu_1', name = 'look_up') => ({ type: 'tool_use', id, name, input: {} });
export const result = (id = 'toolu_1', content: unknown = 'found') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
export const tool = (more: object = {}) => ({
  name: 'look_up',
  input_schema: { type: 'object', properties: {} },
  ...more,
});
export const saying = (...messages: readonly object[]): Example => ({ body: { messages } });
export const withTools = (...messages: readonly object[]): Example => ({ body: { messages, tools: [tool()] } });
export const having = (members: Wire): Example => ({ body: members });

/** The signature that the strict upstream issues for a thought. */
export const SIGNATURE = Buffer.from('signature of a thought').toString('base64');
export const WITHHELD = Buffer.from('withheld thought').toString('base64');
export const thinking = (words = 'Hm.', signature = SIGNATURE) => ({ type: 'thinking', thinking: words, signature });
