import { asArray, asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest } from '../rule.ts';

/* Helpers that read Converse requests, and parts for examples. */

export const CHECKED = '2026-11-28';
export const REFERENCE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime';

export type Wire = Readonly<Record<string, unknown>>;

/** A request to count tokens wraps the conversation. */
export function bodyOf({ body }: ReceivedRequest): Wire {
  const wrapped = asObject(asObject(body).input).converse;
  return wrapped === undefined ? asObject(body) : asObject(wrapped);
}

export function turnsOf(
  request: ReceivedRequest,
): readonly { readonly role: unknown; readonly blocks: readonly Wire[] }[] {
  return asArray(bodyOf(request).messages).map((message) => {
    const { role, content } = asObject(message);
    return { role, blocks: asArray(content).map(asObject) };
  });
}

export function membersOf(blocks: readonly Wire[], name: string): readonly Wire[] {
  return blocks.flatMap((block) => (block[name] === undefined ? [] : [asObject(block[name])]));
}

export function toolsOf(request: ReceivedRequest): readonly Wire[] {
  return asArray(asObject(bodyOf(request).toolConfig).tools).map(asObject);
}

export function specsOf(request: ReceivedRequest): readonly Wire[] {
  return membersOf(toolsOf(request), 'toolSpec');
}

// ---- examples

export const user = (...content: readonly object[]) => ({
  role: 'user',
  content: content.length === 0 ? [text()] : content,
});
export const assistant = (...content: readonly object[]) => ({
  role: 'assistant',
  content: content.length === 0 ? [text('Hello.')] : content,
});
export const text = (words = 'Hi') => ({ text: words });
export const call = (toolUseId = 'tooluse_1', name = 'look_up') => ({ toolUse: { toolUseId, name, input: {} } });
export const result = (toolUseId = 'tooluse_1', more: object = {}) => ({
  toolResult: { toolUseId, content: [text('found')], ...more },
});
export const spec = (more: object = {}) => ({
  toolSpec: { name: 'look_up', inputSchema: { json: { type: 'object', properties: {} } }, ...more },
});
export const document = (name = 'report', more: object = {}) => ({
  document: { format: 'pdf', name, source: { bytes: 'JVBERi0=' }, ...more },
});
export const CACHE_POINT = { cachePoint: { type: 'default' } };
export const having = (body: Wire, model?: string): Example => ({ body, ...(model !== undefined && { model }) });
export const saying = (...messages: readonly object[]): Example => having({ messages });
export const withTools = (...messages: readonly object[]): Example =>
  having({ messages, toolConfig: { tools: [spec()] } });
