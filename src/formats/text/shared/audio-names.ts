import { registeredMediaType } from '../../../domain/media/media-label.ts';
import { entryOf } from '../../shared/json/record.ts';
import type { LabelNames } from '../../shared/media/media-fields.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';

/* The short names of audio types in OpenAI's formats. */

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

/**
 * Returns the media type: `mp3` → `audio/mpeg`. Any other short name is the subtype itself (`flac`, `ogg`, `aac`, `webm`), and
 * some clients send a full type.
 */
export function audioTypeOf(format: string): string {
  const name = format.toLowerCase();
  return entryOf(AUDIO_TYPES, name) ?? (name.includes('/') ? name : `audio/${name}`);
}

/** Returns the short name: `audio/mpeg` → `mp3`. Without a type the first bytes decide. OpenAI accepts only `wav` and `mp3`. */
export function audioFormatOf(mediaType: string | null, data: string): string {
  const type = (mediaType ?? sniffAudio(data)).toLowerCase();
  return entryOf(AUDIO_FORMATS, type) ?? type.replace(/^audio\/(?:x-)?/, '');
}

/** Returns the audio type that the first bytes show. Data without a known signature counts as raw samples. */
export function sniffAudio(data: string): string {
  return mediaTypeOfBase64(null, data)?.replace('video/', 'audio/') ?? 'audio/pcm';
}

const KNOWN_FORMATS: ReadonlySet<string> = new Set('wav mp3 flac ogg opus m4a mp4 aac aiff webm pcm pcm16'.split(' '));

/** How `input_audio` names an audio type. */
export const AUDIO_NAMES: LabelNames = {
  mediaTypeOf: audioTypeOf,
  labelOf: (mediaType, said) => {
    const isRight = KNOWN_FORMATS.has(said) && registeredMediaType(audioTypeOf(said)) === mediaType;
    return isRight ? said : audioFormatOf(mediaType.replace('video/', 'audio/'), '');
  },
};
