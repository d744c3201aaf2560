import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../shared/json.ts';

type Item = Record<string, unknown>;
type Parts = Map<number, string>;

/** The texts of an item that have arrived in deltas; a complete item replaces them. */
interface Growing {
  item: Item;
  readonly texts: Parts;
  readonly refusals: Parts;
  readonly summaries: Parts;
  readonly thoughts: Parts;
  /** The arguments, input or code of a call. */
  given: string;
  picture: string;
  isDone: boolean;
}

/** Assembles the events of a stream. Its last event contains the whole response, unless the stream or the capture was truncated. */
export function assembledOutput(events: readonly JsonObject[]): JsonObject {
  const items = new Map<number, Growing>();
  let error: unknown;
  let last: JsonObject = {};
  for (const event of events) {
    const type = textOf(event.type);
    if (type === 'error') error ??= event.error ?? event;
    else if (/^response\.(?:completed|incomplete|failed)$/.test(type)) last = objectOf(event.response);
    else take(items, type, event);
  }
  const grown = [...items].sort(([one], [other]) => one - other).map(([, item]) => itemOf(item));
  const output = listOf(last.output).length > 0 ? last.output : grown;
  return { ...last, output, error: error ?? last.error };
}

function take(items: Map<number, Growing>, type: string, event: JsonObject): void {
  if (event.output_index === undefined && event.item === undefined) return;
  const at = numberOf(event.output_index) ?? 0;
  const growing = items.get(at) ?? newItem();
  items.set(at, growing);
  const delta = textOf(event.delta);
  const add = (parts: Parts, index: unknown) => {
    const place = numberOf(index) ?? 0;
    parts.set(place, (parts.get(place) ?? '') + delta);
  };
  if (type === 'response.output_item.added') growing.item = { ...objectOf(event.item) };
  else if (type === 'response.output_item.done')
    Object.assign(growing, { item: { ...objectOf(event.item) }, isDone: true });
  else if (type === 'response.output_text.delta') add(growing.texts, event.content_index);
  else if (type === 'response.refusal.delta') add(growing.refusals, event.content_index);
  else if (type === 'response.reasoning_summary_text.delta') add(growing.summaries, event.summary_index);
  else if (type === 'response.reasoning_text.delta') add(growing.thoughts, event.content_index);
  else if (/^response\.\w+_call_(?:arguments|input|code)\.delta$/.test(type)) growing.given += delta;
  else if (type === 'response.image_generation_call.partial_image') growing.picture = textOf(event.partial_image_b64);
}

function newItem(): Growing {
  return {
    ...{ item: {}, given: '', picture: '', isDone: false },
    ...{ texts: new Map(), refusals: new Map(), summaries: new Map(), thoughts: new Map() },
  };
}

function itemOf({ item, texts, refusals, summaries, thoughts, given, picture, isDone }: Growing): JsonObject {
  if (isDone) return item;
  const type = textOf(item.type) || typeOf({ texts, refusals, summaries, thoughts, given });
  const parts = (of: Parts, kind: string, member = 'text') =>
    [...of.values()].map((text) => ({ type: kind, [member]: text }));
  switch (type) {
    case 'message': {
      const content = [...parts(texts, 'output_text'), ...parts(refusals, 'refusal', 'refusal')];
      return { ...item, type, content: content.length > 0 ? content : item.content };
    }
    case 'reasoning':
      return { ...item, type, summary: parts(summaries, 'summary_text'), content: parts(thoughts, 'reasoning_text') };
    case 'image_generation_call':
      return { ...item, type, ...(picture !== '' && { result: picture }) };
    default:
      // Which of the members counts depends on the type of the call.
      return { ...item, type, ...(given !== '' && { arguments: given, input: given, code: given }) };
  }
}

/** Returns the type of an item whose beginning is missing. */
function typeOf({
  texts,
  refusals,
  given,
}: Pick<Growing, 'texts' | 'refusals' | 'given' | 'summaries' | 'thoughts'>): string {
  if (texts.size + refusals.size > 0) return 'message';
  return given === '' ? 'reasoning' : 'function_call';
}
