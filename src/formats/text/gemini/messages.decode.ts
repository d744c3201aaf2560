import { type Foundation, foundationAt, onFoundations } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type {
  MediaPart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  UnknownPart,
} from '../../../domain/exchange/part.ts';
import { exactOf, jsonOf } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { OpenCalls } from '../shared/open-calls.ts';
import { isWithheld, type SealedThought, stateInField, unwrapFoundation } from '../shared/state-token.ts';
import { mediaKind } from './answer.decode.ts';
import { MADE_UP_ID, ObjectReader, standardBase64 } from './decoding.ts';
import { FORMAT } from './schema.ts';

const CLIP = 'it selects a part of the video, which no other format can do';
const ONLY_GEMINI = 'only Gemini supports this';
const NOT_THOUGHT = 'no other format can carry a signature on a result';
const SYSTEM_ROLE = 'a system instruction has no name';

/** Returns `systemInstruction` as a message. It may be a Content or only a text, because the vendor's SDKs accept both. */
export function decodeSystem(body: ObjectReader): readonly Message[] {
  const value = body.get('systemInstruction');
  const path = body.pathOf('systemInstruction');
  if (typeof value === 'string') return [{ role: 'system', parts: [{ type: 'text', text: value, path }], path }];
  if (!isRecord(value)) return [];
  const content = new ObjectReader(value, path, body.rest);
  const role = content.text('role');
  if (role !== null && role !== 'system' && role !== 'user') content.keepForGemini('role', 'dropped', SYSTEM_ROLE);
  const parts = readParts(content).flatMap((part) => decodePart(part, new Reading()) ?? []);
  content.finish();
  return parts.length === 0 ? [] : [{ role: 'system', parts, path }];
}

/** Returns the conversation. Consecutive model turns become one message, because an SDK stores each streamed chunk as a turn. */
export function* decodeContents(body: ObjectReader): Steps<readonly Message[]> {
  const path = body.pathOf('contents');
  const value = body.get('contents');
  // The document requires an array. A single object is accepted as well, as in the JSON mapping of protocol buffers.
  const list = Array.isArray(value) ? value : isRecord(value) ? [value] : [];
  const reading = new Reading();
  const messages: OpenMessage[] = [];
  for (const [index, item] of list.entries()) {
    if (isRecord(item)) decodeContent(new ObjectReader(item, `${path}[${index}]`, body.rest), reading, messages);
    yield;
  }
  const { founded } = reading;
  return founded.size === 0 ? messages : messages.map((message) => onFoundations(message, founded));
}

interface OpenMessage extends Message {
  readonly parts: Part[];
}

function decodeContent(content: ObjectReader, reading: Reading, messages: OpenMessage[]): void {
  const parts = readParts(content).flatMap((part) => decodePart(part, reading) ?? []);
  const role = content.text('role');
  content.finish();
  const isModel = role === 'model' || (role === null && parts.some((part) => part.type === 'tool-call'));
  let current: OpenMessage | undefined = isModel ? messages.at(-1) : undefined;
  for (const part of parts) {
    const speaker = part.type === 'tool-result' ? 'tool' : isModel ? 'assistant' : 'user';
    if (current?.role !== speaker) {
      current = { role: speaker, parts: [], path: content.path };
      messages.push(current);
    }
    append(current.parts, part);
  }
}

function readParts(content: ObjectReader): readonly ObjectReader[] {
  const path = content.pathOf('parts');
  const value = content.get('parts');
  const list = Array.isArray(value) ? value : isRecord(value) ? [value] : [];
  return list.flatMap((part, index) => {
    if (typeof part === 'string') return [new ObjectReader({ text: part }, `${path}[${index}]`, content.rest)];
    return isRecord(part) ? [new ObjectReader(part, `${path}[${index}]`, content.rest)] : [];
  });
}

/**
 * Appends a part. A client of this format receives another family's reasoning as thoughts in several pieces, the last of which
 * carries the state. The state can only be used with the whole text, so the earlier pieces are joined to the last one.
 */
function append(parts: Part[], part: Part): void {
  if (part.type !== 'reasoning' || part.state === undefined || part.state.family === 'google') {
    parts.push(part);
    return;
  }
  let text = part.text;
  let first: ReasoningPart = part;
  for (;;) {
    const before = parts.at(-1);
    if (before?.type !== 'reasoning' || before.state !== undefined) break;
    parts.pop();
    text = before.text + text;
    first = before;
  }
  const { path } = first;
  const shown = shownAs({ ...part, text, state: part.state });
  parts.push({ type: 'reasoning', text, ...shown, state: part.state, ...(path === undefined ? {} : { path }) });
}

/** The results of reading a conversation so far. */
class Reading {
  /** The foundations of calls and texts, which the gateway sent with them. */
  readonly founded = new Map<Part, Foundation>();
  /** The calls without a response. A response without an id belongs to the first open call with its name. */
  readonly calls = new OpenCalls<{ readonly id: string; readonly name: string }>();
}

/** Returns `null` for an empty part. */
function decodePart(part: ObjectReader, reading: Reading): Part | null {
  const { path } = part;
  const thought = part.get('thought') === true;
  const signature = part.text('thoughtSignature');
  const foundation = signature === null ? null : unwrapFoundation(signature);
  const hasState = signature !== null && signature !== '' && foundation === null;
  const state = hasState ? stateInField(signature, 'google') : undefined;
  const isThought = thought && part.get('functionCall') === undefined;
  const carrier: TextPart = { type: 'text', text: '', path, ...(state === undefined ? {} : { state }) };
  const decoded =
    (isThought ? decodeThought(part, state) : decodeSpoken(part, state, reading)) ?? (signature ? carrier : null);
  if (decoded === null) return null;
  if (foundation !== null) reading.founded.set(decoded, foundationAt(path, foundation));
  if (decoded.type === 'unknown') return decoded;
  if (decoded.type === 'tool-result') part.keepForGemini('thoughtSignature', 'dropped', NOT_THOUGHT);
  part.keepForGemini('videoMetadata', 'refused', CLIP);
  part.keepForGemini('mediaResolution', 'dropped', ONLY_GEMINI);
  part.keepForGemini('partMetadata', 'dropped', ONLY_GEMINI);
  part.finish();
  return decoded;
}

function decodeThought(part: ObjectReader, state: OpaqueState | undefined): Part | null {
  const { path } = part;
  const text = part.text('text');
  if (text === null) return state !== undefined && isBare(part) ? reasoning('', state, path) : unknown(part);
  return reasoning(text, state, path);
}

function reasoning(text: string, state: OpaqueState | undefined, path: string): ReasoningPart {
  const foreign = state !== undefined && state.family !== 'google';
  const shown = foreign ? shownAs({ text, state }) : { summary: true };
  return { type: 'reasoning', text, ...shown, ...(state === undefined ? {} : { state }), path };
}

function shownAs(
  thought: Pick<SealedThought, 'text' | 'redacted' | 'state'>,
): Pick<ReasoningPart, 'redacted' | 'summary'> {
  if (isWithheld(thought)) return { redacted: true };
  return thought.text === '' ? {} : { summary: true };
}

/** Returns whether a part has only the members that mark a thought. */
function isBare(part: ObjectReader): boolean {
  return Object.keys(part.value).every((key) => key === 'thought' || /^thought_?signature$/i.test(key));
}

function decodeSpoken(part: ObjectReader, state: OpaqueState | undefined, reading: Reading): Part | null {
  const { path } = part;
  const carried = { ...(state === undefined ? {} : { state }), path };
  const text = part.text('text');
  if (text !== null) return { type: 'text', text, ...carried };
  const call = part.object('functionCall');
  if (call !== null) return { ...decodeCall(call, reading), ...carried };
  const answer = part.object('functionResponse');
  if (answer !== null) return { ...decodeResponse(answer, reading), path };
  const inline = part.object('inlineData');
  const file = part.object('fileData');
  const media = inline === null ? (file === null ? null : decodeFile(file)) : decodeInline(inline);
  if (media !== null) return { ...media, ...carried };
  const says = Object.entries(part.value).some(
    ([key, value]) => value !== null && value !== false && !/^thought/.test(key),
  );
  return says ? unknown(part) : null;
}

/** Parts that only Google's API understands: code that it ran, its own tools, future part types. */
function unknown({ value, path }: ObjectReader): UnknownPart {
  return { type: 'unknown', format: FORMAT, value: exactOf(value), path };
}

function decodeCall(call: ObjectReader, reading: Reading): Part & { readonly type: 'tool-call' } {
  const name = call.text('name') ?? '';
  const id = call.text('id') || madeUpId(call.path);
  const args = call.get('args');
  reading.calls.add({ id, name });
  call.finish();
  return { type: 'tool-call', id, name, arguments: isRecord(args) ? jsonOf(args) : '{}' };
}

/**
 * Returns an id made from the position in the conversation. It is the same in every later turn, as long as the history only
 * grows.
 */
function madeUpId(path: string): string {
  return `${MADE_UP_ID}${path.replace(/\D+/g, '_').replace(/^_|_$/g, '')}`;
}

const SCHEDULING = 'other formats take one result per call, all at once';

function decodeResponse(answer: ObjectReader, reading: Reading): ToolResultPart {
  const name = answer.text('name') ?? '';
  const said = answer.text('id') || undefined;
  const id = reading.calls.answer({ id: said, name })?.id ?? said ?? madeUpId(answer.path);
  const response = answer.get('response');
  const media = answer.list('parts').flatMap((part, index): readonly (MediaPart | UnknownPart)[] => {
    if (!isRecord(part)) return [];
    const reader = new ObjectReader(part, `${answer.pathOf('parts')}[${index}]`, answer.rest);
    const inline = reader.object('inlineData');
    const decoded = inline === null ? null : decodeInline(inline);
    return decoded === null ? [unknown(reader)] : [{ ...decoded, path: reader.path }];
  });
  answer.keepForGemini('willContinue', 'dropped', SCHEDULING);
  answer.keepForGemini('scheduling', 'dropped', SCHEDULING);
  answer.finish();
  const text = textOfResponse(response);
  const isError = isRecord(response) && Object.keys(response).length === 1 && 'error' in response;
  const spoken: TextPart[] = text === '' ? [] : [{ type: 'text', text, path: answer.pathOf('response') }];
  return {
    type: 'tool-result',
    id,
    name,
    content: [...spoken, ...media],
    ...(isError ? { isError } : {}),
    ...(response === undefined ? {} : { structured: exactOf(response) }),
  };
}

/**
 * Returns the result's text. By the document's convention, a single `output` or `error` is the result itself; otherwise the whole
 * object is the result.
 */
function textOfResponse(response: unknown): string {
  if (!isRecord(response)) return response === undefined ? '' : jsonOf(response);
  const keys = Object.keys(response);
  const [key] = keys;
  const only = keys.length === 1 && (key === 'output' || key === 'error') ? response[key] : undefined;
  return typeof only === 'string' ? only : jsonOf(response);
}

function decodeInline(inline: ObjectReader): MediaPart | null {
  const data = inline.text('data');
  if (data === null) return null;
  const mediaType = inline.text('mimeType');
  const type = mediaKind(mediaType);
  const named = nameOf(inline, type);
  inline.finish();
  return { type, source: { kind: 'base64', data: standardBase64(data) }, mediaType, ...named };
}

/** Returns the name of a file. In other formats only documents have one. */
function nameOf(file: ObjectReader, type: MediaPart['type']): Pick<MediaPart, 'fileName'> {
  if (type !== 'document') {
    file.keepForGemini('displayName', 'dropped', 'in other formats only documents have a name');
    return {};
  }
  const fileName = file.text('displayName');
  return fileName === null ? {} : { fileName };
}

/** Files at Google, in its storage or at YouTube cannot be used elsewhere. Any other https URL can be fetched by anyone. */
const ONLY_AT_GOOGLE =
  /^(?:gs:|files\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.|m\.)?youtube\.com\/|https:\/\/youtu\.be\/)/i;

export function isOnlyAtGoogle(uri: string): boolean {
  return ONLY_AT_GOOGLE.test(uri);
}

function decodeFile(file: ObjectReader): MediaPart | null {
  const uri = file.text('fileUri');
  if (uri === null) return null;
  const mediaType = file.text('mimeType');
  const source: MediaPart['source'] =
    /^https?:/i.test(uri) && !isOnlyAtGoogle(uri)
      ? { kind: 'url', url: uri }
      : { kind: 'file', id: uri, format: FORMAT };
  const type = /youtu\.?be/i.test(uri) && mediaType === null ? 'video' : mediaKind(mediaType);
  const named = nameOf(file, type);
  file.finish();
  return { type, source, mediaType, ...named };
}
