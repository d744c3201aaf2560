import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerPatch, ParsedRequest, RelayedAnswer, StreamRelay } from '../format.ts';
import { bodyNotJson, emptyStream, saidInAnswer, truncatedStream } from '../shared/answer-failure.ts';
import { appendMember, applyEdits, type Edit, replaceValue, safeParse } from '../shared/json-patch.ts';
import {
  equalAt,
  isNullAt,
  MemberNames,
  type MemberSpan,
  type ObjectSpan,
  scanObject,
  skipWhitespace,
} from '../shared/json-scan.ts';
import { ProducedText } from '../shared/produced-text.ts';
import { isRecord } from '../shared/record.ts';
import { joinPieces, onOneLine, splitPiece, withBlankLine } from '../shared/relay-pieces.ts';
import { dataSpan, EventSplitter } from '../shared/sse.ts';
import { noteDelta } from './produced.ts';
import { decodeUsage } from './usage.ts';

const REQUEST_MEMBERS = new MemberNames('model', 'stream_options');
const INCLUDE_USAGE = new MemberNames('include_usage');
const ANSWER_MEMBERS = new MemberNames('model', 'usage', 'error', 'choices', '_routing');

/**
 * The declared patches of a chat request (design, section 3): the model id, and `stream_options.include_usage` where the
 * client streams and did not ask for usage itself. Every other byte is the client's.
 */
export function relayRequest(request: ParsedRequest, upstreamModel: string): Uint8Array<ArrayBuffer> {
  const { bytes } = request;
  const object = scanObject(bytes, 0, REQUEST_MEMBERS);
  if (!object) throw new Error('a validated chat request is a JSON object');
  const edits: Edit[] = [];
  let streamOptions: MemberSpan | null = null;
  for (const member of object.members) {
    if (member.name === 'stream_options') streamOptions = member;
    else if (request.model !== upstreamModel) edits.push(replaceValue(member, JSON.stringify(upstreamModel)));
  }
  if (request.stream && !request.wantsStreamUsage) edits.push(...usageEdits(bytes, object, streamOptions));
  edits.sort((left, right) => left.start - right.start);
  return applyEdits(bytes, edits);
}

function usageEdits(bytes: Uint8Array, object: ObjectSpan, streamOptions: MemberSpan | null): Edit[] {
  if (!streamOptions) return [appendMember(object, '"stream_options":{"include_usage":true}')];
  if (isNullAt(bytes, streamOptions.valueStart)) return [replaceValue(streamOptions, '{"include_usage":true}')];
  const options = scanObject(bytes, streamOptions.valueStart, INCLUDE_USAGE);
  if (!options) return [];
  if (options.members.length > 0) return options.members.map((member) => replaceValue(member, 'true'));
  return [appendMember(options, '"include_usage":true')];
}

/**
 * A whole answer: the upstream's bytes with the public model id and `_routing`. A body that is no JSON object, or that
 * carries an error under a 200, is a failure of the upstream.
 */
export function relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure {
  const object = scanObject(bytes, 0, ANSWER_MEMBERS);
  if (!object) return bodyNotJson();
  const edits: Edit[] = [];
  let usage: unknown = null;
  let hasChoices = false;
  let hasRouting = false;
  for (const member of object.members) {
    if (member.name === 'model') {
      if (!isEmptyString(member)) edits.push(replaceValue(member, JSON.stringify(patch.publicModel)));
    } else if (member.name === 'choices') hasChoices = true;
    else if (member.name === 'usage') usage = safeParse(bytes, member);
    else if (member.name === 'error') {
      const failure = errorInAnswer(safeParse(bytes, member));
      if (failure && !hasChoices) return failure;
    } else {
      hasRouting = true;
      edits.push(replaceValue(member, patch.routingJson));
    }
  }
  if (!hasRouting) edits.push(appendMember(object, `"_routing":${patch.routingJson}`));
  return { bytes: applyEdits(bytes, edits), usage: decodeUsage(usage) };
}

/**
 * An `error` member inside an answer or a chunk that came with a 200, as OpenRouter and others send it when the model
 * behind them fails. `null` if the value says nothing.
 */
export function errorInAnswer(value: unknown): Failure | null {
  return saidInAnswer(isRecord(value) ? value.message : value);
}

/** Azure's first chunk, with the content filter's verdict, names no model; it is to be told from an answer's chunk by that. */
function isEmptyString(member: MemberSpan): boolean {
  return member.valueEnd - member.valueStart === 2;
}

// ---- streams

const CHUNK_MEMBERS = new MemberNames('model', 'usage', 'x_groq', 'error', 'choices', 'id', 'created', '_routing');
const CHOICE_MEMBERS = new MemberNames('finish_reason', 'delta');
const EMPTY = new Uint8Array(0);
const utf8 = new TextEncoder();

interface Chunk {
  /** The event's bytes with the public model id; `_routing` is not in it. */
  readonly bytes: Uint8Array;
  /** Where `,"_routing":…` would go, in `bytes`. */
  readonly closingBrace: number;
  readonly hasMembers: boolean;
}

/**
 * Relays a stream of chat chunks. Each event's bytes pass as they are but for the public model id; a chunk that may be
 * the last before `[DONE]` (it has a finish reason, usage, or no choices) waits for the next event, because the last one
 * carries `_routing`. Content is never held back. The usage chunk that only the gateway asked for is not passed on.
 */
export class ChatStreamRelay implements StreamRelay {
  failure: Failure | null = null;
  finished = false;
  started = false;
  usage: Usage | null = null;
  readonly produced = new ProducedText();

  private readonly splitter = new EventSplitter();
  private readonly modelJson: string;
  private readonly modelBytes: Uint8Array;
  private readonly showUsageChunk: boolean;
  private readonly routingJson: string;
  private held: Chunk | null = null;
  private sawFinish = false;
  /** `id` and `created` of the latest chunk, for the one chunk that the gateway may have to add itself. */
  private identity = '';
  private out: Uint8Array[] = [];

  constructor(request: ParsedRequest, patch: AnswerPatch) {
    this.modelJson = JSON.stringify(patch.publicModel);
    this.modelBytes = utf8.encode(this.modelJson);
    this.routingJson = patch.routingJson;
    this.showUsageChunk = request.wantsStreamUsage;
  }

  push(piece: Uint8Array): Uint8Array {
    if (this.failure) return EMPTY;
    this.failure = splitPiece(this.splitter, piece, this.onEvent) ?? this.failure;
    return this.take();
  }

  end(): Uint8Array {
    if (this.failure || this.finished) return EMPTY;
    const rest = this.splitter.rest();
    // An end mark goes on as it came; any other event gets the blank line that it may lack.
    if (rest.length > 0) this.onEvent(isDoneEvent(rest) ? rest : withBlankLine(rest));
    if (this.failure || this.finished) return this.take();
    if (!this.sawFinish) {
      this.failure = this.started ? truncatedStream() : emptyStream();
      return this.take();
    }
    // The answer is complete, only the end mark is missing: clients that wait for it get it.
    this.finish();
    this.out.push(utf8.encode('data: [DONE]\n\n'));
    return this.take();
  }

  private readonly onEvent = (event: Uint8Array): void => {
    if (this.failure) return;
    const data = dataSpan(event);
    if (data === null) {
      this.out.push(event);
    } else if (data === 'many') {
      this.onEvent(onOneLine(event));
    } else if (isDone(event, data.start)) {
      this.finish();
      this.out.push(event);
    } else {
      this.onChunk(event, data.start);
    }
  };

  private onChunk(event: Uint8Array, dataStart: number): void {
    const object = scanObject(event, dataStart, CHUNK_MEMBERS);
    if (!object) {
      // Not a chunk of ours to understand; it passes as it came.
      this.release();
      this.out.push(event);
      return;
    }
    let choices: MemberSpan | null = null;
    let reportsUsage = false;
    const edits: Edit[] = [];
    for (const member of object.members) {
      if (member.name === 'model') {
        if (!this.isPublicModel(event, member) && !isEmptyString(member))
          edits.push(replaceValue(member, this.modelJson));
      } else if (member.name === 'choices') choices = member;
      else if (member.name === 'usage') reportsUsage = this.readUsage(event, member) || reportsUsage;
      else if (member.name === 'x_groq') reportsUsage = this.readGroqUsage(event, member) || reportsUsage;
      else if (member.name === 'error' && this.readError(event, member)) return;
    }
    this.started = true;
    const shape = choices ? choicesShape(event, choices.valueStart, this.produced) : 'none';
    if (shape === 'finished') this.sawFinish = true;
    if (reportsUsage) this.produced.markReported();
    if (reportsUsage && shape === 'none' && !this.showUsageChunk) return;
    this.release();
    if (shape === 'going-on' && !reportsUsage) {
      this.noteIdentity(event, object);
      this.out.push(edits.length === 0 ? event : applyEdits(event, edits));
    } else this.hold(event, object, edits);
  }

  private hold(event: Uint8Array, object: ObjectSpan, edits: readonly Edit[]): void {
    const bytes = edits.length === 0 ? event.slice() : applyEdits(event, edits);
    const shift = bytes.length - event.length;
    this.held = { bytes, closingBrace: object.end - 1 + shift, hasMembers: !object.empty };
  }

  private release(): void {
    if (!this.held) return;
    this.out.push(this.held.bytes);
    this.held = null;
  }

  /** The stream is complete: `_routing` goes onto the chunk that turned out to be the last. */
  private finish(): void {
    if (this.finished) return;
    this.finished = true;
    this.sawFinish = true;
    if (this.held) {
      const { bytes, closingBrace, hasMembers } = this.held;
      const object = scanObject(bytes, bytes.indexOf(0x7b), CHUNK_MEMBERS);
      const present = object?.members.find((member) => member.name === '_routing');
      const text = `${hasMembers ? ',' : ''}"_routing":${this.routingJson}`;
      const edit = present ? replaceValue(present, this.routingJson) : { start: closingBrace, end: closingBrace, text };
      this.held = null;
      this.out.push(applyEdits(bytes, [edit]));
      return;
    }
    if (!this.started) return;
    const fields = `${this.identity}"object":"chat.completion.chunk","model":${this.modelJson},"choices":[]`;
    this.out.push(utf8.encode(`data: {${fields},"_routing":${this.routingJson}}\n\n`));
  }

  private noteIdentity(event: Uint8Array, object: ObjectSpan): void {
    if (this.identity !== '') return;
    for (const member of object.members) {
      if (member.name !== 'id' && member.name !== 'created') continue;
      this.identity += `"${member.name}":${JSON.stringify(safeParse(event, member))},`;
    }
  }

  private readUsage(event: Uint8Array, member: MemberSpan): boolean {
    return !isNullAt(event, member.valueStart) && this.noteUsage(safeParse(event, member));
  }

  /** Groq's streams have had usage in a member of its own, some of them there alone. */
  private readGroqUsage(event: Uint8Array, member: MemberSpan): boolean {
    const value = safeParse(event, member);
    return isRecord(value) && this.noteUsage(value.usage);
  }

  private noteUsage(value: unknown): boolean {
    const usage = decodeUsage(value);
    // Usage in a stream is cumulative: the latest report stands.
    if (usage) this.usage = usage;
    return usage !== null;
  }

  private readError(event: Uint8Array, member: MemberSpan): boolean {
    if (isNullAt(event, member.valueStart)) return false;
    this.failure = errorInAnswer(safeParse(event, member));
    return this.failure !== null;
  }

  private isPublicModel(event: Uint8Array, member: MemberSpan): boolean {
    const { modelBytes } = this;
    return member.valueEnd - member.valueStart === modelBytes.length && equalAt(event, member.valueStart, modelBytes);
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

/** `data: [DONE]`, white space aside. */
function isDone(event: Uint8Array, start: number): boolean {
  let at = start;
  while (event[at] === 0x20) at++;
  return event[at] === 0x5b && event[at + 1] === 0x44 && event[at + 2] === 0x4f && event[at + 3] === 0x4e;
}

/** Whether a chunk's choices are absent or empty, still going on, or at least one of them has its finish reason. */
function choicesShape(event: Uint8Array, start: number, produced: ProducedText): 'none' | 'going-on' | 'finished' {
  let shape: 'none' | 'going-on' | 'finished' = 'none';
  let at = start;
  for (;;) {
    // Past the opening bracket or a comma; what is no object there ends the array, or is none of ours.
    const choice = scanObject(event, at + 1, CHOICE_MEMBERS);
    if (!choice) return shape;
    if (shape === 'none') shape = 'going-on';
    for (const member of choice.members) {
      if (member.name === 'delta') noteDelta(event, member, produced);
      else if (!isNullAt(event, member.valueStart)) shape = 'finished';
    }
    at = skipWhitespace(event, choice.end);
  }
}
