import { isCutOff } from '../../../domain/exchange/response.ts';
import { type Edit, safeParse } from '../../shared/json/json-patch.ts';
import {
  isEmptyList,
  isList,
  MemberNames,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { indexOr } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ParsedRequest, RelayPatch } from '../client-request.ts';
import { finishOf, rawFinish } from '../shared/choice-answer.ts';
import type { CallWatch, ChoiceDialect } from '../shared/choice-relay.ts';
import { ChoiceStreamRelay } from '../shared/choice-stream-relay.ts';
import { fillIn } from '../shared/fill-in.ts';
import { isSilent, noteDelta } from './produced.ts';

const MESSAGE_MEMBERS = new MemberNames('role', 'content', 'tool_calls');
const CALL_MEMBERS = new MemberNames('id', 'type', 'function');
const FUNCTION_MEMBERS = new MemberNames('arguments');

/** Gives a message its role and content, and each of its calls an id, a type and arguments. */
function completeMessage(bytes: Uint8Array, choice: ObjectSpan, patch: RelayPatch) {
  const edits: Edit[] = [];
  const said = choice.members.find(({ name }) => name === 'message');
  const message = said === undefined ? null : scanObject(bytes, said.valueStart, MESSAGE_MEMBERS);
  if (message === null) return { edits, hasCalls: false };
  const hasContent = message.members.some(({ name }) => name === 'content');
  edits.push(...fillIn(bytes, message, { role: '"assistant"' }, { more: hasContent ? '' : '"content":null' }));
  const calls = message.members.find(({ name }) => name === 'tool_calls');
  if (calls === undefined || !isList(bytes, calls)) return { edits, hasCalls: false };
  const ended = choice.members.find(({ name }) => name === 'finish_reason');
  const raw = rawFinish({ finish_reason: ended === undefined ? null : safeParse(bytes, ended) });
  const isWhole = !isCutOff(finishOf(raw, true));
  let at = calls.valueStart;
  for (;;) {
    const call = scanObject(bytes, at + 1, CALL_MEMBERS);
    if (!call) return { edits, hasCalls: !isEmptyList(bytes, calls) };
    edits.push(...callEdits(bytes, call, patch, isWhole));
    at = skipWhitespace(bytes, call.end);
  }
}

function callEdits(bytes: Uint8Array, call: ObjectSpan, { newId }: RelayPatch, isWhole: boolean): Edit[] {
  const called = call.members.find(({ name }) => name === 'function');
  const said = called === undefined ? null : scanObject(bytes, called.valueStart, FUNCTION_MEMBERS);
  // The input of a custom tool is text and may be empty.
  if (said === null) return [];
  const id = () => JSON.stringify(newId('call_'));
  return [
    ...fillIn(bytes, call, { id, type: '"function"' }),
    // Clients parse the arguments of every call and run it, so a call that was cut off stays as it is.
    ...(isWhole ? fillIn(bytes, said, { arguments: '"{}"' }) : []),
  ];
}

/** The choice of a chat completion holds a message; the choice of a chunk holds a piece of it. */
export const dialect: ChoiceDialect = {
  chunkObject: 'chat.completion.chunk',
  wholeObject: 'chat.completion',
  idPrefix: 'chatcmpl-',
  wholeMembers: new MemberNames('message', 'finish_reason', 'index'),
  completeChoice: completeMessage,
  chunkMembers: new MemberNames('index', 'finish_reason', 'delta'),
  note: (event, { valueStart }, produced) => noteDelta(event, valueStart, produced),
  // Some servers write a `message` into their chunks.
  hasContent: ({ delta, message }) => [delta, message].some((said) => isRecord(said) && !isSilent(said)),
  emptyMembers: '"delta":{}',
  neededOfChunk: { delta: () => '{}', finish_reason: () => 'null' },
  watchCalls: () => new ChatCallWatch(),
};

export class ChatStreamRelay extends ChoiceStreamRelay {
  constructor(request: ParsedRequest, patch: RelayPatch) {
    super(dialect, request, patch);
  }
}

type Json = Readonly<Record<string, unknown>>;

/** The place of a call in a stream: its choice, and its index there, which is `null` for the older API's `function_call`. */
interface Place {
  readonly choice: number;
  readonly call: number | null;
}

const CALL_NAME = Buffer.from('"name"');
const { includes } = Buffer.prototype;
const NO_ARGUMENTS = '{}';

/**
 * Watches a relayed stream for calls that end without arguments: clients parse every call's arguments, and an empty text is not
 * valid JSON. A call that was cut off stays as it is, because otherwise a client would run it.
 */
class ChatCallWatch implements CallWatch {
  /** The calls without any arguments yet. */
  private readonly bare = new Map<string, Place>();
  private readonly written = new Set<string>();

  mayChange(event: Uint8Array): boolean {
    return this.bare.size > 0 || includes.call(event, CALL_NAME);
  }

  see(choices: readonly Json[]): void {
    for (const [place, called] of callsIn(choices)) this.seeCall(place, called);
  }

  private seeCall(place: Place, called: Json): void {
    const key = keyOf(place);
    if (!isBare(called)) {
      this.bare.delete(key);
      this.written.add(key);
    } else if (isNamed(called) && !this.written.has(key)) this.bare.set(key, place);
  }

  completed(choices: readonly Json[]): readonly Json[] | null {
    const whole = choices.map((choice) => !isCutOff(finishOf(rawFinish(choice), true)));
    const begun = [...callsIn(choices)].filter(([place, called, position]) => {
      const key = keyOf(place);
      return (
        whole[position] === true && isBare(called) && isNamed(called) && !this.bare.has(key) && !this.written.has(key)
      );
    });
    if (begun.length === 0) return null;
    const filled = new Set(begun.map(([, called]) => called));
    return choices.map((choice) => withArguments(choice, filled));
  }

  ended(choice: number): string[] {
    const pieces: string[] = [];
    for (const [key, place] of this.bare) {
      if (place.choice !== choice) continue;
      this.bare.delete(key);
      const called = { arguments: NO_ARGUMENTS };
      const delta =
        place.call === null ? { function_call: called } : { tool_calls: [{ index: place.call, function: called }] };
      pieces.push(JSON.stringify({ index: choice, delta, finish_reason: null }));
    }
    return pieces;
  }
}

function* callsIn(choices: readonly Json[]): Generator<readonly [place: Place, called: Json, position: number]> {
  for (const [position, { index, delta }] of choices.entries()) {
    if (!isRecord(delta)) continue;
    const choice = indexOr(index, position);
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isRecord) : [];
    for (const [place, call] of calls.entries()) {
      if (isRecord(call.function)) yield [{ choice, call: indexOr(call.index, place) }, call.function, position];
    }
    if (isRecord(delta.function_call)) yield [{ choice, call: null }, delta.function_call, position];
  }
}

function keyOf({ choice, call }: Place): string {
  return `${choice}/${call}`;
}

function isNamed({ name }: Json): boolean {
  return typeof name === 'string' && name !== '';
}

function isBare({ arguments: text }: Json): boolean {
  return text === undefined || text === null || (typeof text === 'string' && text.trim() === '');
}

/** Returns the choice with arguments for those of its calls that are in `filled`. */
function withArguments(choice: Json, filled: ReadonlySet<Json>): Json {
  const { delta } = choice;
  if (!isRecord(delta)) return choice;
  const called = (value: unknown) =>
    isRecord(value) && filled.has(value) ? { ...value, arguments: NO_ARGUMENTS } : value;
  const calls = Array.isArray(delta.tool_calls)
    ? {
        tool_calls: delta.tool_calls.map((call) =>
          isRecord(call) ? { ...call, function: called(call.function) } : call,
        ),
      }
    : {};
  const old = isRecord(delta.function_call) ? { function_call: called(delta.function_call) } : {};
  return { ...choice, delta: { ...delta, ...calls, ...old } };
}
