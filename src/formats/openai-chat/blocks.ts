import type { CacheMark, MediaPart, Part, TextPart } from '../../domain/exchange/part.ts';
import type { RestField } from '../../domain/exchange/request.ts';
import { isRecord } from '../shared/record.ts';
import { noteUnknown } from '../shared/rest.ts';
import { audioTypeOf, documentTypeOf, locate, sniffAudio, urlOrData } from './media.ts';
import { plainState, UNKNOWN_ORIGIN } from './reasoning.ts';
import { FORMAT } from './schema.ts';

/* The content blocks of a message: the contract's, OpenAI's, and those that Mistral and others add. */

type Block = Readonly<Record<string, unknown>>;

const MARKS = ['type', 'cache_control', 'prompt_cache_breakpoint'] as const;

const KNOWN = {
  text: new Set<string>([...MARKS, 'text']),
  image_url: new Set<string>([...MARKS, 'image_url']),
  video_url: new Set<string>([...MARKS, 'video_url']),
  audio_url: new Set<string>([...MARKS, 'audio_url']),
  input_audio: new Set<string>([...MARKS, 'input_audio']),
  file: new Set<string>([...MARKS, 'file']),
  refusal: new Set<string>([...MARKS, 'refusal']),
  document_url: new Set<string>([...MARKS, 'document_url', 'document_name']),
  thinking: new Set<string>([...MARKS, 'thinking']),
} as const;

const URL_MEMBERS = new Set(['url']);
const IMAGE_MEMBERS = new Set(['url', 'detail']);
const AUDIO_MEMBERS = new Set(['data', 'format']);
const FILE_MEMBERS = new Set(['file_id', 'file_data', 'filename']);

/** The parts of a message's `content`. `path` is the content's own. */
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
  const cache = cacheMarkOf(block);
  return cache === null ? part : { ...part, cache };
}

function partOf(block: Block, path: string, rest: RestField[]): Part | null {
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? { type: 'text', text: block.text, path } : null;
    case 'refusal':
      return typeof block.refusal === 'string' ? { type: 'refusal', text: block.refusal, path } : null;
    case 'image_url':
      return urlMedia('image', block.image_url, `${path}.image_url`, path, rest);
    case 'video_url':
      return urlMedia('video', block.video_url, `${path}.video_url`, path, rest);
    case 'audio_url':
      return urlMedia('audio', block.audio_url, `${path}.audio_url`, path, rest);
    case 'input_audio':
      return audioPart(block.input_audio, path, rest);
    case 'file':
      return filePart(block.file, path, rest);
    case 'document_url':
      return documentPart(block, path, rest);
    case 'thinking': {
      const text = textOfThinking(block.thinking);
      return text === null ? null : { type: 'reasoning', text, state: plainState(UNKNOWN_ORIGIN), path };
    }
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

/** OpenAI's `{data, format}`; Mistral's clients send bare base64 or a URL. */
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

function filePart(value: unknown, path: string, rest: RestField[]): MediaPart | null {
  if (!isRecord(value)) return null;
  noteUnknown(value, FILE_MEMBERS, `${path}.file`, rest);
  const fileName = typeof value.filename === 'string' ? value.filename : undefined;
  const named = fileName === undefined ? {} : { fileName };
  if (typeof value.file_data === 'string') {
    const { source, mediaType } = urlOrData(value.file_data);
    return { type: 'document', source, mediaType: mediaType ?? documentTypeOf(fileName), ...named, path };
  }
  if (typeof value.file_id !== 'string') return null;
  const source = { kind: 'file', id: value.file_id, format: FORMAT } as const;
  return { type: 'document', source, mediaType: documentTypeOf(fileName), ...named, path };
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

/** Mistral's chunks of text, or a plain text; `null` for anything else. */
export function textOfThinking(thinking: unknown): string | null {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return null;
  return thinking.map((chunk) => (isRecord(chunk) && typeof chunk.text === 'string' ? chunk.text : '')).join('');
}

/** Anthropic's mark, which OpenRouter, Alibaba and others take in chat blocks; OpenAI's own breakpoint says the same. */
export function cacheMarkOf(block: Block): CacheMark | null {
  const control = block.cache_control;
  if (isRecord(control)) return { ttl: control.ttl === '1h' ? '1h' : '5m' };
  return isRecord(block.prompt_cache_breakpoint) ? { ttl: '5m' } : null;
}

/** OpenAI's breakpoint goes back to OpenAI as it was; elsewhere it is a cache mark. */
function noteBreakpoint(block: Block, path: string, rest: RestField[]): void {
  const value = block.prompt_cache_breakpoint;
  if (value === undefined || value === null) return;
  const why = 'another format gets a cache mark of its own kind, where it has one';
  rest.push({ path: `${path}.prompt_cache_breakpoint`, value, verdict: 'approximated', why });
}

/** Whether a part may stand in a tool's answer. */
export function isToolContent(part: Part): part is TextPart | MediaPart | Extract<Part, { type: 'unknown' }> {
  return (
    part.type !== 'reasoning' && part.type !== 'refusal' && part.type !== 'tool-call' && part.type !== 'tool-result'
  );
}
