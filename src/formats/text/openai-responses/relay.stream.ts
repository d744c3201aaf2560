import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { appendMember, applyEdits, type Edit, safeParse } from '../../shared/json/json-patch.ts';
import {
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  parseSpan,
  scanObject,
} from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import {
  editsWithin,
  joinPieces,
  onOneLine,
  splitPiece,
  withBlankLine,
  withMember,
} from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, isDoneMark, passingComment } from '../../shared/stream/sse.ts';
import type { RelayPatch } from '../client-request.ts';
import type { StreamRelay } from '../format.ts';
import { fillIn, inOrder, memberNamed, type Needed } from '../shared/fill-in.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { laterSaid, NOTHING_SAID } from '../shared/served-as.ts';
import { errorEvent, failureInEvent, responseError } from './failure.ts';
import { hasContent, noteBilledCall, noteItem } from './produced.ts';
import {
  ANSWER_MEMBERS,
  ARGUMENTS,
  completeCall,
  DONE_MEMBERS,
  ItemIds,
  itemEdits,
  missingReference,
  NOTHING_MISSING,
  neededOfResponse,
  observe,
  responseEdits,
} from './relay.answer.ts';
import { usageJson } from './usage.ts';

const EVENT_MEMBERS = new MemberNames('type', 'sequence_number', 'response', 'error', 'delta', 'item');
const EMPTY = new Uint8Array(0);

const FINAL_TYPES: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * Relays a Responses stream. Each event's bytes pass unchanged, except that a response object gets the public model id, and
 * the final one also `_routing`. Nothing is held back.
 */
export class ResponsesStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  usage: Usage | null = null;
  served = NOTHING_SAID;
  readonly produced = new ProducedText();
  answerJson: string | null = null;
  awaitsUsage = false;
  private estimate: Usage | null = null;
  /** The final event, around its response. */
  private last: { before: Uint8Array; response: Uint8Array<ArrayBuffer>; after: Uint8Array } | null = null;

  private readonly splitter = new EventSplitter();
  private sawEvent = false;
  /** The response object of the opening event. */
  private opening: Readonly<Record<string, unknown>> | null = null;
  private nextSequenceNumber = 0;
  private out: Uint8Array[] = [];

  private readonly needed: Needed;
  private readonly ids: ItemIds;

  constructor(private readonly patch: RelayPatch) {
    this.needed = neededOfResponse(patch);
    this.ids = new ItemIds(patch.newId);
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure) return EMPTY;
    this.failure = splitPiece(this.splitter, piece, this.onEvent) ?? this.failure;
    return this.take();
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    const rest = this.splitter.rest();
    if (rest.length > 0) this.onEvent(withBlankLine(rest));
    if (this.failure || this.finished) return this.take();
    this.failure = this.sawEvent ? truncatedStream() : emptyStream();
    return this.take();
  }

  get opened(): boolean {
    return this.opening !== null;
  }

  /** Returns the error event and then the failed response: OpenAI's service ends a failed stream in the same way. */
  encodeFailure(failure: Failure): string {
    const number = this.nextSequenceNumber;
    if (this.opening === null) return errorEvent(failure, number);
    const routing: unknown = JSON.parse(this.patch.routing.json);
    const response = { ...this.opening, status: 'failed', error: responseError(failure), _routing: routing };
    const event = { type: 'response.failed', sequence_number: number + 1, response };
    return `${errorEvent(failure, number)}event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
  }

  private readonly onEvent = (event: Uint8Array): void => {
    if (this.failure) return;
    const data = dataSpan(event);
    if (data === 'many') {
      this.onEvent(onOneLine(event));
      return;
    }
    const comment = passingComment(event, data);
    if (comment !== null) {
      this.out.push(comment);
      return;
    }
    const object = data === null ? null : scanObject(event, data.start, EVENT_MEMBERS);
    if (object === null) {
      // An incomplete object would break the client's parser.
      if (isDoneMark(event)) this.out.push(event);
      else this.failure = eventNotJson();
      return;
    }
    const missing = completeEvent(event, object, this.nextSequenceNumber, this.ids);
    if (missing.length > 0) {
      this.onEvent(applyEdits(event, inOrder([...missing])));
      return;
    }
    let type: MemberSpan | null = null;
    let response: MemberSpan | null = null;
    let error: MemberSpan | null = null;
    let item: MemberSpan | null = null;
    const ownNumber = this.nextSequenceNumber;
    // An unreadable number is passed on, and the next generated number follows the count of events so far.
    this.nextSequenceNumber++;
    for (const member of object.members) {
      if (member.name === 'type') type = member;
      else if (member.name === 'response') response = member;
      else if (member.name === 'error') error = member;
      else if (member.name === 'item') item = member;
      // In every kind of event the model's output (text, reasoning, a call's arguments) is in `delta`.
      else if (member.name === 'delta') this.produced.addString(event, member);
      else this.readNumber(event, member);
    }
    const name = type === null ? null : safeParse(event, type);
    if (item !== null && name === 'response.output_item.added') noteItem(event, item, this.produced);
    if (item !== null && name === 'response.output_item.done') noteBilledCall(event, item, this.produced);
    this.sawEvent = true;
    const isError = name === 'error' || (error !== null && response === null && !isNullAt(event, error.valueStart));
    if (isError) this.readError(event, object);
    else if (type === null && !this.started) this.failure = bodyNoAnswer();
    else {
      if (response === null) this.out.push(completedEvent(event, object, name, item));
      else this.onResponse(event, response, FINAL_TYPES.has(name));
      // An error may still follow the opening events, and then another target can answer instead.
      if (!this.started && this.failure === null) this.started = hasContent(parseObject(event, object) ?? {});
    }
    // An event that reports a failure is not passed on: the gateway's own error event takes its number.
    if (this.failure !== null) this.nextSequenceNumber = ownNumber;
  };

  private onResponse(event: Uint8Array, member: MemberSpan, isFinal: boolean): void {
    const object = scanObject(event, member.valueStart, ANSWER_MEMBERS);
    if (object === null) {
      this.out.push(event);
      return;
    }
    const seen = observe(event, object);
    this.failure = seen.failure;
    if (this.failure) return;
    this.served = laterSaid(this.served, seen.served);
    if (seen.usage !== null) {
      this.usage = seen.usage;
      this.produced.markReported();
    }
    const { patch, needed, ids } = this;
    const edits = responseEdits(event, object, { patch, needed, ids, isFinal });
    if (isFinal) {
      this.finish(event, object, edits);
      return;
    }
    this.out.push(edits.length === 0 ? event : applyEdits(event, edits));
    const opening = parseObject(event, object);
    if (opening !== null) this.opening = { ...opening, model: patch.publicModel };
  }

  private finish(event: Uint8Array, object: ObjectSpan, edits: readonly Edit[]): void {
    this.finished = true;
    const response = applyEdits(event.subarray(object.start, object.end), editsWithin(object, edits));
    this.last = { before: event.slice(0, object.start), response, after: event.slice(object.end) };
    if (this.usage === null) this.awaitsUsage = true;
    else this.out.push(this.lastEvent());
  }

  private lastEvent(): Uint8Array {
    const { last, estimate } = this;
    if (last === null) return EMPTY;
    const { before, after } = last;
    const response = estimate === null ? last.response : withMember(last.response, 'usage', usageJson(estimate));
    this.answerJson = new TextDecoder().decode(response);
    return joinPieces([before, response, after]);
  }

  counted(usage: Usage): void {
    this.estimate = usage;
  }

  lastFrames(): Uint8Array {
    if (!this.awaitsUsage) return EMPTY;
    this.awaitsUsage = false;
    return this.lastEvent();
  }

  private readError(event: Uint8Array, object: ObjectSpan): void {
    this.failure = failureInEvent(parseObject(event, object) ?? {});
  }

  private readNumber(event: Uint8Array, member: MemberSpan): void {
    let value = 0;
    for (let at = member.valueStart; at < member.valueEnd; at++) {
      const digit = (event[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) return;
      value = value * 10 + digit;
    }
    this.nextSequenceNumber = value + 1;
  }

  private take(): Uint8Array {
    const { out } = this;
    if (out.length === 0) return EMPTY;
    this.out = [];
    return joinPieces(out);
  }
}

/** Adds arguments to events that state a whole call. */
function completedEvent(event: Uint8Array, object: ObjectSpan, name: unknown, item: MemberSpan | null): Uint8Array {
  let edits: Edit[] = [];
  if (name === 'response.function_call_arguments.done') edits = completeArguments(event, object.start);
  else if (name === 'response.output_item.done' && item !== null) edits = completeCall(event, item);
  return edits.length === 0 ? event : applyEdits(event, edits);
}

function parseObject(bytes: Uint8Array, { start, end }: ObjectSpan): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseSpan(bytes, start, end);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Returns the edits for an event's missing members: its number, its item's id, and references to that id. Only events with an
 * item are examined until an item without an id has appeared.
 */
function completeEvent(event: Uint8Array, object: ObjectSpan, number: number, ids: ItemIds): readonly Edit[] {
  const item = memberNamed(object, 'item');
  const hasNumber = memberNamed(object, 'sequence_number') !== null;
  // The fast path for nearly all events allocates nothing.
  if (hasNumber && item === null && ids.isEmpty) return NOTHING_MISSING;
  const edits: Edit[] = [];
  let appended = hasNumber ? '' : `"sequence_number":${number}`;
  if (item !== null) edits.push(...itemEdits(event, object, item, ids));
  else if (!ids.isEmpty) {
    const id = missingReference(event, object, ids);
    if (id !== null) appended += `${appended === '' ? '' : ','}"item_id":${JSON.stringify(id)}`;
  }
  if (appended !== '') edits.push(appendMember(object, appended));
  return edits;
}

/** Does the same for the event that states the arguments of a call. */
function completeArguments(event: Uint8Array, from: number): Edit[] {
  const object = scanObject(event, from, DONE_MEMBERS);
  return object === null ? [] : fillIn(event, object, ARGUMENTS);
}
