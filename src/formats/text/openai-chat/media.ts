import type { MediaPart, MediaSource } from '../../../domain/exchange/part.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { entryOf } from '../../shared/json/record.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';
import type { Quirk } from '../quirk.ts';
import { AUDIO_NAMES } from '../shared/audio-names.ts';

/* How chat completions write media: as data URIs. */

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

const BLOCKS = ['messages[].content[]', 'messages[].images[]'];
const ADDRESSES = [
  'image_url',
  'image_url.url',
  'video_url',
  'video_url.url',
  'audio_url',
  'audio_url.url',
  'document_url',
  'document_url.url',
  'file.file_data',
  'file_data',
  'image',
];

export const media = new MediaFields(
  BLOCKS.flatMap((block) => [
    ...ADDRESSES.map((address) => ({ data: `${block}.${address}` })),
    { data: `${block}.input_audio.data`, labels: ['format'], names: AUDIO_NAMES },
    { data: `${block}.source.data`, labels: ['media_type'] },
  ]),
);

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
};

/** Returns the type implied by the file name's extension, if nothing else states it. */
export function documentTypeOf(fileName: string | undefined): string | null {
  return entryOf(DOCUMENT_TYPES, fileName?.split('.').pop()?.toLowerCase() ?? '') ?? null;
}

/** Returns a bare URL or base64 bytes: `document_url` and Mistral's `input_audio` strings may hold either. */
export function urlOrData(text: string): Located {
  if (/^(?:https?|data):/i.test(startOf(text, 8))) return locate(text);
  return { source: { kind: 'base64', data: text }, mediaType: null };
}

/** Returns the type to write if the part has none: the default of each API. */
export function typeOfMedia({ type, mediaType, fileName }: MediaPart): string {
  if (mediaType !== null) return mediaType;
  if (type === 'document') return documentTypeOf(fileName) ?? 'application/pdf';
  return { image: 'image/png', audio: 'audio/wav', video: 'video/mp4' }[type];
}

/**
 * Returns whether bytes are needed: chat completions accept audio and documents as bytes, and images as URLs. A quirk may change
 * each of these.
 */
export function needsBytes({ type, source }: MediaPart, quirks: readonly Quirk[]): boolean {
  if (source.kind !== 'url') return false;
  const feature = `${type}-url` as const;
  const said = quirks.findLast(
    (quirk) => (quirk.kind === 'has' || quirk.kind === 'lacks') && quirk.feature === feature,
  );
  if (said !== undefined) return said.kind === 'lacks';
  const takesInline = quirks.some((quirk) => quirk.kind === 'has' && quirk.feature === 'video-inline');
  return type === 'audio' || type === 'document' || (type === 'video' && takesInline);
}
