import { asObject, isObject } from './json.ts';

/** The labels that requests use for each file type, and the signature of its first bytes. */
const KINDS: readonly (readonly [names: readonly [string, ...string[]], signature: RegExp])[] = [
  [['image/png', 'png'], /^\x89PNG/],
  [['image/jpeg', 'jpeg'], /^\xff\xd8\xff/],
  [['image/gif', 'gif'], /^GIF8/],
  [['image/webp', 'webp'], /^RIFF....WEBP/s],
  [['application/pdf', 'pdf'], /^%PDF-/],
  [['audio/wav', 'wav'], /^RIFF....WAVE/s],
  [['audio/mp3', 'audio/mpeg', 'mp3'], /^(?:ID3|\xff\xfb)/],
  [['audio/flac', 'flac'], /^fLaC/],
];

/** A file within a request's body, in any of the wires' forms. */
export interface LabelledFile {
  /** The path of the text that is or contains the label. */
  readonly path: readonly (string | number)[];
  readonly label: string;
  readonly base64: string;
}

/** Returns the labels for the file by its first bytes; `null` if they are not recognized. */
export function namesByBytes({ base64 }: Pick<LabelledFile, 'base64'>): readonly [string, ...string[]] | null {
  const head = Buffer.from(base64.slice(0, 64), 'base64').toString('latin1');
  return KINDS.find(([, signature]) => signature.test(head))?.[0] ?? null;
}

/** Returns whether the label matches the bytes; true if these are not recognized. */
export function isLabelRight(file: LabelledFile): boolean {
  return namesByBytes(file)?.includes(file.label) ?? true;
}

/** Returns the files of a body in order. */
export function filesIn(value: unknown, path: LabelledFile['path'] = []): readonly LabelledFile[] {
  if (typeof value === 'string') {
    const [, label, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(value) ?? [];
    return label === undefined || base64 === undefined ? [] : [{ path, label, base64 }];
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => filesIn(item, [...path, index]));
  if (!isObject(value)) return [];
  const member = ['media_type', 'mimeType', 'mime_type', 'format'].find((name) => typeof value[name] === 'string');
  const base64 = value.data ?? asObject(value.source).bytes;
  if (member !== undefined && typeof base64 === 'string') {
    return [{ path: [...path, member], label: String(value[member]), base64 }];
  }
  return Object.entries(value).flatMap(([name, inner]) => filesIn(inner, [...path, name]));
}
