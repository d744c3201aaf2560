import type { Feature } from '../../../domain/exchange/loss.ts';
import type { MediaPart } from '../../../domain/exchange/part.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';
import type { EncodeTarget } from '../format.ts';
import { AUDIO_NAMES, audioFormatOf } from '../shared/audio-names.ts';
import { noteNameless } from '../shared/lost-parts.ts';
import type { Wire, Writing } from './encoding.ts';

/** A block of a message, a block of a tool's output, and the picture that a computer's output is. */
const BLOCKS = ['input[].content[]', 'input[].output[]', 'input[].output'];
const ADDRESSES = ['image_url', 'file_data', 'video_url', 'audio_url'];

export const media = new MediaFields(
  BLOCKS.flatMap((block) => [
    ...ADDRESSES.map((address) => ({ data: `${block}.${address}` })),
    { data: `${block}.input_audio.data`, labels: ['format'], names: AUDIO_NAMES },
  ]),
);

/** Returns whether bytes are needed: the API fetches URLs itself, and only a provider that does not gets bytes. */
export function needsBytes(part: MediaPart, quirks: EncodeTarget['quirks']): boolean {
  if (part.source.kind !== 'url' || startOf(part.source.url, 5) === 'data:') return false;
  return quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === `${part.type}-url`);
}

/** Returns a content part; `null` if the format cannot carry it, and then the loss is noted. */
export function encodeMedia(part: MediaPart, writing: Writing): Wire | null {
  noteNameless(part, writing.losses);
  switch (part.type) {
    case 'image':
      return encodeImage(part, writing);
    case 'document':
      return encodeDocument(part, writing);
    case 'audio':
      return encodeAudio(part, writing);
    default:
      return encodeVideo(part, writing);
  }
}

function encodeImage(part: MediaPart, writing: Writing): Wire | null {
  const source = sourceMembers(part, 'image_url', writing);
  if (source === null) return null;
  const hasDetail =
    part.detail !== undefined && writing.losses.carry('image-detail', `${part.path ?? 'messages'}.detail`);
  // The document requires the member. `auto` is the API's default.
  return { type: 'input_image', ...source, detail: hasDetail ? part.detail : 'auto' };
}

/** Returns the URL or data URL under `member`, or the id of a stored file. */
function sourceMembers(part: MediaPart, member: string, { losses }: Writing): Wire | null {
  const { source, path } = part;
  const type = part.type;
  if (source.kind === 'base64') {
    return losses.carry(`${type}-inline`, path) ? { [member]: dataUrl(source.data, part) } : null;
  }
  if (source.kind === 'url') return losses.carry(`${type}-url`, path) ? { [member]: source.url } : null;
  if (source.kind === 'text') return noteUnsayable(part, losses);
  // All of OpenAI's formats use the same file ids.
  if (source.format.startsWith('openai-')) return { file_id: source.id };
  losses.carry('provider-file', path);
  return null;
}

function noteUnsayable(part: MediaPart, losses: Writing['losses']): null {
  const why = `the Responses API does not accept ${part.type} as text`;
  losses.note({ field: part.path ?? 'messages', verdict: 'refused', why });
  return null;
}

function encodeDocument(part: MediaPart, writing: Writing): Wire | null {
  const { losses } = writing;
  const { source, path } = part;
  const fileName = part.fileName ?? part.title;
  const filename = fileName === undefined ? {} : { filename: fileName };
  if (part.context !== undefined || (part.title !== undefined && part.fileName !== undefined)) {
    losses.carry('document-details', path);
  }
  if (part.citationsEnabled) losses.carry('document-details', path);
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  if (source.kind === 'text') {
    if (!losses.carry('document-text', path)) return null;
    const data = Buffer.from(source.text).toString('base64');
    return { type: 'input_file', filename: 'document.txt', ...filename, file_data: `data:text/plain;base64,${data}` };
  }
  if (source.kind === 'base64') {
    const feature: Feature = 'document-inline';
    if (!losses.carry(feature, path)) return null;
    const file_data = part.mediaType === null && writing.isOwn ? source.data : dataUrl(source.data, part);
    // The API refuses a file without a name. The client's own file is left unchanged.
    const name = writing.isOwn ? filename : { filename: `document.${extensionOf(part)}`, ...filename };
    return { type: 'input_file', ...name, file_data, ...detail };
  }
  const members = sourceMembers(part, 'file_url', writing);
  return members === null ? null : { type: 'input_file', ...members, ...filename, ...detail };
}

/** Encodes audio for providers that accept it, in the shape of OpenAI's SDKs. */
function encodeAudio(part: MediaPart, { losses }: Writing): Wire | null {
  const { source, path } = part;
  if (source.kind !== 'base64') {
    if (losses.carry('audio-url', path) && source.kind === 'url') return { type: 'input_audio', audio_url: source.url };
    return null;
  }
  if (!losses.carry('audio-inline', path)) return null;
  return {
    type: 'input_audio',
    input_audio: { data: source.data, format: audioFormatOf(part.mediaType, source.data) },
  };
}

/** Encodes Open Responses' `input_video` with a URL or data URL. */
function encodeVideo(part: MediaPart, writing: Writing): Wire | null {
  const members = sourceMembers(part, 'video_url', writing);
  return members === null ? null : { type: 'input_video', ...members };
}

function dataUrl(data: string, part: MediaPart): string {
  return `data:${mediaTypeOf(data, part)};base64,${data}`;
}

function mediaTypeOf(data: string, part: MediaPart): string {
  const found = part.mediaType ?? mediaTypeOfBase64(null, data);
  return found ?? (part.type === 'image' ? 'image/png' : 'application/octet-stream');
}

function extensionOf(part: MediaPart): string {
  const type = part.source.kind === 'base64' ? mediaTypeOf(part.source.data, part) : 'application/octet-stream';
  const [subtype = ''] = type.slice(type.indexOf('/') + 1).split(/[;+]/, 1);
  if (subtype === 'plain') return 'txt';
  return /^[a-z0-9]{1,8}$/.test(subtype) ? subtype : 'bin';
}

// ---- the hosted image_generation tool

/*
 * The contract's rule for a hosted `image_generation` tool: if the tool uses the default image model or the latest one, its
 * `input_fidelity` is removed before the request is sent. `background: transparent` always stays.
 */

interface ImageModelRule {
  readonly models: RegExp;
  readonly why: string;
}

/** Image models that refuse `input_fidelity`. `gpt-image-1` and `gpt-image-1.5` accept it if they are named. */
const WITHOUT_INPUT_FIDELITY: readonly ImageModelRule[] = [
  {
    models: /^gpt-image-2(-\d{4}-\d{2}-\d{2})?$/,
    why: "OpenAI's API document: gpt-image-2 reads every image in high fidelity, so the parameter must be omitted",
  },
  {
    models: /^chatgpt-image-latest$/,
    why: 'an alias for the newest image model, which does not have the parameter',
  },
];

/**
 * Returns whether the image model refuses the parameter. `model` is the tool's own member. If it is missing, the default model is
 * used, which the contract lists as refusing it.
 */
export function refusesInputFidelity(model: unknown): boolean {
  if (model === undefined || model === null) return true;
  return typeof model === 'string' && WITHOUT_INPUT_FIDELITY.some(({ models }) => models.test(model));
}
