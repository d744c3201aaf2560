import { parseJson } from '../shared/json.ts';

/** One event of a `text/event-stream`: its type, if the provider sends one, and its data. */
export interface ServerSentEvent {
  readonly event: string | null;
  readonly data: string;
}

/**
 * Returns the events of a recorded stream, without comments and without events that have no data, as the standard
 * says.
 */
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
  // A recording without a final empty line still contains its last event.
  dispatch();
  return events;
}

/** Returns the parsed data of every event that is JSON: all but `[DONE]`. */
export function streamedJson(text: string): readonly unknown[] {
  return serverSentEvents(text).flatMap(({ data }) => {
    const whole = parseJson(data);
    if (whole !== undefined) return [whole];
    // One recording lost the empty lines between its events (gemini/generateContent/206), so each line is an event.
    return data.split('\n').flatMap((line) => parseJson(line) ?? []);
  });
}

function fieldValue(line: string, field: string): string {
  const value = line.slice(field.length);
  return value.startsWith(' ') ? value.slice(1) : value;
}
