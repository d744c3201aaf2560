import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import { findMember, textItems, textMembers, withoutMember, withValue } from '../shared/json-text.ts';
import { isUsageOnlyChunk } from './chat-case.ts';

/** Replaces every model id in a comparison; another check covers the ids. */
const ANY_MODEL = '"(model)"';

function dataOf(line: string): string | undefined {
  const data = /^data: ?(\{.*\})\s*$/.exec(line)?.[1];
  return data === undefined || parseJson(data) === undefined ? undefined : data;
}

/** Changes the JSON in a line of a stream; other lines (comments, `[DONE]`) stay as they are. */
function changeLine(line: string, change: (json: string) => string): string {
  const data = dataOf(line);
  return data === undefined ? line : line.replace(data, () => change(data));
}

function comparableJson(json: string): string {
  return withoutMember(withValue(json, 'model', ANY_MODEL), '_routing');
}

/** Returns a response's bytes without what the gateway may change: the model id and the added `_routing`. */
export function comparableAnswer(body: string, isStream: boolean): string {
  if (!isStream) return comparableJson(body);
  const lines = body.split('\n');
  return lines.map((line) => changeLine(line, comparableJson)).join('\n');
}

/** The same for the recorded response, without the usage event if the client did not ask for it. */
export function expectedAnswer(body: string, isStream: boolean, asksForUsage: boolean): string {
  if (!isStream) return comparableAnswer(body, false);
  const events = body.split(/(?<=\n\r?\n)/);
  const visible = (asksForUsage ? events : events.filter((event) => !isUsageEvent(event))).map(asPassedOn);
  // Some upstreams never send the end mark that clients of the real API rely on; the gateway adds it.
  const endMark = body.includes('[DONE]') ? '' : 'data: [DONE]\n\n';
  return comparableAnswer(visible.join('') + endMark, true);
}

/** Members that the gateway adds to a response that lacks them, by place, each with a pattern for its JSON text. */
const FILLED_IN: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  '': { id: /^"chatcmpl-/, object: /^"chat\.completion(?:\.chunk)?"$/, created: /^\d+$/, model: /^"/ },
  '.choices[]': { index: /^\d+$/, finish_reason: /^(?:null|"stop"|"tool_calls")$/, delta: /^\{\}$/ },
  '.choices[].message': { role: /^"assistant"$/, content: /^null$/ },
  '.choices[].message.tool_calls[]': { id: /^"call_/, type: /^"function"$/ },
  '.choices[].message.tool_calls[].function': { arguments: /^"\{\}"$/ },
};

/** Removes the members that the gateway filled in; `recorded` is the upstream's response. */
export function withoutFilledIn(answer: string, recorded: string, isStream: boolean): string {
  if (!isStream) return withoutAdded(answer, parseJson(recorded), '');
  const lines = recorded.split('\n');
  const told = (index: number) => parseJson(dataOf(lines[index] ?? '') ?? 'null');
  const events = answer.split(/(?<=\n\r?\n)/);
  return events
    .filter((event) => recorded.includes(event) || !isAddedEvent(event))
    .join('')
    .split('\n')
    .map((line, index) => changeLine(line, (json) => withoutAdded(json, told(index), '')))
    .join('\n');
}

/**
 * Returns whether the gateway added this event: estimated usage that the upstream did not report, or the arguments of a
 * call that had none.
 */
function isAddedEvent(event: string): boolean {
  const chunk = asObject(
    parseJson(
      event
        .split('\n')
        .map(dataOf)
        .find((data) => data !== undefined) ?? 'null',
    ),
  );
  const [choice] = asArray(chunk.choices).map(asObject);
  if (choice === undefined) return asObject(chunk.usage).estimated === true;
  const delta = JSON.stringify(choice.delta);
  return /^\{"tool_calls":\[\{"index":\d+,"function":\{"arguments":"\{\}"\}\}\]\}$/.test(delta);
}

function withoutAdded(text: string, recorded: unknown, place: string): string {
  if (Array.isArray(recorded)) {
    const items = textItems(text).map((item, index) => ({ ...item, recorded: recorded[index] }));
    return items.reduceRight(
      (all, { start, end, recorded: of }) =>
        all.slice(0, start) + withoutAdded(all.slice(start, end), of, `${place}[]`) + all.slice(end),
      text,
    );
  }
  if (!isObject(recorded)) return text;
  const allowed = FILLED_IN[place] ?? {};
  return textMembers(text).reduceRight((all, { key, valueStart, valueEnd }) => {
    const value = all.slice(valueStart, valueEnd);
    if (!Object.hasOwn(recorded, key) && allowed[key]?.test(value) === true) return withoutMember(all, key);
    const inner = /^[[{]/.test(value) ? withoutAdded(value, recorded[key], `${place}.${key}`) : value;
    return all.slice(0, valueStart) + inner + all.slice(valueEnd);
  }, text);
}

/** The gateway removes blank lines between events and after comments, because some clients end an event at each. */
function asPassedOn(event: string): string {
  const lines = event.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return '';
  return lines.every((line) => line.startsWith(':')) ? `${lines.join('\n')}\n` : event;
}

function isUsageEvent(event: string): boolean {
  const data = event
    .split('\n')
    .map(dataOf)
    .find((found) => found !== undefined);
  return data !== undefined && isUsageOnlyChunk(parseJson(data));
}

/**
 * Returns the expected and the sent request body, which must be equal byte for byte. The flag by which the gateway asks for usage is
 * removed from the sent body; nothing else may have been added.
 */
export function comparableRequest(clientBody: string, sentBody: string, upstreamModel: string) {
  const expected = withValue(clientBody, 'model', JSON.stringify(upstreamModel));
  const request = asObject(parseJson(clientBody));
  if (request.stream !== true) return { expected, sent: sentBody };
  return { expected, sent: withoutAddedUsageFlag(clientBody, sentBody) };
}

function withoutAddedUsageFlag(clientBody: string, sentBody: string): string {
  const clientOptions = memberText(clientBody, 'stream_options');
  const sentOptions = memberText(sentBody, 'stream_options') ?? '';
  const sent = asObject(parseJson(sentOptions));
  if (sent.include_usage !== true) return sentBody;
  const isFlagAlone = Object.keys(sent).length === 1;
  if (clientOptions === undefined) return isFlagAlone ? withoutMember(sentBody, 'stream_options') : sentBody;
  if (clientOptions === 'null') return isFlagAlone ? withValue(sentBody, 'stream_options', 'null') : sentBody;
  const clientFlag = memberText(clientOptions, 'include_usage');
  const options =
    clientFlag === undefined
      ? withoutMember(sentOptions, 'include_usage')
      : withValue(sentOptions, 'include_usage', clientFlag);
  return withValue(sentBody, 'stream_options', options);
}

function memberText(json: string, key: string): string | undefined {
  const member = /^\s*\{/.test(json) ? findMember(json, key) : undefined;
  return member === undefined ? undefined : json.slice(member.valueStart, member.valueEnd);
}

/**
 * Returns whether a streaming request reached the upstream with the usage flag set; without it, the gateway could not
 * bill.
 */
export function asksUpstreamForUsage(sentBody: string): boolean {
  return asObject(asObject(parseJson(sentBody)).stream_options).include_usage === true;
}

/** Returns the place of the first difference with some context, as a readable message. */
export function firstByteDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined;
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 30), at + 60));
  return `at byte ${at}: expected ${around(expected)}, got ${around(actual)}`;
}
