import { parseJson } from '../shared/json.ts';

/** One event of a `text/event-stream`: its type where the provider names one, and its data as it came. */
export interface ServerSentEvent {
  readonly event: string | null;
  readonly data: string;
}

/** The events of a recorded stream; comments and events without data are left out, as the standard says. */
export function serverSentEvents(text: string): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  let event: string | null = null;
  let data: string[] = [];
  const dispatch = (): void => {
    if (data.length > 0) events.push({ event, data: data.join('\n') });
    event = null;
    data = [];
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') dispatch();
    else if (line.startsWith('data:')) data.push(fieldValue(line, 'data:'));
    else if (line.startsWith('event:')) event = fieldValue(line, 'event:');
  }
  // A recording that ends without an empty line still holds its last event.
  dispatch();
  return events;
}

/** The parsed data of every event that is JSON: all but the mark `[DONE]`. */
export function streamedJson(text: string): readonly unknown[] {
  return serverSentEvents(text).flatMap(({ data }) => {
    const whole = parseJson(data);
    if (whole !== undefined) return [whole];
    // One recording lost the empty lines between its events (gemini/generateContent/206): each line is an event then.
    return data.split('\n').flatMap((line) => parseJson(line) ?? []);
  });
}

function fieldValue(line: string, field: string): string {
  const value = line.slice(field.length);
  return value.startsWith(' ') ? value.slice(1) : value;
}
