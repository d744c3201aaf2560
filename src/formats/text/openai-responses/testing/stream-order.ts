/** An event of the output: its name and its data. */
interface Event {
  readonly name: string;
  // A test reads members of any event.
  // biome-ignore lint/suspicious/noExplicitAny: the data of forty kinds of events
  readonly data: any;
}

export function eventsOf(text: string): Event[] {
  return text.split('\n\n').flatMap((frame) => {
    if (frame === '') return [];
    const [name = '', data = ''] = frame.split('\n');
    return [{ name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) }];
  });
}

const FINAL = new Set(['response.completed', 'response.incomplete']);

/**
 * Returns the rules of Open Responses that a stream breaks: numbers have no gaps; the opening events come first; every item and
 * part is added before it changes and is done once; deltas add up to the final text; the final response's output is the items
 * that were done.
 */
export function brokenRules(events: readonly Event[]): string[] {
  const broken: string[] = [];
  const done: unknown[] = [];
  let item: { id: string; part: string | null; text: string } | null = null;
  events.forEach(({ name, data }, index) => {
    const note = (rule: string) => broken.push(`${index} ${name}: ${rule}`);
    if (data.type !== name) note('its name is not its type');
    if (data.sequence_number !== index) note(`its number is ${data.sequence_number}`);
    if (index === 0 && name !== 'response.created') note('is first');
    if (index === 1 && name !== 'response.in_progress') note('is second');
    if (FINAL.has(name)) {
      if (item !== null) note('an item is open');
      if (JSON.stringify(data.response.output) !== JSON.stringify(done)) note('its output is not what was done');
      if (index !== events.length - 1) note('is not last');
    } else if (name === 'response.output_item.added') {
      if (item !== null) note('another item is open');
      if (data.output_index !== done.length) note(`its index is ${data.output_index}`);
      item = { id: data.item.id, part: null, text: '' };
    } else if (name === 'response.output_item.done') {
      if (item?.id !== data.item.id) note('is not the open item');
      if (item?.part) note('a part is open');
      done.push(data.item);
      item = null;
    } else if (index > 1) {
      if (item === null || data.item_id !== item.id || data.output_index !== done.length)
        note('is not about the open item');
      else trackPart(name, data, item, note);
    }
  });
  if (!FINAL.has(events.at(-1)?.name ?? '')) broken.push('the stream has no end');
  return broken;
}

function trackPart(
  name: string,
  data: Event['data'],
  item: { part: string | null; text: string },
  note: (rule: string) => void,
): void {
  if (name.endsWith('_part.added')) {
    if (item.part !== null) note('another part is open');
    item.part = String(data.content_index ?? data.summary_index);
    item.text = '';
  } else if (name.endsWith('_part.done')) {
    if (item.part !== String(data.content_index ?? data.summary_index)) note('is not the open part');
    if ((data.part.text ?? data.part.refusal) !== item.text) note('its text is not its deltas');
    item.part = null;
    item.text = '';
  } else if (name.endsWith('.delta')) item.text += data.delta;
  else if (name.endsWith('.done')) {
    if ((data.text ?? data.refusal ?? data.arguments ?? data.input) !== item.text) note('its text is not its deltas');
  }
}
