import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { bothRounds, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
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
  equalAt,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { indexOr, saysSomething } from '../../shared/json/json-values.ts';
import { membersOf } from '../../shared/request/body.ts';
import { editsWithin, joinPieces, splitPiece, withBlankLine } from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, joinedData, passingComment } from '../../shared/stream/sse.ts';
import { fillIn, inOrder, memberNamed, type Needed } from '../shared/fill-in.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { servedAs } from '../shared/served-as.ts';
import { decodeAnswer, errorInAnswer, wireParts } from './answer.decode.ts';
import { webSearchesOf } from './citations.ts';
import { errorOf, numberOf } from './decoding.ts';
import { encodeFailure } from './failure.ts';
import { type CandidateEnd, failedCandidates, finishReasonOf, isAnswer, promptBlock } from './finish.ts';
import { noteContent } from './produced.ts';
import { chunkEdits, lastEdits, neededOf } from './relay-completion.ts';
import { decodeUsage, encodeUsage, serviceTierOf } from './usage.ts';

const READ_MEMBERS = ['modelVersion', 'usageMetadata', 'error', 'candidates', 'promptFeedback', '_routing'] as const;
const ANSWER_MEMBERS = new MemberNames(...READ_MEMBERS, 'responseId');
/** For chunks after one that has an id. */
const MEMBERS_BESIDE_ID = new MemberNames(...READ_MEMBERS);
const CANDIDATE_MEMBERS = new MemberNames('finishReason', 'finishMessage', 'index', 'groundingMetadata', 'content');
const USAGE_COUNTS = new MemberNames(
  ...['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount', 'thoughtsTokenCount'],
);
const utf8 = new TextEncoder();
const EMPTY = new Uint8Array(0);
/** The source matters only for opaque state, which is not used here. */
const NO_SOURCE = { provider: '', channel: '', quirks: [] };

const COUNT_MEMBERS = new MemberNames('generateContentRequest', 'generate_content_request');
const MODEL = new MemberNames('model');

/**
 * Returns the edits of the client's bytes. The path names the model and overrules a `model` beside `contents`. The API reads the
 * one inside a count's `generateContentRequest`, so it is always replaced by the upstream's model id.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const { bytes, call } = request;
  if (call.purpose !== 'count-tokens') return [];
  const wrapper = membersOf(request, COUNT_MEMBERS).members[0];
  const inner = wrapper === undefined ? null : scanObject(bytes, wrapper.valueStart, MODEL);
  const name = JSON.stringify(`models/${upstreamModel}`);
  return inner?.members.map((member) => replaceValue(member, name)) ?? [];
}

/** Returns a whole answer, or the answer to a count request: the upstream's bytes with the public model id and `_routing`. */
export function relayAnswer(bytes: Uint8Array, patch: RelayPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const facts = readFacts(bytes, object, null, false);
  if (facts.failure !== null && facts.candidates === 0) return facts.failure;
  if (facts.candidates === 0 && !facts.isBlocked) return bodyNoAnswer();
  if (
    !facts.isBlocked &&
    !(facts.ends.length === facts.candidates && facts.ends.every(([, { raw }]) => isAnswer(raw)))
  ) {
    const judged = decodeAnswer(bytes, NO_SOURCE);
    if (judged instanceof Failure) return judged;
  }
  const usage = facts.usageMember === null ? null : safeParse(bytes, facts.usageMember);
  const needed = neededOf(patch);
  const edits = [...lastEdits(bytes, object, patch, needed), ...finishEdits(bytes, object)];
  return {
    bytes: applyEdits(bytes, inOrder(edits)),
    usage: decodeUsage(usage, facts.webSearches),
    served: servedAs(modelIn(bytes, object), serviceTierOf(usage)),
  };
}

/** Returns edits that add finish reasons to candidates without one, because a whole answer has ended. */
function finishEdits(bytes: Uint8Array, { members }: ObjectSpan): Edit[] {
  const edits: Edit[] = [];
  for (const { name, valueStart } of members) {
    if (name !== 'candidates') continue;
    let at = valueStart;
    for (;;) {
      const candidate = scanObject(bytes, at + 1, CANDIDATE_MEMBERS);
      if (!candidate) break;
      edits.push(...fillIn(bytes, candidate, { finishReason: () => '"STOP"' }));
      at = skipWhitespace(bytes, candidate.end);
    }
  }
  return edits;
}

interface Facts extends CandidateFacts {
  readonly failure: Failure | null;
  /** The position of `usageMetadata`, which is not parsed yet. */
  readonly usageMember: MemberSpan | null;
  readonly isBlocked: boolean;
}

interface CandidateFacts {
  /** How many candidates there are. */
  readonly candidates: number;
  /** How each finished candidate ended, by index. */
  readonly ends: readonly (readonly [index: number, end: CandidateEnd])[];
  /** Whether a candidate has any content; determined only if the caller asks for it. */
  readonly hasContent: boolean;
  readonly webSearches: number;
}

const NO_CANDIDATES: CandidateFacts = { candidates: 0, ends: [], hasContent: false, webSearches: 0 };

function readFacts(bytes: Uint8Array, object: ObjectSpan, produced: ProducedText | null, seeksContent: boolean): Facts {
  let failure: Failure | null = null;
  let usageMember: MemberSpan | null = null;
  let candidates = NO_CANDIDATES;
  let isBlocked = false;
  for (const member of object.members) {
    if (member.name === 'usageMetadata') usageMember = member;
    else if (member.name === 'candidates')
      candidates = readCandidates(bytes, member.valueStart, produced, seeksContent);
    else if (member.name === 'promptFeedback')
      isBlocked = promptBlock({ promptFeedback: safeParse(bytes, member) }) !== null;
    else if (member.name === 'error') {
      const error = safeParse(bytes, member);
      if (errorOf(error)) failure = errorInAnswer(error);
    }
  }
  return { ...candidates, failure, usageMember, isBlocked };
}

/** Scans the array of candidates without building it. Only grounding is parsed, because Google charges for its searches. */
function readCandidates(
  bytes: Uint8Array,
  start: number,
  produced: ProducedText | null,
  seeksContent: boolean,
): CandidateFacts {
  let candidates = 0;
  let hasContent = false;
  let webSearches = 0;
  const ends: [number, CandidateEnd][] = [];
  let at = start;
  for (;;) {
    // The position after the opening bracket or a comma. If no object follows, the array has ended.
    const candidate = scanObject(bytes, at + 1, CANDIDATE_MEMBERS);
    if (!candidate) return { candidates, ends, hasContent, webSearches };
    const place = candidates++;
    for (const member of candidate.members) {
      if (isNullAt(bytes, member.valueStart)) continue;
      if (member.name === 'finishReason') {
        if (saysReason(bytes, member)) ends.push(endIn(bytes, candidate, member, place));
      } else if (member.name === 'content') {
        if (produced !== null) noteContent(bytes, member, produced);
        if (seeksContent && !hasContent)
          hasContent = wireParts({ content: safeParse(bytes, member) }).some(saysSomething);
      } else if (member.name === 'groundingMetadata')
        webSearches += webSearchesOf({ groundingMetadata: safeParse(bytes, member) });
    }
    at = skipWhitespace(bytes, candidate.end);
  }
}

function endIn(bytes: Uint8Array, { members }: ObjectSpan, reason: MemberSpan, place: number): [number, CandidateEnd] {
  const said = (name: string) => {
    const member = members.find((one) => one.name === name);
    return member === undefined ? null : safeParse(bytes, member);
  };
  const raw = finishReasonOf({ finishReason: safeParse(bytes, reason) });
  const index = indexOr(numberOf(said('index')), place);
  return [index, { raw, message: said('finishMessage'), hasContent: false }];
}

const NO_REASONS = ['""', '0', '"FINISH_REASON_UNSPECIFIED"'].map((text) => utf8.encode(text));

/** Returns whether there is a reason. Servers that always write optional members write the type's zero value into every chunk. */
function saysReason(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
  return !NO_REASONS.some((zero) => zero.length === valueEnd - valueStart && equalAt(bytes, valueStart, zero));
}

function modelIn(bytes: Uint8Array, { members }: ObjectSpan): unknown {
  const member = members.find(({ name }) => name === 'modelVersion');
  return member === undefined ? null : safeParse(bytes, member);
}

/**
 * Relays a stream to the client, as events or as the elements of one array. Only a chunk that may be the last is held until
 * the next one arrives or the stream ends, because `_routing` goes into the last chunk.
 */
export class GeminiStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  readonly produced = new ProducedText();

  private readonly splitter = new EventSplitter();
  private readonly isArray: boolean;
  opened = false;
  private isBlocked = false;
  /**
   * The latest end of each candidate. One may also arrive in mid-stream, when Google's own code has run and the answer continues.
   */
  private readonly ends = new Map<number, CandidateEnd>();
  private hasBracket = false;
  private ending = false;
  private webSearches = 0;
  private usageBytes: Uint8Array | null = null;
  private completion = 0;
  /** The last reports of earlier rounds, which the latest report does not include. */
  private readonly rounds: Uint8Array[] = [];
  private model: unknown = null;
  private held: { readonly event: Uint8Array; readonly object: ObjectSpan } | null = null;
  private out: Uint8Array[] = [];
  awaitsUsage = false;
  private estimate: Usage | null = null;
  /** The members that chunks need; without the id once the upstream has stated it. */
  private needed: Needed;
  private readonly beside: Needed;

  constructor(
    request: ParsedRequest,
    private readonly patch: RelayPatch,
  ) {
    this.needed = neededOf(patch);
    const { responseId: _, ...beside } = this.needed;
    this.beside = beside;
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
      this.failure = this.opened ? truncatedStream() : emptyStream();
      return this.take();
    }
    // Only now is it known whether there is content: it may have arrived in an earlier chunk than the reason.
    const failed = failedCandidates([...this.ends.values()].map((end) => ({ ...end, hasContent: this.started })));
    if (failed !== null) {
      this.failure = failed;
      return this.take();
    }
    this.finished = true;
    this.awaitsUsage = this.usageBytes === null;
    if (!this.awaitsUsage) this.sendLast();
    return this.take();
  }

  private sendLast(): void {
    if (this.held === null) return;
    const { event, object } = this.held;
    this.held = null;
    const usage = this.estimate === null ? null : JSON.stringify(encodeUsage(this.estimate, null));
    this.send(event, object, lastEdits(event, object, this.patch, this.needed, usage));
    if (this.isArray) this.out.push(utf8.encode(']'));
  }

  counted(usage: Usage): void {
    this.estimate = usage;
  }

  lastFrames(): Uint8Array {
    if (!this.awaitsUsage) return EMPTY;
    this.awaitsUsage = false;
    this.sendLast();
    return this.take();
  }

  /** Encodes a failure, which opens the array if that has not been opened yet. */
  encodeFailure(failure: Failure): string | null {
    return this.isArray && !this.hasBracket ? `[${encodeFailure(failure).body}]` : null;
  }

  get mayEnd(): boolean {
    return this.sawEnd;
  }

  private readonly onEvent = (event: Uint8Array): void => {
    if (this.failure) return;
    const data = dataSpan(event);
    // Keep-alives are not passed on, because Google's Python SDK parses even a comment as JSON.
    if (data === 'many') this.onManyLines(event);
    else if (data !== null && passingComment(event, data) === null) this.onChunk(event, data.start);
  };

  /** Handles an event with several data lines, which are one text. If a proxy left out the blank lines, each line is an event. */
  private onManyLines(event: Uint8Array): void {
    const text = joinedData(event);
    const lines = parseObject(text) !== null ? [text.replaceAll('\n', ' ')] : text.split('\n');
    for (const line of lines) this.onEvent(utf8.encode(`data: ${line}\n\n`));
  }

  private onChunk(event: Uint8Array, dataStart: number): void {
    const object = scanObject(event, dataStart, this.needed === this.beside ? MEMBERS_BESIDE_ID : ANSWER_MEMBERS);
    if (object !== null && memberNamed(object, 'responseId') !== null) this.needed = this.beside;
    if (!object) {
      // A broken connection leaves an unfinished last event. `[DONE]` belongs to another format and is ignored here.
      if (!this.ending && !isDone(event, dataStart)) {
        this.failure = eventNotJson();
      }
      return;
    }
    const facts = readFacts(event, object, this.produced, !this.started);
    if (facts.failure !== null) {
      this.failure = facts.failure;
      // Content in the same chunk as an error was written before the error.
      this.started ||= facts.hasContent;
      const chunk = this.started && facts.candidates > 0 ? withoutError(event, object) : null;
      if (chunk === null) return;
      this.release();
      const whole = scanObject(chunk, DATA_FIELD, ANSWER_MEMBERS);
      if (whole !== null) this.send(chunk, whole, this.editsOf(chunk, whole));
      return;
    }
    this.noteCandidates(facts);
    this.model ??= modelIn(event, object);
    this.noteUsage(event, facts.usageMember);
    this.release();
    // The splitter may reuse a piece's memory, so the held event is copied.
    if (this.sawEnd) this.held = { event: event.slice(), object };
    else this.send(event, object, this.editsOf(event, object));
  }

  private editsOf(event: Uint8Array, object: ObjectSpan): Edit[] {
    return chunkEdits(event, object, this.patch, this.needed);
  }

  private get sawEnd(): boolean {
    return this.isBlocked || this.ends.size > 0;
  }

  /** Notes a chunk's candidates. A chunk with only usage is not part of an answer, and neither is any other JSON. */
  private noteCandidates({ candidates, ends, hasContent, isBlocked, webSearches }: Facts): void {
    this.isBlocked ||= isBlocked;
    this.opened ||= candidates > 0 || isBlocked;
    for (const [index, end] of ends) if (index < MOST_CANDIDATES) this.ends.set(index, end);
    this.started ||= hasContent || isBlocked || ends.some(([, { raw }]) => isAnswer(raw));
    this.webSearches = Math.max(this.webSearches, webSearches);
  }

  /**
   * Notes the latest usage report, which counts because reports in a stream are cumulative. Every chunk has one, but only the
   * last is read, so its bytes are kept unparsed. Vertex's reports without counts are ignored. Between rounds of Google's own
   * tools the counts start again, and only the report that comes with the end includes all rounds.
   */
  private noteUsage(event: Uint8Array, member: MemberSpan | null): void {
    if (member === null) return;
    const counts = scanObject(event, member.valueStart, USAGE_COUNTS);
    if (counts === null || counts.members.length === 0) return;
    if (this.usageBytes !== null && counts.members.every((count) => event[count.valueStart] === ZERO)) return;
    const completion = counts.members.reduce(
      (sum, count) => (WRITTEN.has(count.name) ? sum + digitsAt(event, count) : sum),
      0,
    );
    if (this.sawEnd) this.rounds.length = 0;
    else if (this.usageBytes !== null && completion < this.completion && this.rounds.length < MOST_ROUNDS) {
      this.rounds.push(this.usageBytes);
    }
    this.completion = completion;
    this.usageBytes = event.slice(member.valueStart, member.valueEnd);
    this.produced.markReported();
  }

  get usage(): Usage | null {
    const latest = decodeUsage(readUsage(this.usageBytes), this.webSearches);
    return this.rounds.reduce((sum, bytes) => {
      const earlier = decodeUsage(readUsage(bytes));
      return sum === null || earlier === null ? sum : bothRounds(earlier, sum);
    }, latest);
  }

  get served(): ServedAs {
    return servedAs(this.model, serviceTierOf(readUsage(this.usageBytes)));
  }

  private release(): void {
    if (this.held === null) return;
    const { event, object } = this.held;
    this.held = null;
    this.send(event, object, this.editsOf(event, object));
  }

  private send(event: Uint8Array, object: ObjectSpan, edits: readonly Edit[]): void {
    if (!this.isArray) {
      this.out.push(edits.length === 0 ? event : applyEdits(event, edits));
      return;
    }
    this.out.push(
      utf8.encode(this.hasBracket ? '\r\n,\r\n' : '['),
      applyEdits(event.subarray(object.start, object.end), editsWithin(object, edits)),
    );
    this.hasBracket = true;
  }

  private take(): Uint8Array {
    const { out } = this;
    if (out.length === 0) return EMPTY;
    this.out = [];
    return joinPieces(out);
  }
}

const ZERO = 0x30;
/** The counts of the model's output in one round. The other counts are for the prompt, or for both together. */
const WRITTEN: ReadonlySet<string> = new Set(['candidatesTokenCount', 'thoughtsTokenCount']);
const MOST_ROUNDS = 100;
/** Google's own limit of `candidateCount` is 8. */
const MOST_CANDIDATES = 64;

/** Returns the count at this position, with or without quotes. */
function digitsAt(bytes: Uint8Array, { valueStart, valueEnd }: MemberSpan): number {
  let value = 0;
  for (let at = valueStart; at < valueEnd; at++) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
  }
  return value;
}

function readUsage(bytes: Uint8Array | null): unknown {
  return bytes && safeParse(bytes, { name: '', keyStart: 0, valueStart: 0, valueEnd: bytes.length });
}
/** The length of `data: `. */
const DATA_FIELD = 6;

/** Returns the chunk as a separate event; `null` if it is not JSON. */
function withoutError(event: Uint8Array, { start, end }: ObjectSpan): Uint8Array | null {
  const chunk = parseObject(new TextDecoder().decode(event.subarray(start, end)));
  if (chunk === null) return null;
  const { error: _, ...content } = chunk;
  return utf8.encode(`data: ${JSON.stringify(content)}\r\n\r\n`);
}

const DONE = utf8.encode('[DONE]');

function isDone(event: Uint8Array, dataStart: number): boolean {
  return equalAt(event, skipWhitespace(event, dataStart), DONE);
}
