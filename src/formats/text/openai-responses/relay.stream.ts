import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest, RelayedAnswer, RelayPatch, StreamRelay } from '../../format.ts';
import {
  bodyNoAnswer,
  bodyNotJson,
  emptyStream,
  eventNotJson,
  truncatedStream,
} from '../../shared/failure/answer-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  isEmptyList,
  isList,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  parseSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import {
  editsWithin,
  joinPieces,
  onOneLine,
  splitPiece,
  withBlankLine,
  withMember,
} from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, isDoneMark, passingComment } from '../../shared/stream/sse.ts';
import { fillIn, inOrder, isUnset, type Needed } from '../shared/fill-in.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { laterSaid, NOTHING_SAID, servedAs } from '../shared/served-as.ts';
import { errorEvent, failureInEvent, failureInResponse, responseError } from './failure.ts';
import { refusesInputFidelity } from './media.ts';
import { hasContent, noteBilledCall, noteItem } from './produced.ts';
import {
  completeArguments,
  completeCall,
  completeEvent,
  completeOutput,
  ItemIds,
  neededOfResponse,
} from './relay-completion.ts';
import { usageJson, usageOfResponse } from './usage.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'tools');
const TOOL_MEMBERS = new MemberNames('type', 'model', 'input_fidelity');
const ANSWER_MEMBERS = new MemberNames(
  ...[
    'id',
    'object',
    'created',
    'created_at',
    'model',
    'usage',
    'error',
    'status',
    'output',
    'tool_usage',
    'service_tier',
    '_routing',
  ],
);
const EVENT_MEMBERS = new MemberNames('type', 'sequence_number', 'response', 'error', 'delta', 'item');
const EMPTY = new Uint8Array(0);

/**
 * Returns the declared patches of a request (design, section 3): the model id, and the contract's rule for hosted image
 * generation. Every other byte stays as the client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const { bytes, body } = request;
  const object = membersOf(request, REQUEST_MEMBERS);
  const edits: Edit[] = [];
  for (const member of object.members) {
    if (member.name !== 'tools') edits.push(...modelEdits(request, member, upstreamModel));
    else if (hasFidelity(body.tools)) edits.push(...imageToolEdits(bytes, member));
  }
  return edits;
}

function modelEdits({ model }: ParsedRequest, member: MemberSpan, upstreamModel: string): Edit[] {
  return model === upstreamModel ? [] : [replaceValue(member, JSON.stringify(upstreamModel))];
}

/**
 * Returns whether a tool has the member. Checked first, because hardly any request has it, and the bytes of all tools may be
 * megabytes.
 */
function hasFidelity(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && Object.hasOwn(tool, 'input_fidelity'));
}

/** Removes an `input_fidelity` that the image model refuses from each image_generation tool. */
function imageToolEdits(bytes: Uint8Array, tools: MemberSpan): Edit[] {
  const edits: Edit[] = [];
  let at = tools.valueStart;
  for (;;) {
    // The position after the opening bracket or a comma. If no object follows, the array has ended.
    const tool = scanObject(bytes, at + 1, TOOL_MEMBERS);
    if (!tool || tool.end > tools.valueEnd) return edits;
    edits.push(...inputFidelityEdits(bytes, tool));
    at = skipWhitespace(bytes, tool.end);
  }
}

function inputFidelityEdits(bytes: Uint8Array, tool: ObjectSpan): Edit[] {
  const readMember = (name: string) => {
    const member = tool.members.findLast((candidate) => candidate.name === name);
    return member && safeParse(bytes, member);
  };
  if (readMember('type') !== 'image_generation' || !refusesInputFidelity(readMember('model'))) return [];
  const found = tool.members.filter(({ name }) => name === 'input_fidelity');
  // Members that occur twice cannot be cut out one by one, so each is set to null, which means the same.
  return found.map((member) => (found.length === 1 ? removal(bytes, tool, member) : replaceValue(member, 'null')));
}

/** Returns the member with the comma after it, or, as the last one, with the comma before it. */
function removal(bytes: Uint8Array, object: ObjectSpan, { keyStart, valueEnd }: MemberSpan): Edit {
  const after = skipWhitespace(bytes, valueEnd);
  if (bytes[after] === COMMA) return { start: keyStart, end: skipWhitespace(bytes, after + 1), text: '' };
  let before = keyStart - 1;
  while (before > object.start && bytes[before] !== COMMA) before--;
  return { start: bytes[before] === COMMA ? before : keyStart, end: valueEnd, text: '' };
}

const COMMA = 0x2c;

/**
 * Returns a whole answer: the upstream's bytes with the public model id and `_routing`. A body that is not a JSON object, or that
 * failed under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const seen = observe(bytes, object);
  if (seen.failure) return seen.failure;
  if (!isAnswer(bytes, object)) return bodyNoAnswer();
  const { usage, served } = seen;
  const parts = { patch, needed: neededOfResponse(patch), ids: new ItemIds(patch.newId), isFinal: true };
  return { bytes: applyEdits(bytes, responseEdits(bytes, object, parts)), usage, served };
}

/** Returns whether the body is an answer: it has output items, or a reason why there are none. */
function isAnswer(bytes: Uint8Array, { members }: ObjectSpan): boolean {
  const output = members.find(({ name }) => name === 'output');
  if (output === undefined || !isList(bytes, output)) return false;
  const hasStatus = members.some(({ name, valueStart }) => name === 'status' && !isNullAt(bytes, valueStart));
  return hasStatus || !isEmptyList(bytes, output);
}

interface ResponseParts {
  readonly patch: RelayPatch;
  /** The members that every response of the stream has. */
  readonly needed: Needed;
  readonly ids: ItemIds;
  readonly isFinal: boolean;
}

/** Returns the edits of a response object: its model, missing members, and `_routing` if it is the final one. */
function responseEdits(bytes: Uint8Array, object: ObjectSpan, { patch, needed, ids, isFinal }: ResponseParts): Edit[] {
  const { publicModel, routing } = patch;
  const edits: Edit[] = [];
  let more = isFinal ? `"_routing":${routing.json}` : '';
  for (const member of object.members) {
    if (member.name === 'model' && !isUnset(bytes, member)) {
      edits.push(replaceValue(member, JSON.stringify(publicModel)));
    } else if (member.name === 'output' && isFinal) edits.push(...completeOutput(bytes, member, ids));
    else if (member.name === '_routing' && isFinal) {
      more = '';
      edits.push(replaceValue(member, routing.json));
    }
  }
  const status = isFinal ? '"completed"' : '"in_progress"';
  const created = () => createdOf(bytes, object) ?? String(patch.created);
  return inOrder([...edits, ...fillIn(bytes, object, { ...needed, created, status: () => status }, { more })]);
}

/** Returns the time that the upstream states under OpenAI's name, as JSON text; the contract's name is `created`. */
function createdOf(bytes: Uint8Array, { members }: ObjectSpan): string | null {
  const stated = members.find(({ name }) => name === 'created_at');
  return stated === undefined || isUnset(bytes, stated) ? null : JSON.stringify(safeParse(bytes, stated) ?? null);
}

interface Observed {
  readonly usage: Usage | null;
  readonly served: ServedAs;
  readonly failure: Failure | null;
}

const BILLED_CALLS = [Buffer.from('web_search_call'), Buffer.from('image_generation_call')];

/** Returns whether the output may contain a billed tool call; otherwise it is not parsed, because it is long. */
function mayShowBilledCall(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  const output = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return BILLED_CALLS.some((call) => output.includes(call));
}

function observe(bytes: Uint8Array, object: ObjectSpan): Observed {
  const values: Record<string, unknown> = {};
  for (const member of object.members) {
    if (member.name !== 'output' || mayShowBilledCall(bytes, member))
      setMember(values, member.name, safeParse(bytes, member));
  }
  return {
    usage: usageOfResponse(values),
    served: servedAs(values.model, values.service_tier),
    failure: failureInResponse(values),
  };
}

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
