import type { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest, ImageTokens } from '../../../domain/images/images.ts';
import { emptyStream, eventNotJson, eventTooLarge, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { MemberNames, parseSpan, scanObject } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { factsOf } from '../../shared/media/openai-image-answer.ts';
import { dataSpan, EventSplitter, EventTooLarge, joinedData } from '../../shared/stream/sse.ts';
import type { WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import type { ImageStreamEvent, ImageStreamReader, ImageStreamResult } from '../wire.ts';
import { familyOf } from './openai-image-models.ts';

/** The members that are read. The image itself may be megabytes and is passed on unread. */
const READ = [
  'type',
  'error',
  'usage',
  'size',
  'quality',
  'background',
  'output_format',
  'created',
  'created_at',
  'model',
] as const;
const NAMES = new MemberNames(...READ, 'b64_json');
const COMPLETED = /^image_(?:generation|edit)\.completed$/;
const PARTIAL = /^image_(?:generation|edit)\.partial_image$/;
const DONE = '[DONE]';
const SHORTEST_IMAGE = 8;

interface ReadEvent {
  readonly members: Readonly<Record<string, unknown>>;
  readonly hasImage: boolean;
}

/** Opens the reader of a stream; `null` for a model without streams. */
export function openStream({ stream }: ImageRequest, target: WireTarget): ImageStreamReader | null {
  return stream && familyOf(ruleModelOf(target)).streams ? new OpenaiImageStream() : null;
}

/** Reads the events `image_generation.*` and `image_edit.*`, and passes them on unchanged. */
class OpenaiImageStream implements ImageStreamReader {
  failure: Failure | null = null;
  private readonly splitter = new EventSplitter();
  private read: ImageStreamResult = { count: 0, ...factsOf({}) };
  private isEmpty = true;

  get result(): ImageStreamResult {
    return this.read;
  }

  push(piece: Uint8Array): readonly ImageStreamEvent[] {
    const events: ImageStreamEvent[] = [];
    if (this.failure !== null) return events;
    try {
      this.splitter.push(piece, (event) => this.take(event, events));
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.failure = eventTooLarge();
    }
    return events;
  }

  end(): readonly ImageStreamEvent[] {
    const events: ImageStreamEvent[] = [];
    if (this.failure !== null) return events;
    const rest = this.splitter.rest();
    // An event without its blank line may be incomplete.
    if (rest.length > 0) this.take(rest, events, true);
    if (this.failure === null && this.read.count === 0) this.failure = this.isEmpty ? emptyStream() : truncatedStream();
    return events;
  }

  private take(bytes: Uint8Array, events: ImageStreamEvent[], isRest = false): void {
    if (this.failure !== null) return;
    const data = dataOf(bytes);
    if (data === null || (data.length === DONE.length && new TextDecoder().decode(data) === DONE)) return;
    this.isEmpty = false;
    const event = eventOf(data);
    if (event === null) {
      this.failure = isRest ? truncatedStream() : eventNotJson();
      return;
    }
    const { type, error } = event.members;
    const failure = type === 'error' ? failureInAnswer(error ?? event.members) : failureInAnswer(error);
    if (failure !== null || type === 'error') {
      this.failure = failure ?? failureInAnswer('The upstream sent an error without a message.');
      return;
    }
    const isOf = (kind: RegExp) => typeof type === 'string' && kind.test(type) && event.hasImage;
    const isCompleted = isOf(COMPLETED);
    if (isCompleted) this.complete(event.members);
    events.push({ bytes: isRest ? withBlankLine(bytes) : bytes, isCompleted, isPartial: isOf(PARTIAL) });
  }

  private complete(members: Readonly<Record<string, unknown>>): void {
    const { count, tokens } = this.read;
    const facts = factsOf(members);
    this.read = { ...facts, count: count + 1, tokens: sumOf(tokens, facts.tokens) };
  }
}

/** Adds up counts, because every finished image has its own. */
function sumOf(one: ImageTokens | null, other: ImageTokens | null): ImageTokens | null {
  if (one === null || other === null) return one ?? other;
  return {
    textInput: one.textInput + other.textInput,
    imageInput: one.imageInput + other.imageInput,
    textOutput: one.textOutput + other.textOutput,
    imageOutput: one.imageOutput + other.imageOutput,
  };
}

/** Returns the bytes of an event's data; `null` if it has none. */
function dataOf(bytes: Uint8Array): Uint8Array | null {
  const span = dataSpan(bytes);
  if (span === null) return null;
  return span === 'many' ? new TextEncoder().encode(joinedData(bytes)) : bytes.subarray(span.start, span.end);
}

function eventOf(data: Uint8Array): ReadEvent | null {
  const object = scanObject(data, 0, NAMES);
  if (object === null) return null;
  const members: Record<string, unknown> = {};
  let hasImage = false;
  try {
    for (const { name, valueStart, valueEnd } of object.members) {
      if (name === 'b64_json') hasImage = data[valueStart] === 0x22 && valueEnd - valueStart >= SHORTEST_IMAGE;
      else members[name] = parseSpan(data, valueStart, valueEnd);
    }
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isRecord(members) ? { members, hasImage } : null;
}

function withBlankLine(bytes: Uint8Array): Uint8Array {
  const ended = new Uint8Array(bytes.length + 2);
  ended.set(bytes);
  ended.fill(0x0a, bytes.length);
  return ended;
}
