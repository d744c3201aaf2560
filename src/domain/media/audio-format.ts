import { Failure } from '../failure/failure.ts';
import { sniffMediaType } from './sniff-media-type.ts';
import type { UploadedFile } from './uploaded-file.ts';

/** The contract's names of audio file formats. */
export const AUDIO_FILE_FORMATS = ['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'wav', 'webm'] as const;
export type AudioFileFormat = (typeof AUDIO_FILE_FORMATS)[number];

export interface AudioFormat {
  /** Also the extension of a file in this format. */
  readonly format: AudioFileFormat;
  readonly mediaType: string;
}

const BY_MEDIA_TYPE: Readonly<Record<string, AudioFileFormat>> = {
  'audio/flac': 'flac',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  'audio/ogg': 'ogg',
  'video/ogg': 'ogg',
  'audio/wav': 'wav',
  'video/webm': 'webm',
};

/**
 * Returns an audio file's format by its first bytes, because its name and declared type may be wrong. `param` is the name of its
 * part.
 */
export function audioFormatOf(file: Pick<UploadedFile, 'head' | 'size'>, param: string): AudioFormat | Failure {
  if (file.size === 0) return wrong(param, 'The audio file is empty.');
  const mediaType = sniffMediaType(file.head) ?? (isLowerLayer(file.head) ? 'audio/mpeg' : null);
  const format = mediaType === null ? undefined : BY_MEDIA_TYPE[mediaType];
  if (mediaType !== null && format !== undefined) return { format, mediaType };
  const found = mediaType === null ? 'its first bytes match no known format' : `it is \`${mediaType}\``;
  return wrong(
    param,
    `The audio format of the file is not supported: ${found}. Send one of ${AUDIO_FILE_FORMATS.join(', ')}.`,
  );
}

/**
 * Returns whether this is MPEG audio of layer I or II (`mpga`): eleven bits set, a version, such a layer, a bit rate and a sample
 * rate.
 */
function isLowerLayer([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const isLayer = (second & 0xe4) === 0xe4 && (second & 0x18) !== 0x08;
  const bitRate = third >> 4;
  return first === 0xff && isLayer && bitRate !== 0 && bitRate !== 0xf && ((third >> 2) & 3) !== 3;
}

function wrong(param: string, message: string): Failure {
  return new Failure('invalid_value', { message, param, kind: 'invalid_audio' });
}
