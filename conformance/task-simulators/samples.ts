import { pngOf } from '../shared/png.ts';

/* Files as providers generate them. Only their first bytes match their type. */

const COVER = pngOf({ width: 64, height: 64 });

export interface SampleFile {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function sample(mediaType: string, ...parts: readonly (string | Buffer)[]): SampleFile {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  return { mediaType, bytes: new Uint8Array(bytes) };
}

const zeros = (bytes: number) => Buffer.alloc(bytes);

export const SAMPLE_FILES: Readonly<Record<string, SampleFile>> = {
  'clip.mp4': sample('video/mp4', '\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41', zeros(1_000)),
  'song.mp3': sample('audio/mpeg', 'ID3\x04\x00\x00\x00\x00\x00\x00', '\xff\xfb\x90\x64', zeros(1_000)),
  'cover.png': sample('image/png', COVER),
  'model.glb': sample('model/gltf-binary', 'glTF\x02\x00\x00\x00\x0c\x00\x00\x00'),
};

export function sampleFile(name: string): SampleFile {
  const file = Object.hasOwn(SAMPLE_FILES, name) ? SAMPLE_FILES[name] : undefined;
  if (file === undefined) throw new Error(`there is no sample ${name}`);
  return file;
}
