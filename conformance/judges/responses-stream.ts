import { isDeepStrictEqual } from 'node:util';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import type { StreamEvent } from './stream-event.ts';

/** A text that arrives in deltas: its events are `<prefix>.delta` and `<prefix>.done`. */
interface PiecewiseText {
  /** The member of the done event that has the whole text. */
  readonly whole: string;
  /** The member with the index of the item's part that has the text, and whose `added` event must come first. */
  readonly part: 'content_index' | 'summary_index' | null;
}

const TEXTS: Readonly<Record<string, PiecewiseText>> = {
  'response.output_text': { whole: 'text', part: 'content_index' },
  'response.refusal': { whole: 'refusal', part: 'content_index' },
  'response.reasoning': { whole: 'text', part: 'content_index' },
  'response.reasoning_text': { whole: 'text', part: 'content_index' },
  'response.reasoning_summary_text': { whole: 'text', part: 'summary_index' },
  'response.function_call_arguments': { whole: 'arguments', part: null },
  'response.custom_tool_call_input': { whole: 'input', part: null },
  'response.mcp_call_arguments': { whole: 'arguments', part: null },
  'response.code_interpreter_call_code': { whole: 'code', part: null },
};

const PARTS: Readonly<Record<string, 'content_index' | 'summary_index'>> = {
  'response.content_part': 'content_index',
  'response.reasoning_summary_part': 'summary_index',
};

const FINAL_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

interface Item {
  readonly id: unknown;
  readonly type: unknown;
  done: unknown;
  readonly parts: Map<string, { done: boolean }>;
  readonly texts: Map<string, { pieces: string; done: boolean }>;
}

/**
 * Returns the violations of a Responses stream as a whole, by Open Responses (2026-04-24): `response.created` and `response.in_progress` come
 * first; sequence numbers start at 0 without gaps; an item, its parts and their texts are each added before they change, and done before their
 * owner is; a finished text equals its joined deltas; the last event has a final response, whose output is the finished items.
 * `judgeStreamEvent` judges the single events.
 */
export function judgeResponsesStream(events: readonly StreamEvent[]): readonly string[] {
  const stream = new ResponsesStream();
  const last = events.at(-1);
  // Open Responses ends a stream with `[DONE]`, OpenAI does not.
  const typed = last?.data === '[DONE]' ? events.slice(0, -1) : events;
  typed.forEach((event, index) => {
    stream.take(event, index);
  });
  stream.finish();
  return stream.problems;
}

class ResponsesStream {
  readonly problems: string[] = [];
  private readonly items = new Map<number, Item>();
  private responseId: unknown;
  private lastType = '';
  private place = '';

  take(event: StreamEvent, index: number): void {
    const data = parseJson(event.data);
    this.place = `event ${index}`;
    if (!isObject(data) || typeof data.type !== 'string') {
      this.note('has no object with a type as its data');
      return;
    }
    const type = data.type;
    this.place = `event ${index} (${type})`;
    if (event.event !== type) this.note(`is named ${JSON.stringify(event.event)}`);
    if (data.sequence_number !== index) this.note(`has the sequence number ${JSON.stringify(data.sequence_number)}`);
    if (FINAL_EVENTS.has(this.lastType)) this.note(`comes after the final ${this.lastType}`);
    this.checkOpening(type, index);
    if (isObject(data.response)) this.takeResponse(data.response);
    this.takeItemEvent(type, data);
    if (FINAL_EVENTS.has(type)) this.takeFinal(type, asObject(data.response));
    this.lastType = type;
  }

  finish(): void {
    this.place = 'stream';
    if (!FINAL_EVENTS.has(this.lastType))
      this.note(`ends with ${this.lastType || 'nothing'}, not with a final response`);
  }

  private note(problem: string): void {
    this.problems.push(`${this.place}: ${problem}`);
  }

  private checkOpening(type: string, index: number): void {
    if (index === 0 && type !== 'response.created') this.note('is first, where response.created belongs');
    if (index > 0 && type === 'response.created') this.note('is not first');
    const opening = ['response.created', 'response.queued'].includes(this.lastType);
    const allowed = ['response.in_progress', 'response.queued', 'error', 'response.failed'];
    if (opening && !allowed.includes(type)) this.note(`follows ${this.lastType}, where response.in_progress belongs`);
    if (!opening && type === 'response.in_progress') this.note(`follows ${this.lastType}`);
  }

  private takeResponse(response: Readonly<Record<string, unknown>>): void {
    this.responseId ??= response.id;
    if (response.id !== this.responseId)
      this.note(`has the response ${String(response.id)}, not ${String(this.responseId)}`);
  }

  private takeItemEvent(type: string, data: Readonly<Record<string, unknown>>): void {
    if (type === 'response.output_item.added') {
      this.addItem(data);
      return;
    }
    if (type === 'response.output_item.done') {
      this.endItem(data);
      return;
    }
    if (data.output_index === undefined && data.item_id === undefined) return;
    const [subject, step] = [type.slice(0, type.lastIndexOf('.')), type.slice(type.lastIndexOf('.') + 1)];
    const partIndex = PARTS[subject];
    // The events of some hosted tools name their item by its index only.
    const named = partIndex !== undefined || TEXTS[subject] !== undefined || data.item_id !== undefined;
    const item = this.openItem(data.output_index, named ? { id: data.item_id } : undefined);
    if (item === undefined) return;
    if (partIndex !== undefined) {
      this.takePart(item, partIndex, step, data);
      return;
    }
    const text = TEXTS[subject];
    if (text !== undefined) this.takeText(item, subject, text, step, data);
  }

  private addItem(data: Readonly<Record<string, unknown>>): void {
    const item = asObject(data.item);
    if (data.output_index !== this.items.size)
      this.note(`has output_index ${JSON.stringify(data.output_index)}, not ${this.items.size}`);
    if (typeof data.output_index !== 'number') return;
    if (item.id !== undefined && [...this.items.values()].some((known) => known.id === item.id)) {
      this.note(`adds the item ${String(item.id)} again`);
    }
    const made: Item = { id: item.id, type: item.type, done: undefined, parts: new Map(), texts: new Map() };
    this.items.set(data.output_index, made);
  }

  private openItem(index: unknown, named: { readonly id: unknown } | undefined): Item | undefined {
    const item = typeof index === 'number' ? this.items.get(index) : undefined;
    if (item === undefined) this.note(`is about output_index ${JSON.stringify(index)}, which was not added`);
    else if (item.done !== undefined) this.note('comes after its item is done');
    else if (named !== undefined && named.id !== item.id) {
      this.note(`has the item id ${String(named.id)}, not ${String(item.id)}`);
    }
    return item;
  }

  private takePart(
    item: Item,
    index: 'content_index' | 'summary_index',
    step: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const key = `${index}:${String(data[index])}`;
    if (step === 'added') {
      const count = [...item.parts.keys()].filter((known) => known.startsWith(index)).length;
      if (data[index] !== count) this.note(`has ${index} ${JSON.stringify(data[index])}, not ${count}`);
      item.parts.set(key, { done: false });
      return;
    }
    const part = item.parts.get(key);
    if (part === undefined) {
      this.note(`is about a part (${key}) that was not added`);
      return;
    }
    if (part.done) this.note(`is about a part (${key}) that is done`);
    part.done = true;
    this.checkTextsDone(item, key);
    const shown = asObject(data.part);
    const whole = shown.text ?? shown.refusal;
    const heard = [...item.texts].filter(([name]) => name.endsWith(`/${key}`)).map(([, text]) => text.pieces);
    if (typeof whole === 'string' && whole !== heard.join(''))
      this.note(`has a text that differs from its joined pieces`);
  }

  private takeText(
    item: Item,
    subject: string,
    { whole, part }: PiecewiseText,
    step: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const key = part === null ? 'item' : `${part}:${String(data[part])}`;
    if (part !== null) {
      const owner = item.parts.get(key);
      if (owner === undefined) this.note(`is about a part (${key}) that was not added`);
      else if (owner.done) this.note(`comes after its part (${key}) is done`);
    }
    const text = item.texts.get(`${subject}/${key}`) ?? { pieces: '', done: false };
    item.texts.set(`${subject}/${key}`, text);
    if (step === 'delta') {
      if (text.done) this.note('comes after the done event of its text');
      text.pieces += String(data.delta ?? '');
    } else if (step === 'done') {
      if (text.done) this.note('is a second done event of its text');
      text.done = true;
      if (data[whole] !== text.pieces) this.note(`has a ${whole} that differs from its joined pieces`);
    }
  }

  private checkTextsDone(item: Item, key: string): void {
    for (const [name, text] of item.texts) {
      if (!text.done && (key === '' || name.endsWith(`/${key}`))) this.note(`comes before the done event of ${name}`);
    }
  }

  private endItem(data: Readonly<Record<string, unknown>>): void {
    const shown = asObject(data.item);
    const item = this.openItem(data.output_index, { id: shown.id });
    if (item === undefined) return;
    if (shown.type !== item.type) this.note(`has the type ${String(shown.type)}, was added as ${String(item.type)}`);
    this.checkTextsDone(item, '');
    for (const [key, part] of item.parts) if (!part.done) this.note(`comes before the done event of ${key}`);
    this.checkPartTexts(item, shown);
    item.done = shown;
  }

  /** Checks that the item's parts have the texts of its events. */
  private checkPartTexts(item: Item, shown: Readonly<Record<string, unknown>>): void {
    for (const [name, { pieces }] of item.texts) {
      const [subject = '', key = ''] = name.split('/');
      const [part, index] = key.split(':');
      const holder =
        part === 'item'
          ? shown
          : asObject(asArray(part === 'content_index' ? shown.content : shown.summary)[Number(index)]);
      const member = TEXTS[subject]?.whole ?? '';
      if (holder[member] !== pieces) this.note(`has a ${member} in ${key} that is not what its events said`);
    }
  }

  private takeFinal(type: string, response: Readonly<Record<string, unknown>>): void {
    const status = type.slice('response.'.length);
    if (response.status !== status) this.note(`has the status ${JSON.stringify(response.status)}`);
    const items = [...this.items].sort(([left], [right]) => left - right).map(([, item]) => item);
    for (const item of items)
      if (item.done === undefined) this.note(`comes before the item ${String(item.id)} is done`);
    // A response that fails midway may end without the items that had begun.
    const done = items.flatMap((item) => (item.done === undefined ? [] : [item.done]));
    if (!isDeepStrictEqual(asArray(response.output).map(withoutCipher), done.map(withoutCipher)))
      this.note('has an output that differs from the finished items');
  }
}

/** Removes what is encrypted anew for the final response: reasoning (openai/responses/010), a program's fingerprint (210). */
function withoutCipher(item: unknown): unknown {
  const { encrypted_content: _cipher, fingerprint: _print, ...others } = asObject(item);
  return others;
}
