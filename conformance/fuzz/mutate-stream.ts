import type { StreamEvent } from '../judges/stream-event.ts';
import { parseJson } from '../shared/json.ts';
import { mutatedBytes } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { jsonText, oddText } from './odd-values.ts';
import type { Random } from './random.ts';

const utf8 = new TextEncoder();

const STRAY_EVENTS: readonly StreamEvent[] = [
  { event: null, data: '[DONE]' },
  { event: 'ping', data: '{"type":"ping"}' },
  { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
  { event: 'error', data: 'no JSON' },
  { event: null, data: '{"error":{"message":"the model failed","code":500}}' },
  { event: null, data: '{"error":null}' },
  { event: null, data: '{' },
  { event: null, data: 'null' },
  { event: null, data: '[]' },
  { event: null, data: '[{}]' },
  { event: null, data: '' },
  { event: 'tomorrow.event', data: '{"type":"tomorrow.event"}' },
  { event: null, data: '{"choices":[]}' },
  { event: null, data: '{"candidates":[]}' },
  { event: null, data: '{"type":"message_stop"}' },
  { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
];

/** Returns a stream's events with some of them changed, removed, duplicated, moved or inserted. */
export function mutatedEvents(events: readonly StreamEvent[], random: Random): readonly StreamEvent[] {
  const changed = [...events];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(changed.length + 1);
    const other = random.below(changed.length + 1);
    const event = changed[at];
    switch (random.below(10)) {
      case 0:
        changed.splice(at, 1);
        break;
      case 1:
        if (event) changed.splice(other, 0, event);
        break;
      case 2:
        if (event) changed.splice(other, 0, ...changed.splice(at, 1));
        break;
      case 3:
        changed.length = at;
        break;
      case 4:
        changed.splice(at, 0, random.pick(STRAY_EVENTS));
        break;
      case 5:
        // The end or the whole stream again.
        changed.push(...changed.slice(random.chance(0.5) ? -2 : 0));
        break;
      default:
        if (event) changed[at] = mutatedEvent(event, random);
    }
  }
  return changed;
}

function mutatedEvent({ event, data }: StreamEvent, random: Random): StreamEvent {
  const value = parseJson(data);
  if (value === undefined) return { event, data: oddText(random) };
  const mutated = mutatedJson(value, random);
  const name = event !== null && random.chance(0.1) ? random.pick([null, 'other', '']) : event;
  return { event: name, data: jsonText(mutated) };
}

/** Returns the events as bytes, in one of the notations that senders use. */
export function streamBytes(events: readonly StreamEvent[], random: Random): Uint8Array {
  const lineEnd = random.pick(['\n', '\n', '\n', '\r\n', '\r']);
  const isChatty = random.chance(0.1);
  let text = random.chance(0.03) ? '\ufeff' : '';
  for (const { event, data } of events) {
    if (isChatty) text += `: comment${lineEnd}id: 1${lineEnd}retry: 10${lineEnd}data${lineEnd}`;
    if (event !== null) text += `event:${random.chance(0.9) ? ' ' : ''}${event.replace(/[\r\n]/g, ' ')}${lineEnd}`;
    const lines = random.chance(0.02) ? inLines(data) : [data.replace(/[\r\n]/g, ' ')];
    text += lines.map((line) => `data: ${line}${lineEnd}`).join('') + lineEnd;
  }
  const bytes = utf8.encode(random.chance(0.1) ? text.trimEnd() : text);
  return random.chance(0.15) ? mutatedBytes(bytes, random) : bytes;
}

function inLines(data: string): readonly string[] {
  const value = parseJson(data);
  return value === undefined ? [data] : JSON.stringify(value, null, 1).split('\n');
}
