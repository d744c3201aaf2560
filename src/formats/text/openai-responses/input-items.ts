import { entryOf, isRecord } from '../../shared/json/record.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the items of an `input`. A plain text is a user message. */
export function itemsOf(input: unknown): readonly Json[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
  reasoning: 'rs_',
  compaction: 'cmp_',
  image_generation_call: 'ig_',
};

/** Returns the id prefix for this type of item. */
export function idPrefixOf(type: string): string {
  return entryOf(ID_PREFIXES, type) ?? 'item_';
}

/**
 * Returns the full form of an item: its type, its id, and content as a list, as `GET /v1/responses/{id}/input_items` shows it.
 */
export function asStored(item: Json, newId: (prefix: string) => string): Json {
  const type = typeof item.type === 'string' ? item.type : 'message';
  const id = typeof item.id === 'string' ? item.id : newId(idPrefixOf(type));
  if (type !== 'message') return { ...item, type, id };
  const textType = item.role === 'assistant' ? 'output_text' : 'input_text';
  const annotations = item.role === 'assistant' ? { annotations: [], logprobs: [] } : {};
  const content =
    typeof item.content === 'string' ? [{ type: textType, text: item.content, ...annotations }] : item.content;
  return { ...item, type, id, status: item.status ?? 'completed', content };
}
