import { isCutOff } from '../../../domain/exchange/response.ts';
import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import { countsAnything, standingReport, type Usage } from '../../../domain/exchange/usage.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { applyEdits, type Edit, replaceValue, safeParse } from '../../shared/json/json-patch.ts';
import {
  equalAt,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
} from '../../shared/json/json-scan.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { indexOr } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { joinPieces, onOneLine, splitPiece, withBlankLine } from '../../shared/stream/relay-pieces.ts';
import { dataSpan, EventSplitter, passingComment } from '../../shared/stream/sse.ts';
import type { ParsedRequest, RelayPatch } from '../client-request.ts';
import type { StreamRelay } from '../format.ts';
import { finishOf, rawFinish } from './choice-answer.ts';
import { type CallWatch, type ChoiceDialect, neededOf } from './choice-relay.ts';
import { type ChoicesShape, choicesShape, type SeenChoices } from './choices-shape.ts';
import { EventTemplates } from './event-template.ts';
import { fillIn, inOrder, isUnset } from './fill-in.ts';
import { decodeUsage, encodeUsage } from './openai-usage.ts';
import { ProducedText } from './produced-text.ts';
import { laterSaid, NOTHING_SAID, servedAs } from './served-as.ts';
import { nullUsageEdits } from './usage-cost.ts';

const CHUNK_MEMBERS = new MemberNames(
  ...[
    'model',
    'usage',
    'x_groq',
    'error',
    'choices',
    'id',
    'object',
    'created',
    'service_tier',
    '_routing',
    'obfuscation',
  ],
);
/** The members that clients need in a chunk. */
const NEEDED: ReadonlySet<string> = new Set(['id', 'object', 'created', 'model', 'choices']);
const DATA_FIELD = 'data: ';
const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();
const decoder = new TextDecoder();

interface Chunk {
  readonly event: Uint8Array;
  readonly object: ObjectSpan;
  readonly model: MemberSpan | null;
}

interface HeldChunk {
  /** The event's bytes with the public model id, without `_routing`. */
  readonly bytes: Uint8Array;
  /** The offset in `bytes` at which `,"_routing":…` would be inserted. */
  readonly closingBrace: number;
  readonly hasMembers: boolean;
}

/**
 * Relays a stream of chunks. Each event's bytes pass unchanged except for the public model id. A chunk that may be the last
 * before `[DONE]` (it has a finish reason, usage, or no choices) waits for the next event, because the last one carries
 * `_routing`. Content is never held back. A usage chunk that only the gateway asked for is not passed on. Members that clients
 * need and the upstream leaves out of a chunk are filled in.
 */
export class ChoiceStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  usage: Usage | null = null;
  served = NOTHING_SAID;
  readonly produced = new ProducedText();

  private readonly splitter = new EventSplitter();
  private readonly needed: ReturnType<typeof neededOf>;
  private readonly modelJson: string;
  private readonly modelBytes: Uint8Array;
  private readonly showUsageChunk: boolean;
  private readonly omitsNullUsage: boolean;
  private readonly routing: WrittenRouting;
  private held: HeldChunk | null = null;
  private sawFinish = false;
  private isEnding = false;
  awaitsUsage = false;
  private estimate: Usage | null = null;
  private endMark = EMPTY;
  private readonly seen: SeenChoices = { last: -1, hasCalls: false, calledNow: false, fills: [], failure: null };
  private readonly calls: CallWatch | null;
  /** The first chunk's `id` and `created` as JSON text, for chunks that lack them. */
  private readonly identity: { id: string | null; created: string | null } = { id: null, created: null };
  private out: Uint8Array[] = [];
  readonly templates = new EventTemplates(this.produced);

  constructor(
    private readonly dialect: ChoiceDialect,
    request: ParsedRequest,
    patch: RelayPatch,
  ) {
    const { identity } = this;
    const own = neededOf(dialect, dialect.chunkObject, patch);
    this.needed = {
      ...own,
      id: () => (identity.id ??= own.id()),
      created: () => identity.created ?? own.created(),
    };
    this.calls = dialect.watchCalls?.() ?? null;
    this.modelJson = JSON.stringify(patch.publicModel);
    this.modelBytes = utf8.encode(this.modelJson);
    this.routing = patch.routing;
    this.showUsageChunk = request.wantsStreamUsage;
    this.omitsNullUsage = request.omitsNullUsage === true;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure) return EMPTY;
    if (this.held === null && !this.finished && this.splitter.isBetween) {
      // A piece is usually one event.
      const sent = this.templates.take(piece);
      if (sent !== null) return sent;
    }
    this.failure = splitPiece(this.splitter, piece, this.onEvent) ?? this.failure;
    return this.take();
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    this.isEnding = true;
    const rest = this.splitter.rest();
    // An end mark passes as it came; any other event gets the blank line that it may lack.
    if (rest.length > 0) this.onEvent(isDoneEvent(rest) ? rest : withBlankLine(rest));
    if (this.failure || this.finished) return this.take();
    if (!this.sawFinish) {
      this.failure = this.opened ? truncatedStream() : emptyStream();
      return this.take();
    }
    // The answer is complete, only the end mark is missing; clients that wait for it get one.
    this.finish(utf8.encode('data: [DONE]\n\n'));
    return this.take();
  }

  private readonly onEvent = (event: Uint8Array): void => {
    // Events after the end mark are not part of the answer.
    if (this.failure || this.finished) return;
    const sent = this.templates.take(event);
    if (sent !== null) {
      this.release();
      this.out.push(sent);
      return;
    }
    const data = dataSpan(event);
    if (data === 'many') {
      this.onEvent(onOneLine(event));
      return;
    }
    const comment = passingComment(event, data);
    if (data === null || comment !== null) {
      if (comment !== null) this.out.push(comment);
    } else if (isDone(event, data.start)) {
      if (!this.opened) this.failure = emptyStream();
      else this.finish(event);
    } else {
      this.onChunk(event, data.start);
    }
  };

  private onChunk(event: Uint8Array, dataStart: number): void {
    const object = scanObject(event, dataStart, CHUNK_MEMBERS);
    if (!object) {
      // A broken connection leaves the beginning of an event.
      if (!this.isEnding) this.failure = eventNotJson();
      return;
    }
    let choices: MemberSpan | null = null;
    let model: MemberSpan | null = null;
    let tier: MemberSpan | null = null;
    let filler: MemberSpan | null = null;
    let usage: Usage | null = null;
    const piecesBefore = this.produced.pieces;
    for (const member of object.members) {
      if (member.name === 'model') model = member;
      else if (member.name === 'obfuscation') filler = member;
      else if (member.name === 'choices') choices = member;
      else if (member.name === 'service_tier') tier = member;
      else if (member.name === 'usage') usage = readUsage(event, member, usage);
      else if (member.name === 'x_groq') usage = readGroqUsage(event, member, usage);
      else if (member.name === 'error' && this.readError(event, member, object)) return;
    }
    const shape = choices ? choicesShape(this.dialect, event, choices.valueStart, this.produced, this.seen) : 'none';
    if (this.seen.failure !== null) {
      this.failBehind(this.seen.failure, object, event);
      return;
    }
    // A chunk without choices (a filter's verdict on the prompt, usage, or something unknown) is not part of an answer,
    // and neither is one with only a role: until there is content, another target can still answer instead.
    if (!this.started && shape !== 'none') {
      this.started = shape === 'finished' || contentIn(this.dialect, objectAt(event, object)).length > 0;
    }
    if (usage !== null || shape === 'finished' || this.served === NOTHING_SAID) this.noteServed(event, model, tier);
    if (this.identity.id === null || this.identity.created === null) this.noteIdentity(event, object);
    const reportsUsage = usage !== null && this.noteUsage(usage, shape === 'none' && this.sawFinish);
    const isLast = shape === 'finished';
    if (isLast) this.sawFinish = true;
    if (usage !== null && shape === 'none' && !this.showUsageChunk) return;
    this.release();
    const chunk = this.completeCalls({ event, object, model }, isLast);
    const edits = this.editsOf(chunk, shape);
    if (shape === 'going-on' && !reportsUsage) {
      this.out.push(edits.length === 0 ? event : applyEdits(event, edits));
      if (usage === null) this.templates.learn(event, piecesBefore, filler, edits);
    } else this.hold(chunk.event, chunk.object, edits);
  }

  /** Returns the edits of a chunk: the public model id, and what clients need and the chunk lacks, or do not expect. */
  private editsOf({ event, object, model }: Chunk, shape: ChoicesShape): Edit[] {
    const { seen, needed } = this;
    let edits = seen.fills;
    if (edits.length > 0) seen.fills = [];
    if (model !== null && !isUnset(event, model) && !this.isPublic(event, model)) {
      edits = [...edits, replaceValue(model, this.modelJson)];
    }
    // The first chunk of Azure, with the content filter's verdict, differs from an answer's chunk by its empty members.
    const isOfAnswer = shape !== 'none';
    let present = 0;
    for (const member of object.members) {
      if (NEEDED.has(member.name) && !(isOfAnswer && isUnset(event, member))) present++;
    }
    if (present < NEEDED.size) edits = [...edits, ...fillIn(event, object, needed, { replacesUnset: isOfAnswer })];
    if (this.omitsNullUsage) edits = [...edits, ...nullUsageEdits(event, object)];
    return edits.length > 1 ? inOrder([...edits]) : edits;
  }

  /**
   * Gives calls that end without arguments an empty object: in a chunk before the one that ends them, or in that one if it also
   * begins them. Returns the chunk to send.
   */
  private completeCalls(chunk: Chunk, isLast: boolean): Chunk {
    const { calls, seen } = this;
    if (calls === null || !(seen.calledNow || (isLast && seen.hasCalls))) return chunk;
    const { event, object } = chunk;
    if (!calls.mayChange(event)) return chunk;
    const value = objectAt(event, object);
    const choices = choicesOf(value);
    const completed = isLast ? calls.completed(choices) : null;
    calls.see(completed ?? choices);
    if (!isLast) return chunk;
    for (const [position, choice] of choices.entries()) {
      const raw = rawFinish(choice);
      if (raw !== null && !isCutOff(finishOf(raw, true))) this.endCalls(calls, indexOr(choice.index, position));
    }
    return completed === null ? chunk : this.rewritten({ ...value, choices: completed }, chunk);
  }

  private endCalls(calls: CallWatch, choice: number): void {
    const missing = calls.ended(choice);
    if (missing.length > 0) this.addChunk(missing.join());
  }

  private rewritten(value: object, chunk: Chunk): Chunk {
    const event = utf8.encode(`${DATA_FIELD}${JSON.stringify(value)}\n\n`);
    const object = scanObject(event, DATA_FIELD.length, CHUNK_MEMBERS);
    if (object === null) return chunk;
    // The fills are edits of the original bytes.
    this.seen.fills = [];
    return { event, object, model: object.members.find(({ name }) => name === 'model') ?? null };
  }

  private hold(event: Uint8Array, object: ObjectSpan, edits: readonly Edit[]): void {
    const bytes = edits.length === 0 ? event.slice() : applyEdits(event, edits);
    const shift = bytes.length - event.length;
    this.held = { bytes, closingBrace: object.end - 1 + shift, hasMembers: !object.empty || edits.length > 0 };
  }

  private release(): void {
    if (!this.held) return;
    this.out.push(this.held.bytes);
    this.held = null;
  }

  /** Completes the stream: the chunk that turned out to be the last gets `_routing`. */
  private finish(endMark: Uint8Array): void {
    if (this.finished) return;
    this.finished = true;
    const choices = this.sawFinish ? '' : this.endedChoices();
    this.sawFinish = true;
    if (this.showUsageChunk && this.usage === null) {
      if (choices !== '') this.addChunk(choices);
      this.release();
      this.awaitsUsage = true;
      this.endMark = endMark.slice();
      return;
    }
    if (this.held) {
      if (choices !== '') this.addChunk(choices);
      const { bytes, closingBrace, hasMembers } = this.held;
      const object = scanObject(bytes, bytes.indexOf(0x7b), CHUNK_MEMBERS);
      const present = object?.members.find((member) => member.name === '_routing');
      const text = `${hasMembers ? ',' : ''}"_routing":${this.routing.json}`;
      const edit = present
        ? replaceValue(present, this.routing.json)
        : { start: closingBrace, end: closingBrace, text };
      this.held = null;
      this.out.push(applyEdits(bytes, [edit]));
    } else this.out.push(this.lastChunk(choices, ''));
    this.out.push(endMark);
  }

  private lastChunk(choices: string, more: string): Uint8Array {
    return utf8.encode(`data: {${this.addedFields(choices)}${more},"_routing":${this.routing.json}}\n\n`);
  }

  counted(usage: Usage): void {
    this.estimate = usage;
  }

  lastFrames(): Uint8Array {
    if (!this.awaitsUsage) return EMPTY;
    this.awaitsUsage = false;
    const usage = this.estimate === null ? '' : `,"usage":${encodeUsage(this.estimate)}`;
    return joinPieces([this.lastChunk('', usage), this.endMark]);
  }

  private addedFields(choices: string): string {
    const { dialect, modelJson, needed } = this;
    const identity = `"id":${needed.id()},"created":${needed.created()}`;
    return `${identity},"object":"${dialect.chunkObject}","model":${modelJson},"choices":[${choices}]`;
  }

  private addChunk(choices: string): void {
    this.out.push(utf8.encode(`${DATA_FIELD}{${this.addedFields(choices)}}\n\n`));
  }

  /**
   * Writes the missing finish reasons: a stream with an end mark is complete, but clients wait for a reason before they run tools
   * or treat the text as complete.
   */
  private endedChoices(): string {
    const { calls, seen, dialect } = this;
    const reason = seen.hasCalls ? 'tool_calls' : 'stop';
    const ended: string[] = [];
    for (let index = 0; index <= seen.last; index++) {
      if (calls !== null) this.endCalls(calls, index);
      ended.push(`{"index":${index},${dialect.emptyMembers},"finish_reason":"${reason}"}`);
    }
    return ended.join();
  }

  get opened(): boolean {
    return this.seen.last >= 0;
  }

  private noteIdentity(event: Uint8Array, { members }: ObjectSpan): void {
    const { identity } = this;
    for (const member of members) {
      if ((member.name !== 'id' && member.name !== 'created') || isUnset(event, member)) continue;
      // Azure's first chunk has an empty id and the time 0.
      identity[member.name] ??= safeParse(event, member) === 0 ? null : JSON.stringify(safeParse(event, member));
    }
  }

  /** Reads the first chunk and the last ones: the tier is certain only at the end. */
  private noteServed(event: Uint8Array, model: MemberSpan | null, tier: MemberSpan | null): void {
    const said = servedAs(model && safeParse(event, model), tier && safeParse(event, tier));
    this.served = laterSaid(this.served, said);
  }

  /**
   * Records a usage report. Reports in a stream are cumulative, so the latest holds. Zeros count only as a separate report
   * after the end. Returns whether the report counts anything.
   */
  private noteUsage(usage: Usage, isLast: boolean): boolean {
    this.usage = standingReport(this.usage, usage);
    const counts = countsAnything(usage);
    if (counts || isLast) this.produced.markReported();
    return counts;
  }

  private readError(event: Uint8Array, member: MemberSpan, object: ObjectSpan): boolean {
    if (isNullAt(event, member.valueStart)) return false;
    const failure = failureInAnswer(safeParse(event, member));
    if (failure === null) return false;
    this.failBehind(failure, object, event);
    return true;
  }

  /** Fails the stream. Content in the same chunk as the failure goes out first, as a separate chunk. */
  private failBehind(failure: Failure, object: ObjectSpan, event: Uint8Array): void {
    this.failure = failure;
    const chunk = contentBeside(this.dialect, objectAt(event, object), this.modelJson);
    if (chunk === null) return;
    this.started = true;
    this.release();
    this.out.push(utf8.encode(`data: ${chunk}\n\n`));
  }

  private isPublic(event: Uint8Array, { valueStart, valueEnd }: MemberSpan): boolean {
    const { modelBytes } = this;
    return valueEnd - valueStart === modelBytes.length && equalAt(event, valueStart, modelBytes);
  }

  private take(): Uint8Array {
    const { out } = this;
    if (out.length === 0) return EMPTY;
    this.out = [];
    return joinPieces(out);
  }
}

function isDoneEvent(event: Uint8Array): boolean {
  const data = dataSpan(event);
  return data !== null && data !== 'many' && isDone(event, data.start);
}

/** Returns whether the data is `[DONE]`, apart from white space. */
function isDone(event: Uint8Array, start: number): boolean {
  let at = start;
  while (event[at] === 0x20) at++;
  return event[at] === 0x5b && event[at + 1] === 0x44 && event[at + 2] === 0x4f && event[at + 3] === 0x4e;
}

function readUsage(event: Uint8Array, member: MemberSpan, earlier: Usage | null): Usage | null {
  if (isNullAt(event, member.valueStart)) return earlier;
  return standingReport(earlier, decodeUsage(safeParse(event, member)));
}

/** Streams of Groq have carried usage in a separate member, some of them only there. */
function readGroqUsage(event: Uint8Array, member: MemberSpan, earlier: Usage | null): Usage | null {
  const value = safeParse(event, member);
  return isRecord(value) ? standingReport(earlier, decodeUsage(value.usage)) : earlier;
}

function objectAt(event: Uint8Array, { start, end }: ObjectSpan): Readonly<Record<string, unknown>> | null {
  return parseObject(decoder.decode(event.subarray(start, end)));
}

function choicesOf(chunk: Readonly<Record<string, unknown>> | null) {
  return Array.isArray(chunk?.choices) ? chunk.choices.filter(isRecord) : [];
}

/** Returns the choices of a chunk that have content. */
function contentIn(dialect: ChoiceDialect, chunk: Readonly<Record<string, unknown>> | null) {
  return choicesOf(chunk).filter((choice) => dialect.hasContent(choice));
}

/** Returns the chunk without its error, as JSON text; `null` if it has no content. */
function contentBeside(
  dialect: ChoiceDialect,
  value: Readonly<Record<string, unknown>> | null,
  modelJson: string,
): string | null {
  const choices = contentIn(dialect, value);
  if (value === null || choices.length === 0) return null;
  const { error: _, ...chunk } = value;
  const going = choices.map(({ error: _own, ...choice }) => ({ ...choice, finish_reason: null }));
  return JSON.stringify({ ...chunk, model: JSON.parse(modelJson), choices: going });
}
