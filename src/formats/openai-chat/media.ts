import type { MediaPart, MediaSource } from '../../domain/exchange/part.ts';
import { startOf } from '../shared/long-text.ts';
import { entryOf } from '../shared/record.ts';

/* How chat completions write media: data URIs, and short names for audio formats. */

interface Located {
  readonly source: MediaSource;
  readonly mediaType: string | null;
}

const DATA_URI = /^data:([^,]{0,200}?)(;base64)?,/i;
const LONGEST_HEAD = 256;

/** Reads a URL as a source. A data URI is read as its bytes. */
export function locate(url: string): Located {
  const match = DATA_URI.exec(startOf(url, LONGEST_HEAD));
  if (match === null) return { source: { kind: 'url', url }, mediaType: null };
  const rest = url.slice(match[0].length);
  const data = match[2] === undefined ? Buffer.from(percentDecoded(rest)).toString('base64') : rest;
  const mediaType = match[1]?.split(';')[0]?.trim().toLowerCase();
  return { source: { kind: 'base64', data }, mediaType: mediaType === '' ? null : (mediaType ?? null) };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function dataUri(mediaType: string, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

const AUDIO_TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  pcm16: 'audio/pcm',
};

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/pcm': 'pcm16',
  'audio/l16': 'pcm16',
};

/** `mp3` → `audio/mpeg`. Any other short name is itself the subtype (`flac`, `ogg`, `aac`, `webm`). */
export function audioTypeOf(format: string): string {
  return entryOf(AUDIO_TYPES, format.toLowerCase()) ?? `audio/${format.toLowerCase()}`;
}

/** `audio/mpeg` → `mp3`. Without a type the first bytes decide. OpenAI takes only `wav` and `mp3`. */
export function audioFormatOf(mediaType: string | null, data: string): string {
  const type = (mediaType ?? sniffAudio(data)).toLowerCase();
  return entryOf(AUDIO_FORMATS, type) ?? type.replace(/^audio\/(?:x-)?/, '');
}

/**
 * Detects the type by the base64 of RIFF, OggS, fLaC, ID3 or an MPEG frame. Data without such a signature counts as raw
 * samples.
 */
export function sniffAudio(data: string): string {
  const start = startOf(data, 8);
  if (start.startsWith('UklGR')) return 'audio/wav';
  if (start.startsWith('T2dn')) return 'audio/ogg';
  if (start.startsWith('ZkxhQ')) return 'audio/flac';
  if (start.startsWith('SUQz') || start.startsWith('//')) return 'audio/mpeg';
  return 'audio/pcm';
}

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

/** The type by the file name's extension, where nothing else states it. */
export function documentTypeOf(fileName: string | undefined): string | null {
  return entryOf(DOCUMENT_TYPES, fileName?.split('.').pop()?.toLowerCase() ?? '') ?? null;
}

/** A bare URL or base64 bytes: `document_url` and Mistral's `input_audio` strings may hold either. */
export function urlOrData(text: string): Located {
  if (/^(?:https?|data):/i.test(startOf(text, 8))) return locate(text);
  return { source: { kind: 'base64', data: text }, mediaType: null };
}

/** The type to write where the part has none: the default of each API. */
export function typeOfMedia({ type, mediaType, fileName }: MediaPart): string {
  if (mediaType !== null) return mediaType;
  if (type === 'document') return documentTypeOf(fileName) ?? 'application/pdf';
  return { image: 'image/png', audio: 'audio/wav', video: 'video/mp4' }[type];
}
