import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest, RelayedAnswer, RelayPatch, StreamRelay } from '../../format.ts';
import {
  bodyNoAnswer,
  bodyNotJson,
  emptyStream,
  eventNotJson,
  truncatedStream,
} from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isEmptyList,
  isList,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
} from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { membersOf } from '../../shared/request/body.ts';
import {
  joinPieces,
  onOneLine,
  routingEdit,
  splitPiece,
  withBlankLine,
  withMember,
} from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, isDoneMark, joinedData, passingComment } from '../../shared/stream/sse.ts';
import { EventTemplates } from '../shared/event-template.ts';
import { fillIn, inOrder, isUnset, type Needed, neededText } from '../shared/fill-in.ts';
import { withSearches } from '../shared/hosted-searches.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { servedAs } from '../shared/served-as.ts';
import { decodeUsage, encodeDeltaUsage, mergeUsage, tierOf } from './answer.decode.ts';
import { errorStatus } from './failure.ts';
import { hasContent, noteBlock, noteBlockEvent } from './produced.ts';
import { BlockIndexes } from './relay-completion.ts';

const REQUEST_MEMBERS = new MemberNames('model');
const ANSWER_MEMBERS = new MemberNames(
  ...['id', 'type', 'role', 'model', 'usage', 'error', 'content', 'stop_reason', '_routing'],
);

/**
 * Returns the only declared patch of this format's requests, the model id (design, section 3). Every other byte stays as the
 * client sent it.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const object = membersOf(request, REQUEST_MEMBERS);
  if (request.model === upstreamModel) return [];
  return object.members.map((member) => replaceValue(member, JSON.stringify(upstreamModel)));
}

/**
 * Returns a whole message: the upstream's bytes with the public model id and `_routing`. A body that is not a message, or that
 * carries an error under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let model: unknown = null;
  let content: MemberSpan | null = null;
  let hasReason = false;
  let more = `"_routing":${patch.routing.json}`;
  let error: unknown = null;
  for (const member of object.members) {
    if (member.name === 'model') {
      model = safeParse(bytes, member);
      if (!isUnset(bytes, member)) edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    } else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') error = safeParse(bytes, member);
    else if (member.name === '_routing') {
      more = '';
      edits.push(replaceValue(member, patch.routing.json));
    } else if (member.name === 'content') content = member;
    else if (member.name === 'stop_reason') hasReason = !isNullAt(bytes, member.valueStart);
  }
  // A model may stop without any output. The answer then has a stop reason.
  const isAnswer = content !== null && isList(bytes, content) && (hasReason || !isEmptyList(bytes, content));
  if (error !== null && !isAnswer) return decodeFailure(errorStatus(error), new Headers(), bytes);
  if (!isAnswer || content === null) return bodyNoAnswer();
  const needed = { ...neededOfMessage(patch), stop_reason: () => stopReason(bytes, content) };
  edits.push(...fillIn(bytes, object, needed, { more }));
  return {
    bytes: applyEdits(bytes, inOrder(edits)),
    usage: usageOf(bytes, usage, content),
    served: servedOf(model, usage),
  };
}

/** Returns the members that clients need in a message. */
function neededOfMessage({ publicModel, newId }: RelayPatch): Needed {
  return {
    id: () => JSON.stringify(newId('msg_')),
    type: () => '"message"',
    role: () => '"assistant"',
    model: () => JSON.stringify(publicModel),
  };
}

const TOOL_USE = Buffer.from('"tool_use"');

/** Returns the reason for a message that states none: clients run the tools of a message that ended with `tool_use`. */
function stopReason(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return text.includes(TOOL_USE) ? '"tool_use"' : '"end_turn"';
}

const SERVER_TOOL = Buffer.from('"server_tool_use"');

/** Returns the usage. The content blocks are parsed only if they may contain searches that the usage does not count. */
function usageOf(bytes: Uint8Array, reported: unknown, content: MemberSpan | null): Usage | null {
  const usage = decodeUsage(reported);
  if (usage === null || usage.webSearches !== undefined || content === null) return usage;
  const { valueStart, valueEnd } = content;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart);
  return text.includes(SERVER_TOOL) ? withSearches(usage, safeParse(bytes, content)) : usage;
}

// ---- streams

const EVENT_MEMBERS = new MemberNames('type', 'message', 'usage', 'error', 'delta', 'content_block', '_routing');
const MESSAGE_MEMBERS = new MemberNames(
  ...['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'],
);
/** The members that a message has when it begins; the SDKs add to its usage. */
const NEEDED_AT_START: Needed = {
  content: () => '[]',
  stop_reason: () => 'null',
  stop_sequence: () => 'null',
  usage: () => '{"input_tokens":0,"output_tokens":0}',
};
const EMPTY = new Uint8Array(0);
const BLANK_LINE = new Uint8Array([0x0a, 0x0a]);
const utf8 = new TextEncoder();

/** The events that make up an answer. A stream end without any of them is an empty stream. */
const EVENTS_OF_ANSWERS: ReadonlySet<unknown> = new Set([
  ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta'],
]);

/** Nearly all events of a stream begin like this, and they need no patch. */
const BLOCK_EVENT = utf8.encode('event: content_block_');
const DELTA_EVENT = utf8.encode('event: content_block_delta');

/**
 * Relays a stream of Anthropic events. Each event's bytes pass unchanged, except for the public model id in `message_start`
 * and `_routing` in `message_stop`. An `error` event is not passed on: the engine ends the stream with the gateway's own
 * error.
 */
export class MessagesStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  opened = false;
  started = false;
  readonly produced = new ProducedText();

  private readonly splitter = new EventSplitter();
  private readonly modelJson: string;
  private readonly routing: WrittenRouting;
  private wireUsage: unknown = null;
  private model: unknown = null;
  readonly templates = new EventTemplates(this.produced);
  private readonly indexes = new BlockIndexes();
  private out: Uint8Array[] = [];
  private isEnding = false;
  awaitsUsage = false;
  private estimate: Usage | null = null;
  /** The `message_delta` of a stream without a report, and the event that ends it. */
  private unreported: { readonly before: Uint8Array; readonly delta: Uint8Array<ArrayBuffer> } | null = null;
  private stop = EMPTY;

  constructor(private readonly patch: RelayPatch) {
    this.modelJson = JSON.stringify(patch.publicModel);
    this.routing = patch.routing;
  }

  get usage(): Usage | null {
    return decodeUsage(this.wireUsage);
  }

  get served(): ServedAs {
    return servedOf(this.model, this.wireUsage);
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure) return EMPTY;
    // A piece is usually one event.
    const sent = this.indexes.isComplete && this.splitter.isBetween ? this.templates.take(piece) : null;
    if (sent !== null) return sent;
    this.failure = splitPiece(this.splitter, piece, this.onEvent) ?? this.failure;
    return this.take();
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    this.isEnding = true;
    const rest = this.splitter.rest();
    if (rest.length > 0) this.onEvent(withBlankLine(rest));
    if (!this.failure && !this.finished) this.failure = this.opened ? truncatedStream() : emptyStream();
    return this.take();
  }

  private readonly onEvent = (sentEvent: Uint8Array): void => {
    if (this.failure) return;
    const event = this.indexes.isComplete ? sentEvent : this.indexes.completed(sentEvent);
    const sent = this.templates.take(event);
    if (sent !== null) {
      this.out.push(sent);
      return;
    }
    if (equalAt(event, 0, BLOCK_EVENT)) {
      this.opened = true;
      if (!this.started) this.noteStart(event);
      const { pieces } = this.produced;
      noteBlockEvent(event, this.produced);
      // In other events a name may be significant (`web_search`).
      if (equalAt(event, 0, DELTA_EVENT)) this.templates.learn(event, pieces, null, []);
      this.out.push(event);
      return;
    }
    const data = dataSpan(event);
    if (data === 'many') {
      this.onEvent(onOneLine(event, nameLine(event)));
      return;
    }
    const comment = passingComment(event, data);
    if (comment !== null) this.out.push(comment);
    else if (data !== null) this.onObject(event, scanObject(event, data.start, EVENT_MEMBERS));
  };

  private onObject(event: Uint8Array, object: ObjectSpan | null): void {
    if (!object) {
      // A broken connection leaves the beginning of an event. `[DONE]` belongs to another format.
      if (!this.isEnding && !isDoneMark(event)) this.failure = eventNotJson();
      return;
    }
    const member = (name: string) => object.members.find((candidate) => candidate.name === name);
    const type = parsed(event, member('type'));
    if (type === 'error') {
      const error = parsed(event, member('error'));
      this.failure = decodeFailure(errorStatus(error), new Headers(), event.subarray(object.start, object.end));
      return;
    }
    if (type === 'message_stop' && !this.opened) {
      this.failure = emptyStream();
      return;
    }
    this.opened ||= EVENTS_OF_ANSWERS.has(type);
    if (!this.started && EVENTS_OF_ANSWERS.has(type)) this.noteStart(event);
    if (type === 'message_start') this.out.push(this.messageStart(event, member('message')));
    else if (type === 'message_stop') this.out.push(this.messageStop(event, object, member('_routing')));
    else {
      if (type === 'message_delta') {
        this.noteUsage(parsed(event, member('usage')));
        if (this.lacksReport()) {
          this.unreported = { before: event.slice(0, object.start), delta: event.slice(object.start, object.end) };
          return;
        }
      } else this.noteBlocks(event, object);
      this.out.push(event);
    }
  }

  private lacksReport(): boolean {
    const { usage, produced } = this;
    return usage === null || promptTokens(usage) === 0 || (completionTokens(usage) === 0 && produced.bytes > 0);
  }

  counted(usage: Usage): void {
    this.estimate = usage;
  }

  /** Returns the `message_delta`, from which the SDKs take the counts, and the end. */
  lastFrames(): Uint8Array {
    if (!this.awaitsUsage || this.unreported === null) return EMPTY;
    this.awaitsUsage = false;
    const { before, delta } = this.unreported;
    const { estimate } = this;
    const told = estimate === null ? delta : withMember(delta, 'usage', encodeDeltaUsage(estimate));
    return joinPieces([before, told, BLANK_LINE, this.stop]);
  }

  /**
   * Notes the start. An event that only opens a message or a block is not part of the answer: another target can still answer
   * instead.
   */
  private noteStart(event: Uint8Array): void {
    const value = parseObject(joinedData(event));
    this.started = value !== null && hasContent(value);
  }

  private noteUsage(usage: unknown): void {
    if (this.finished || usage === null) return;
    this.wireUsage = mergeUsage(this.wireUsage, usage);
    this.produced.markReported();
  }

  /** Notes the output in the events of compatible servers, which have no name line. */
  private noteBlocks(event: Uint8Array, object: ObjectSpan): void {
    for (const member of object.members) {
      if (member.name === 'delta' || member.name === 'content_block') noteBlock(event, member, this.produced);
    }
  }

  private messageStart(event: Uint8Array, message: MemberSpan | undefined): Uint8Array {
    const object = message && scanObject(event, message.valueStart, MESSAGE_MEMBERS);
    if (!object) return event;
    const edits: Edit[] = [];
    for (const member of object.members) {
      if (member.name === 'model') {
        this.model = safeParse(event, member);
        if (!isUnset(event, member)) edits.push(replaceValue(member, this.modelJson));
      } else if (member.name === 'usage') this.noteUsage(safeParse(event, member));
    }
    const needed = neededOfMessage(this.patch);
    const unset = object.members.filter((member) => Object.hasOwn(needed, member.name) && isUnset(event, member));
    for (const member of unset) edits.push(replaceValue(member, neededText(needed, member.name)));
    edits.push(...fillIn(event, object, { ...needed, ...NEEDED_AT_START }, { replacesUnset: false }));
    return applyEdits(event, inOrder(edits));
  }

  private messageStop(event: Uint8Array, object: ObjectSpan, present: MemberSpan | undefined): Uint8Array {
    this.finished = true;
    const stop = applyEdits(event, [routingEdit(object, present, this.routing)]);
    if (this.unreported === null) return stop;
    this.awaitsUsage = true;
    this.stop = stop;
    return EMPTY;
  }

  private take(): Uint8Array {
    const { out } = this;
    if (out.length === 0) return EMPTY;
    this.out = [];
    return joinPieces(out);
  }
}

function servedOf(model: unknown, usage: unknown): ServedAs {
  return servedAs(model, tierOf(usage).serviceTier);
}

function parsed(event: Uint8Array, member: MemberSpan | undefined): unknown {
  return member === undefined ? null : safeParse(event, member);
}

/** Returns the event's own name line, which the SDKs need. Used when the data came on several lines and is joined to one. */
function nameLine(event: Uint8Array): string {
  const line = new TextDecoder()
    .decode(event)
    .split(/\r\n|\n|\r/)
    .find((text) => text.startsWith('event:'));
  return line === undefined ? '' : `${line}\n`;
}
