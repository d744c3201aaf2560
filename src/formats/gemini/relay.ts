import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerPatch, ParsedRequest, RelayedAnswer, StreamRelay } from '../format.ts';
import { bodyNotJson, emptyStream, eventNotJson, truncatedStream } from '../shared/answer-failure.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../shared/json-patch.ts';
import {
  equalAt,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../shared/json-scan.ts';
import { parseObject } from '../shared/json-text.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { editsWithin, joinPieces, routingEdit, splitPiece, withBlankLine } from '../shared/relay-pieces.ts';
import { dataSpan, EventSplitter, joinedData } from '../shared/sse.ts';
import { webSearchesOf } from './citations.ts';
import { encodeFailure } from './failure.ts';
import { promptBlock } from './finish.ts';
import { noteContent } from './produced.ts';
import { errorInAnswer } from './response.ts';
import { decodeUsage } from './usage.ts';
import { errorOf } from './wire.ts';

const ANSWER_MEMBERS = new MemberNames(
  'modelVersion',
  'usageMetadata',
  'error',
  'candidates',
  'promptFeedback',
  '_routing',
);
const CANDIDATE_MEMBERS = new MemberNames('finishReason', 'groundingMetadata', 'content');
const USAGE_COUNTS = new MemberNames('promptTokenCount', 'candidatesTokenCount', 'totalTokenCount');
const utf8 = new TextEncoder();
const EMPTY = new Uint8Array(0);

const COUNT_MEMBERS = new MemberNames('generateContentRequest', 'generate_content_request');
const MODEL = new MemberNames('model');

/**
 * The client's bytes. The path names the model, and a `model` beside `contents` is overruled by it; only the one inside a
 * count's `generateContentRequest` is read by the API, so that one becomes the upstream's.
 */
export function relayRequest({ bytes, call, model }: ParsedRequest, upstreamModel: string): Uint8Array<ArrayBuffer> {
  if (call.operation !== 'count-tokens' || model === upstreamModel) return new Uint8Array(bytes);
  const wrapper = scanObject(bytes, 0, COUNT_MEMBERS)?.members[0];
  const inner = wrapper === undefined ? null : scanObject(bytes, wrapper.valueStart, MODEL);
  const name = JSON.stringify(`models/${upstreamModel}`);
  return applyEdits(bytes, inner?.members.map((member) => replaceValue(member, name)) ?? []);
}

/** A whole answer, or a count's: the upstream's bytes with the public model id and `_routing`. */
export function relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const facts = readFacts(bytes, object, null);
  if (facts.failure !== null && !facts.hasCandidates) return facts.failure;
  return {
    bytes: applyEdits(bytes, allEdits(bytes, object, patch)),
    usage: facts.usageMember === null ? null : decodeUsage(safeParse(bytes, facts.usageMember), facts.webSearches),
  };
}

interface Facts {
  readonly failure: Failure | null;
  /** The `usageMetadata`, unread. */
  readonly usageMember: MemberSpan | null;
  readonly hasCandidates: boolean;
  readonly webSearches: number;
  /** A candidate has its finish reason, or the prompt was blocked. */
  readonly isEnd: boolean;
}

function readFacts(bytes: Uint8Array, object: ObjectSpan, produced: ProducedText | null, searchesBefore = 0): Facts {
  let failure: Failure | null = null;
  let usageMember: MemberSpan | null = null;
  let candidates: CandidateFacts = { count: 0, webSearches: 0, finished: false };
  let isBlocked = false;
  for (const member of object.members) {
    if (member.name === 'usageMetadata') usageMember = member;
    else if (member.name === 'candidates') candidates = readCandidates(bytes, member.valueStart, produced);
    else if (member.name === 'promptFeedback')
      isBlocked = promptBlock({ promptFeedback: safeParse(bytes, member) }) !== null;
    else if (member.name === 'error') {
      const error = safeParse(bytes, member);
      if (errorOf(error)) failure = errorInAnswer(error);
    }
  }
  const webSearches = Math.max(searchesBefore, candidates.webSearches);
  return {
    failure,
    usageMember,
    hasCandidates: candidates.count > 0,
    webSearches,
    isEnd: candidates.finished || isBlocked,
  };
}

interface CandidateFacts {
  readonly count: number;
  readonly webSearches: number;
  readonly finished: boolean;
}

/** Walks the array of candidates without building it; grounding alone is read, since Google charges for its searches. */
function readCandidates(bytes: Uint8Array, start: number, produced: ProducedText | null): CandidateFacts {
  let count = 0;
  let webSearches = 0;
  let finished = false;
  let at = start;
  for (;;) {
    // Past the opening bracket or a comma; what is no object there ends the array.
    const candidate = scanObject(bytes, at + 1, CANDIDATE_MEMBERS);
    if (!candidate) return { count, webSearches, finished };
    count++;
    for (const member of candidate.members) {
      if (isNullAt(bytes, member.valueStart)) continue;
      if (member.name === 'finishReason') finished = true;
      else if (member.name === 'content') {
        if (produced !== null) noteContent(bytes, member, produced);
      } else webSearches += webSearchesOf({ groundingMetadata: safeParse(bytes, member) });
    }
    at = skipWhitespace(bytes, candidate.end);
  }
}

function modelEdits(bytes: Uint8Array, object: ObjectSpan, { publicModel }: AnswerPatch): Edit[] {
  const edits: Edit[] = [];
  for (const member of object.members) {
    if (member.name !== 'modelVersion') continue;
    const json = JSON.stringify(publicModel);
    if (!isAlready(bytes, member, json)) edits.push(replaceValue(member, json));
  }
  return edits;
}

function isAlready(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan, json: string): boolean {
  const expected = utf8.encode(json);
  return valueEnd - valueStart === expected.length && equalAt(bytes, valueStart, expected);
}

function allEdits(bytes: Uint8Array, object: ObjectSpan, patch: AnswerPatch): Edit[] {
  const present = object.members.find((member) => member.name === '_routing');
  const edits = [...modelEdits(bytes, object, patch), routingEdit(object, present, patch.routingJson)];
  return edits.sort((left, right) => left.start - right.start);
}

/**
 * Carries a stream of events to the client, as events or as the elements of one array. Only a chunk that may be the last is
 * held until the next one comes or the stream ends, since `_routing` goes into the last.
 */
export class GeminiStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  readonly produced = new ProducedText();

  private readonly splitter = new EventSplitter();
  private readonly isArray: boolean;
  private sawEnd = false;
  private opened = false;
  private ending = false;
  private webSearches = 0;
  private usageBytes: Uint8Array | null = null;
  private held: { readonly event: Uint8Array; readonly object: ObjectSpan } | null = null;
  private out: Uint8Array[] = [];

  constructor(
    request: ParsedRequest,
    private readonly patch: AnswerPatch,
  ) {
    this.isArray = request.call.framing === 'json-array';
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure) return EMPTY;
    this.failure = splitPiece(this.splitter, piece, this.onEvent) ?? this.failure;
    return this.take();
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    this.ending = true;
    const rest = this.splitter.rest();
    if (rest.length > 0) this.onEvent(withBlankLine(rest));
    if (this.failure) return this.take();
    if (!this.sawEnd || this.held === null) {
      this.failure = this.started ? truncatedStream() : emptyStream();
      return this.take();
    }
    this.finished = true;
    const { event, object } = this.held;
    this.held = null;
    this.send(event, object, allEdits(event, object, this.patch));
    if (this.isArray) this.out.push(utf8.encode(']'));
    return this.take();
  }

  /** Where the array has not been opened yet, the error opens it. */
  encodeFailure(failure: Failure): string | null {
    return this.isArray && !this.opened ? `[${encodeFailure(failure).body}]` : null;
  }

  private readonly onEvent = (event: Uint8Array): void => {
    if (this.failure) return;
    const data = dataSpan(event);
    if (data === null) {
      if (!this.isArray) this.out.push(event);
    } else if (data === 'many') this.onManyLines(event);
    else this.onChunk(event, data.start);
  };

  /** Several data lines are one text, or, where a proxy left out the blank lines, an event each. */
  private onManyLines(event: Uint8Array): void {
    const text = joinedData(event);
    const lines = parseObject(text) !== null ? [text.replaceAll('\n', ' ')] : text.split('\n');
    for (const line of lines) this.onEvent(utf8.encode(`data: ${line}\n\n`));
  }

  private onChunk(event: Uint8Array, dataStart: number): void {
    const object = scanObject(event, dataStart, ANSWER_MEMBERS);
    if (!object) {
      // An unfinished last event is what a broken connection leaves; `[DONE]` is another format's, and says nothing here.
      if (!this.ending && !isDone(event, dataStart)) {
        this.failure = eventNotJson();
      }
      return;
    }
    const facts = readFacts(event, object, this.produced, this.webSearches);
    if (facts.failure !== null) {
      this.failure = facts.failure;
      return;
    }
    this.started = true;
    this.webSearches = facts.webSearches;
    this.noteUsage(event, facts.usageMember);
    this.sawEnd ||= facts.isEnd;
    this.release();
    // The splitter may reuse a piece's memory, so what is held is copied.
    if (this.sawEnd) this.held = { event: event.slice(), object };
    else this.send(event, object, modelEdits(event, object, this.patch));
  }

  /**
   * Usage in a stream is cumulative: the latest report stands. Every chunk has one, and only the last is ever read, so its
   * bytes are kept until someone asks. Vertex' reports without counts are none.
   */
  private noteUsage(event: Uint8Array, member: MemberSpan | null): void {
    if (member === null) return;
    const counts = scanObject(event, member.valueStart, USAGE_COUNTS);
    if (counts === null || counts.members.length === 0) return;
    this.usageBytes = event.slice(member.valueStart, member.valueEnd);
    this.produced.markReported();
  }

  get usage(): Usage | null {
    if (this.usageBytes === null) return null;
    const whole = { name: 'usageMetadata', keyStart: 0, valueStart: 0, valueEnd: this.usageBytes.length };
    return decodeUsage(safeParse(this.usageBytes, whole), this.webSearches);
  }

  private release(): void {
    if (this.held === null) return;
    const { event, object } = this.held;
    this.held = null;
    this.send(event, object, modelEdits(event, object, this.patch));
  }

  private send(event: Uint8Array, object: ObjectSpan, edits: readonly Edit[]): void {
    if (!this.isArray) {
      this.out.push(edits.length === 0 ? event : applyEdits(event, edits));
      return;
    }
    this.out.push(
      utf8.encode(this.opened ? '\r\n,\r\n' : '['),
      applyEdits(event.subarray(object.start, object.end), editsWithin(object, edits)),
    );
    this.opened = true;
  }

  private take(): Uint8Array {
    const { out } = this;
    if (out.length === 0) return EMPTY;
    this.out = [];
    return joinPieces(out);
  }
}

const DONE = utf8.encode('[DONE]');

function isDone(event: Uint8Array, dataStart: number): boolean {
  return equalAt(event, skipWhitespace(event, dataStart), DONE);
}
