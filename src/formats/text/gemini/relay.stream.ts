import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { bothRounds, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { applyEdits, type Edit, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { editsWithin, joinPieces, splitPiece, withBlankLine } from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, joinedData, passingComment } from '../../shared/stream/sse.ts';
import type { ParsedRequest, RelayPatch } from '../client-request.ts';
import type { StreamRelay } from '../format.ts';
import { memberNamed, type Needed } from '../shared/fill-in.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { servedAs } from '../shared/served-as.ts';
import { type CandidateEnd, failedCandidates, isAnswer } from './answer.decode.ts';
import { encodeFailure } from './failure.ts';
import {
  ANSWER_MEMBERS,
  chunkEdits,
  type Facts,
  lastEdits,
  modelIn,
  neededOf,
  READ_MEMBERS,
  readFacts,
} from './relay.answer.ts';
import { decodeUsage, encodeUsage, serviceTierOf } from './usage.ts';

/** For chunks after one that has an id. */
const MEMBERS_BESIDE_ID = new MemberNames(...READ_MEMBERS);

const USAGE_COUNTS = new MemberNames(
  ...['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount', 'thoughtsTokenCount'],
);
const utf8 = new TextEncoder();
const EMPTY = new Uint8Array(0);

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
