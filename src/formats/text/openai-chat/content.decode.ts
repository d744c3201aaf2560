import type { CacheMark, MediaPart, Part, TextPart } from '../../../domain/exchange/part.ts';
import type { RestField } from '../../../domain/exchange/request.ts';
import { listOf, nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { audioTypeOf, sniffAudio } from '../shared/audio-names.ts';
import { noteOdd, noteUnknown } from '../shared/rest.ts';
import { documentTypeOf, locate, urlOrData } from './media.ts';
import { thinkingBlock } from './reasoning.decode.ts';
import { plainState, UNKNOWN_ORIGIN } from './reasoning.ts';
import { FORMAT } from './schema.ts';

/* The content blocks of a message: those of the contract and of OpenAI, and those that Mistral and other providers add. */

type Block = Readonly<Record<string, unknown>>;

const MARKS = ['type', 'cache_control', 'prompt_cache_breakpoint'] as const;

const KNOWN = {
  text: new Set<string>([...MARKS, 'text']),
  image_url: new Set<string>([...MARKS, 'image_url']),
  video_url: new Set<string>([...MARKS, 'video_url']),
  audio_url: new Set<string>([...MARKS, 'audio_url']),
  input_audio: new Set<string>([...MARKS, 'input_audio']),
  file: new Set<string>([...MARKS, 'file', 'file_id']),
  refusal: new Set<string>([...MARKS, 'refusal']),
  document_url: new Set<string>([...MARKS, 'document_url', 'document_name']),
  file_url: new Set<string>([...MARKS, 'file_url']),
  input_video: new Set<string>([...MARKS, 'video_url']),
  thinking: new Set<string>([...MARKS, 'thinking', 'signature']),
  redacted_thinking: new Set<string>([...MARKS, 'data']),
  // Blocks of the Responses API and of Anthropic's API. Clients of these APIs send them to this endpoint, too.
  input_text: new Set<string>([...MARKS, 'text']),
  output_text: new Set<string>([...MARKS, 'text']),
  input_image: new Set<string>([...MARKS, 'image_url', 'file_id', 'detail']),
  input_file: new Set<string>([...MARKS, 'file_data', 'file_url', 'file_id', 'filename']),
  image: new Set<string>([...MARKS, 'image', 'source']),
} as const;

const URL_MEMBERS = new Set(['url']);
const IMAGE_MEMBERS = new Set(['url', 'detail']);
const SOURCE_MEMBERS = new Set(['type', 'media_type', 'data', 'url']);
const AUDIO_MEMBERS = new Set(['data', 'format']);
const FILE_MEMBERS = new Set(['file_id', 'file_data', 'file_url', 'filename']);

/** Returns the parts of a message's `content`. `path` is the path of the content itself. */
export function decodeContent(content: unknown, path: string, rest: RestField[]): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, path }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown, index) => decodeBlock(block, `${path}[${index}]`, rest));
}

function decodeBlock(block: unknown, path: string, rest: RestField[]): Part {
  const part = isRecord(block) ? partOf(block, path, rest) : null;
  if (part === null || !isRecord(block)) return { type: 'unknown', format: FORMAT, value: block, path };
  noteBreakpoint(block, path, rest);
  const known: ReadonlySet<string> | undefined = Object.hasOwn(KNOWN, String(block.type))
    ? KNOWN[block.type as keyof typeof KNOWN] // hasOwn has just said that it is one of them.
    : undefined;
  if (known) noteUnknown(block, known, path, rest);
  const cache = cacheMarkOf(block, path, rest);
  return cache === null ? part : { ...part, cache };
}

function partOf(block: Block, path: string, rest: RestField[]): Part | null {
  switch (block.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text, path } : null;
    case 'refusal':
      return typeof block.refusal === 'string' ? { type: 'refusal', text: block.refusal, path } : null;
    case 'image_url':
      return urlMedia('image', block.image_url, `${path}.image_url`, path, rest);
    case 'video_url':
    case 'input_video':
      return urlMedia('video', block.video_url, `${path}.video_url`, path, rest);
    case 'audio_url':
      return urlMedia('audio', block.audio_url, `${path}.audio_url`, path, rest);
    case 'input_audio':
      return audioPart(block.input_audio, path, rest);
    case 'file':
      return isRecord(block.file)
        ? filePart(block.file, path, `${path}.file`, rest)
        : filePart(block, path, null, rest);
    case 'input_file':
      return filePart(block, path, null, rest);
    case 'file_url':
      return filePart({ file_url: block.file_url }, path, null, rest);
    case 'document_url':
      return documentPart(block, path, rest);
    case 'input_image':
      return inputImage(block, path, rest);
    case 'image':
      return imagePart(block, path, rest);
    case 'redacted_thinking':
      return thinkingBlock(block, path);
    case 'thinking':
      return typeof block.thinking === 'string' ? thinkingBlock(block, path) : thinkingChunks(block, path, rest);
    default:
      return null;
  }
}

function urlMedia(
  type: 'image' | 'video' | 'audio',
  value: unknown,
  valuePath: string,
  path: string,
  rest: RestField[],
): MediaPart | null {
  const url = isRecord(value) ? value.url : value;
  if (typeof url !== 'string') return null;
  if (isRecord(value)) noteUnknown(value, type === 'image' ? IMAGE_MEMBERS : URL_MEMBERS, valuePath, rest);
  const detail = type === 'image' && isRecord(value) && typeof value.detail === 'string' ? value.detail : null;
  return { type, ...locate(url), ...(detail === null ? {} : { detail }), path };
}

/** Decodes OpenAI's `{data, format}` object, or audio as Mistral's clients send it: bare base64 or a URL. */
function audioPart(value: unknown, path: string, rest: RestField[]): MediaPart | null {
  if (typeof value === 'string') {
    const { source, mediaType } = urlOrData(value);
    const sniffed = mediaType ?? (source.kind === 'base64' ? sniffAudio(source.data) : null);
    return { type: 'audio', source, mediaType: sniffed, path };
  }
  if (!isRecord(value) || typeof value.data !== 'string') return null;
  noteUnknown(value, AUDIO_MEMBERS, `${path}.input_audio`, rest);
  const { source, mediaType } = urlOrData(value.data);
  const named = typeof value.format === 'string' ? audioTypeOf(value.format) : mediaType;
  return { type: 'audio', source, mediaType: named, path };
}

/** Decodes a file. `membersPath` is the path of the object that holds it; `null` if that object is the block itself. */
function filePart(value: Block, path: string, membersPath: string | null, rest: RestField[]): MediaPart | null {
  const at = membersPath ?? path;
  if (membersPath !== null) noteUnknown(value, FILE_MEMBERS, membersPath, rest);
  const fileName = nonEmptyText(value.filename) ?? undefined;
  const named = fileName === undefined ? {} : { fileName };
  const link = isRecord(value.file_url) ? value.file_url.url : value.file_url;
  if (isRecord(value.file_url)) noteUnknown(value.file_url, URL_MEMBERS, `${at}.file_url`, rest);
  const given = nonEmptyText(value.file_data) ?? nonEmptyText(link);
  const id = nonEmptyText(value.file_id);
  if (given !== null) {
    if (id !== null)
      rest.push({ path: `${at}.file_id`, value: id, verdict: 'dropped', why: 'the file itself is also given' });
    const { source, mediaType } = urlOrData(given);
    return { type: 'document', source, mediaType: mediaType ?? documentTypeOf(fileName), ...named, path };
  }
  if (id === null) return null;
  const source = { kind: 'file', id, format: FORMAT } as const;
  return { type: 'document', source, mediaType: documentTypeOf(fileName), ...named, path };
}

/** Returns the Responses API's image block, in which the URL is a plain string. */
function inputImage(block: Block, path: string, rest: RestField[]): MediaPart | null {
  const detail = nonEmptyText(block.detail);
  const id = nonEmptyText(block.file_id);
  const part = urlMedia('image', block.image_url, `${path}.image_url`, path, rest);
  if (part !== null) {
    if (id !== null)
      rest.push({ path: `${path}.file_id`, value: id, verdict: 'dropped', why: 'the image itself is also given' });
    return detail === null ? part : { ...part, detail };
  }
  const source = { kind: 'file', id: id ?? '', format: FORMAT } as const;
  return id === null ? null : { type: 'image', source, mediaType: null, ...(detail === null ? {} : { detail }), path };
}

/** Decodes Anthropic's `source`, or Hugging Face's `image`, which is an address or a data URI. */
function imagePart({ source, image }: Block, path: string, rest: RestField[]): MediaPart | null {
  if (!isRecord(source)) return urlMedia('image', image, `${path}.image`, path, rest);
  noteUnknown(source, SOURCE_MEMBERS, `${path}.source`, rest);
  const url = nonEmptyText(source.url);
  if (url !== null) return { type: 'image', ...locate(url), path };
  const data = nonEmptyText(source.data);
  return data === null
    ? null
    : { type: 'image', source: { kind: 'base64', data }, mediaType: nonEmptyText(source.media_type), path };
}

/** Decodes Mistral's thinking block: texts, and results of the tools that the model used while it thought. */
function thinkingChunks(block: Block, path: string, rest: RestField[]): Part | null {
  const text = textOfThinking(block.thinking);
  for (const [index, chunk] of listOf(block.thinking).entries()) {
    const at = `${path}.thinking[${index}]`;
    if (isRecord(chunk) && typeof chunk.text === 'string') noteUnknown(chunk, CHUNK_MEMBERS, at, rest);
    else rest.push({ path: at, value: chunk, verdict: 'dropped', why: 'thoughts are only text in other formats' });
  }
  return text === null ? null : { type: 'reasoning', text, state: plainState(UNKNOWN_ORIGIN), path };
}

function documentPart(block: Block, path: string, rest: RestField[]): MediaPart | null {
  const value = block.document_url;
  const url = isRecord(value) ? value.url : value;
  if (typeof url !== 'string') return null;
  if (isRecord(value)) noteUnknown(value, URL_MEMBERS, `${path}.document_url`, rest);
  const fileName = typeof block.document_name === 'string' ? block.document_name : undefined;
  const { source, mediaType } = locate(url);
  const type = mediaType ?? documentTypeOf(fileName);
  return { type: 'document', source, mediaType: type, ...(fileName === undefined ? {} : { fileName }), path };
}

/** Returns the text of Mistral's chunks, or a plain text; `null` for anything else. */
export function textOfThinking(thinking: unknown): string | null {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return null;
  return thinking.map((chunk) => (isRecord(chunk) && typeof chunk.text === 'string' ? chunk.text : '')).join('');
}

/**
 * Returns Anthropic's cache mark, which OpenRouter, Alibaba and others accept in chat blocks. OpenAI's own breakpoint means the
 * same.
 */
export function cacheMarkOf(object: Block, path: string, rest: RestField[]): CacheMark | null {
  const control = object.cache_control;
  const at = path === '' ? 'cache_control' : `${path}.cache_control`;
  if (isRecord(control)) {
    noteUnknown(control, CONTROL_MEMBERS, at, rest);
    noteOdd(control, 'type', (type) => type === 'ephemeral', at, rest);
    noteOdd(control, 'ttl', (ttl) => ttl === '5m' || ttl === '1h', at, rest);
    return { ttl: control.ttl === '1h' ? '1h' : '5m' };
  }
  noteOdd(object, 'cache_control', isRecord, path, rest);
  return isRecord(object.prompt_cache_breakpoint) ? { ttl: '5m' } : null;
}

/**
 * Returns whether the `cache_control` of a whole request is OpenRouter's and Anthropic's mark. Any other value is the gateway's
 * own setting (contract, Cache).
 */
export function isCacheMark(control: unknown): control is Block {
  return isRecord(control) && control.type === 'ephemeral';
}

const CHUNK_MEMBERS = new Set(['type', 'text']);
const CONTROL_MEMBERS = new Set(['type', 'ttl']);

/** Notes OpenAI's breakpoint, which goes back to OpenAI unchanged and becomes a cache mark for other providers. */
function noteBreakpoint(block: Block, path: string, rest: RestField[]): void {
  const value = block.prompt_cache_breakpoint;
  if (value === undefined || value === null) return;
  const why = 'another format gets its own cache mark, if it has one';
  rest.push({ path: `${path}.prompt_cache_breakpoint`, value, verdict: 'approximated', why });
}

/** Returns whether a part is allowed in a tool result. */
export function isToolContent(part: Part): part is TextPart | MediaPart | Extract<Part, { type: 'unknown' }> {
  return (
    part.type !== 'reasoning' && part.type !== 'refusal' && part.type !== 'tool-call' && part.type !== 'tool-result'
  );
}
