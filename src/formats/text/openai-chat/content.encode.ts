import { type MediaPart, markPath, type Part, type TextPart } from '../../../domain/exchange/part.ts';
import { audioFormatOf } from '../shared/audio-names.ts';
import { lostState, noteNameless } from '../shared/lost-parts.ts';
import type { Body, EncodeContext } from './encoding.ts';
import { dataUri, typeOfMedia } from './media.ts';
import { FORMAT } from './schema.ts';

/** Returns the content block for a part of any role. `null` if the format cannot express the part; the loss is then noted. */
export function encodeBlock(part: Part, context: EncodeContext): Body | null {
  const block = blockOf(part, context);
  if (block === null) return null;
  const { own } = context;
  const { path } = part;
  own.into(path, block);
  for (const member of ['image_url', 'video_url', 'input_audio', 'file'] as const) {
    const inner = block[member];
    // This module has just written these values, and each of them is an object.
    if (inner !== undefined) own.into(`${path}.${member}`, inner as Body);
  }
  addMark(block, part, context);
  return block;
}

function blockOf(part: Part, context: EncodeContext): Body | null {
  const { losses, own } = context;
  switch (part.type) {
    case 'text':
      noteCitations(part, context);
      noteState(part, context);
      return { type: 'text', text: part.text };
    case 'refusal':
      return losses.carry('refusal', part.path) ? { type: 'text', text: part.text } : null;
    case 'unknown':
      if (part.format === FORMAT && own.isOwn) return { ...toObject(part.value) };
      losses.carry('unknown-blocks', part.path);
      return null;
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      noteState(part, context);
      return mediaBlock(part, context);
    default:
      losses.note({
        field: part.path ?? part.type,
        verdict: 'refused',
        why: 'a message of this role cannot contain it',
      });
      return null;
  }
}

function toObject(value: unknown): Body {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Notes lost citations: the format has no field for sending the sources of an earlier text back to the model. */
function noteCitations(part: TextPart, { losses }: EncodeContext): void {
  if (part.citations !== undefined && part.citations.length > 0)
    losses.carry('citations', `${part.path ?? 'messages'}.citations`);
}

/** Notes lost state: a chat body has no field for the state of a text or media part. */
function noteState(part: TextPart | MediaPart, { losses }: EncodeContext): void {
  if (part.state === undefined || part.state.family === 'openai-chat') return;
  const why = "another vendor's state cannot be read there";
  losses.note(lostState(part, why));
}

/** Adds Anthropic's cache mark if the provider accepts it in chat blocks. */
export function addMark(block: Body, part: Pick<Part, 'cache' | 'path'>, { losses }: EncodeContext): void {
  const { cache } = part;
  if (cache === undefined || block.prompt_cache_breakpoint !== undefined) return;
  if (!losses.carry('cache-marks', markPath(part))) return;
  block.cache_control = { type: 'ephemeral', ...(cache.ttl === '1h' ? { ttl: '1h' } : {}) };
}

function mediaBlock(part: MediaPart, context: EncodeContext): Body | null {
  const { source } = part;
  if (part.type === 'document') noteDetails(part, context);
  else noteNameless(part, context.losses);
  switch (source.kind) {
    case 'base64':
      return context.losses.carry(`${part.type}-inline`, part.path) ? inlineBlock(part, source.data, context) : null;
    case 'url':
      return urlBlock(part, source.url, context);
    case 'text':
      if (!context.losses.carry('document-text', part.path)) return null;
      return { type: 'text', text: part.title === undefined ? source.text : `${part.title}\n\n${source.text}` };
    case 'file':
      return fileBlock(part, source, context);
  }
}

function inlineBlock(part: MediaPart, data: string, context: EncodeContext): Body {
  const uri = () => dataUri(typeOfMedia(part), data);
  switch (part.type) {
    case 'image':
      return imageBlock(part, uri(), context);
    case 'audio':
      return { type: 'input_audio', input_audio: { data, format: audioFormatOf(part.mediaType, data) } };
    case 'video':
      return { type: 'video_url', video_url: { url: uri() } };
    case 'document': {
      if (takesDocumentUrls(context)) return documentUrl(part, uri());
      const name = nameOf(part) ?? (context.own.isOwn ? undefined : `document.${extensionOf(typeOfMedia(part))}`);
      return { type: 'file', file: { ...(name === undefined ? {} : { filename: name }), file_data: uri() } };
    }
  }
}

function urlBlock(part: MediaPart, url: string, context: EncodeContext): Body | null {
  const { losses, target } = context;
  if (part.type === 'image') return losses.carry('image-url', part.path) ? imageBlock(part, url, context) : null;
  if (part.type === 'video') {
    return losses.carry('video-url', part.path) ? { type: 'video_url', video_url: { url } } : null;
  }
  const feature = part.type === 'audio' ? 'audio-url' : 'document-url';
  // A chat client used a provider's own block for a URL and this provider accepts it. For other formats the URL is fetched
  // first.
  if (target.carries[feature] === 'exact') {
    return part.type === 'audio' ? { type: 'audio_url', audio_url: { url } } : documentUrl(part, url);
  }
  const why = 'the provider accepts only bytes, and they were not fetched';
  losses.note({ field: part.path ?? part.type, verdict: 'refused', why });
  return null;
}

function imageBlock({ detail, path }: MediaPart, url: string, { losses }: EncodeContext): Body {
  const carried = detail !== undefined && losses.carry('image-detail', `${path ?? 'image'}.detail`);
  return { type: 'image_url', image_url: { url, ...(carried ? { detail } : {}) } };
}

/**
 * Returns whether the provider has a block type for documents by URL. The client's own block type does not matter: it may be `file`.
 */
function takesDocumentUrls({ target }: EncodeContext): boolean {
  return target.quirks.some((quirk) => quirk.kind === 'has' && quirk.feature === 'document-url');
}

/** Encodes Mistral's block for documents. It accepts data URIs as well. */
function documentUrl(part: MediaPart, url: string): Body {
  const name = nameOf(part);
  return { type: 'document_url', document_url: url, ...(name === undefined ? {} : { document_name: name }) };
}

function fileBlock(
  part: MediaPart,
  { id, format }: { readonly id: string; readonly format: string },
  { losses, own }: EncodeContext,
): Body | null {
  if (part.type === 'document' && own.isOwn && format === FORMAT) {
    return { type: 'file', file: { ...(part.fileName === undefined ? {} : { filename: part.fileName }), file_id: id } };
  }
  losses.note({
    field: part.path ?? part.type,
    verdict: 'refused',
    why: 'the file is stored by another provider, or chat completions cannot refer to it',
  });
  return null;
}

function nameOf({ fileName, title }: MediaPart): string | undefined {
  return fileName ?? title;
}

function extensionOf(mediaType: string): string {
  return mediaType.split('/').pop()?.replace(/[^\w]/g, '') || 'bin';
}

function noteDetails({ context: about, citationsEnabled, detail, path }: MediaPart, { losses }: EncodeContext): void {
  if (detail !== undefined && detail !== 'auto') {
    const why = 'only images have a level of detail';
    losses.note({ field: `${path ?? 'document'}.detail`, verdict: 'dropped', why });
  }
  if (about !== undefined) losses.carry('document-details', `${path ?? 'document'}.context`);
  if (citationsEnabled === true) losses.carry('document-details', `${path ?? 'document'}.citations`);
}
