import { LOG_EVENT_LIST, type LogEvent } from '../../domain/logs/events.ts';
import { LOG_FIELDS, type LogFields, writtenName } from '../../domain/logs/fields.ts';
import { loggedText } from '../../formats/shared/failure/clean-message.ts';

/** The longest text of a field; what is longer is cut. */
const TEXT_CHARACTERS = 1_000;
/** The most elements of a list or a map. */
const MOST_ELEMENTS = 50;

/** An event with the part of its lines that is always the same. */
export interface KnownEvent extends LogEvent {
  readonly start: string;
  /** Whether its lines have the fields of `requestMembers`. */
  readonly isOfRequest: boolean;
}

const OF_REQUESTS: readonly string[] = ['request', 'request_failed', 'request_without_key'];

/** The events by their messages. */
export const KNOWN_EVENTS: ReadonlyMap<string, KnownEvent> = new Map(
  LOG_EVENT_LIST.map((of) => {
    const { level, component, event, message: msg } = of;
    const start = `,${JSON.stringify({ level, component, event, msg }).slice(1, -1)}`;
    return [msg, { ...of, start, isOfRequest: OF_REQUESTS.includes(event) }];
  }),
);

/** The beginnings of members, such as `,"request_id":`. */
const MEMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(LOG_FIELDS).map((name) => [name, `,"${writtenName(name)}":`]),
);
const TEXTS: ReadonlySet<string> = new Set(
  Object.entries(LOG_FIELDS).flatMap(([name, [type]]) => (type === 'text' ? [name] : [])),
);

/**
 * Returns the members of a line for its fields, each with a comma before it. Fields without a value, or that the table of fields does not
 * have, are left out.
 *
 * @param withStack whether a stack trace is written; otherwise only its first place is
 */
export function membersOf(fields: LogFields, withStack: boolean): string {
  let members = '';
  for (const name in fields) {
    const value = fields[name as keyof LogFields];
    const member = MEMBERS[name];
    if (value === undefined || value === null || member === undefined) continue;
    if (name === 'stack' && !withStack) members += placeMember(String(value));
    else members += member + written(name, value);
  }
  return members;
}

function written(name: string, value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(TEXTS.has(name) ? masked(name, value) : value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean') return String(value);
  return JSON.stringify(value, maskedElements) ?? 'null';
}

function masked(name: string, text: string): string {
  // The lines of a stack trace are masked one by one, since a masked text has only one.
  if (name !== 'stack') return loggedText(text, TEXT_CHARACTERS);
  return text
    .split('\n')
    .slice(0, MOST_ELEMENTS)
    .map((line) => loggedText(line.trim(), TEXT_CHARACTERS))
    .join('\n');
}

function maskedElements(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return loggedText(value, TEXT_CHARACTERS);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.slice(0, MOST_ELEMENTS);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return entries.length <= MOST_ELEMENTS ? value : Object.fromEntries(entries.slice(0, MOST_ELEMENTS));
}

function placeMember(stack: string): string {
  const [first = ''] = stack.trim().split('\n', 1);
  return `${MEMBERS.at}${JSON.stringify(loggedText(first.replace(/^\s*at /, ''), TEXT_CHARACTERS))}`;
}
