import type { MediaPart } from '../../../domain/exchange/part.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';
import type { Quirk } from '../quirk.ts';

/** A block of a message, of a tool's result, and of a document that is made of blocks. */
const BLOCKS = ['messages[].content[]', 'messages[].content[].content[]', 'messages[].content[].source.content[]'];

export const media = new MediaFields(BLOCKS.map((block) => ({ data: `${block}.source.data`, labels: ['media_type'] })));

/**
 * Returns whether the gateway has to fetch the file: the API fetches only https URLs itself, and a document given by URL must be a
 * PDF.
 */
export function needsBytes({ type, source, mediaType }: MediaPart, quirks: readonly Quirk[]): boolean {
  if (source.kind !== 'url' || (type !== 'image' && type !== 'document')) return false;
  const feature = type === 'image' ? 'image-url' : 'document-url';
  if (quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === feature)) return true;
  if (!source.url.startsWith('https://')) return true;
  return type === 'document' && mediaType !== null && mediaType !== 'application/pdf';
}
