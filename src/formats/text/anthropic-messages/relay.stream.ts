import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { appendMember, applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import { equalAt, MemberNames, type MemberSpan, type ObjectSpan, scanObject } from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import {
  joinPieces,
  onOneLine,
  routingEdit,
  splitPiece,
  withBlankLine,
  withMember,
} from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, isDoneMark, joinedData, passingComment } from '../../shared/stream/sse.ts';
import type { RelayPatch } from '../client-request.ts';
import type { StreamRelay } from '../format.ts';
import { EventTemplates } from '../shared/event-template.ts';
import { fillIn, inOrder, isUnset, memberNamed, type Needed, neededText } from '../shared/fill-in.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { errorStatus } from './failure.ts';
import { hasContent, noteBlock, noteBlockEvent } from './produced.ts';
import { neededOfMessage, servedOf } from './relay.answer.ts';
import { decodeUsage, encodeDeltaUsage, mergeUsage } from './usage.ts';

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

const MEMBERS = new MemberNames('type', 'index');
const BLOCK_EVENTS: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

/** Supplies the `index` of block events, by which clients find the block, for upstreams that omit it. */
class BlockIndexes {
  /**
   * Whether the upstream has stated the index of a block's start and of its first delta, so that later events need no inspection.
   */
  isComplete = false;
  private hasStarts = false;
  private lacksSome = false;
  /** The index of the block that was started last. */
  private index = -1;

  /** Returns the event with its index; the same event if none is missing. */
  completed(event: Uint8Array): Uint8Array {
    const data = dataSpan(event);
    // Events with several data lines are put on one line first, and passed in again.
    if (data === null || data === 'many') return event;
    const object = scanObject(event, data.start, MEMBERS);
    const member = object === null ? null : memberNamed(object, 'type');
    const type = member === null ? null : safeParse(event, member);
    if (object === null || !BLOCK_EVENTS.has(type)) return event;
    const present = memberNamed(object, 'index');
    const stated = present === null ? null : numberIn(event, present);
    if (type === 'content_block_start') this.index = stated ?? this.index + 1;
    if (stated === null) this.lacksSome = true;
    else if (type === 'content_block_start') this.hasStarts = true;
    else this.isComplete = this.hasStarts && !this.lacksSome;
    return present === null ? applyEdits(event, [appendMember(object, `"index":${Math.max(0, this.index)}`)]) : event;
  }
}

function numberIn(event: Uint8Array, member: MemberSpan): number | null {
  const value = safeParse(event, member);
  return typeof value === 'number' ? value : null;
}
