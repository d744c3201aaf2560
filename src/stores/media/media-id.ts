import { createHmac, randomBytes } from 'node:crypto';
import { extensionOf, mediaTypeOf } from './media-types.ts';

/** The range of expiry times in one folder. A file is removed up to this long after its link has expired. */
export const BUCKET_MS = 600_000;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const TAG_CHARACTERS = 12;
const RANDOM_CHARACTERS = 26;
/** Bucket and owner, an unguessable name, the size if it was known in advance, and the type. */
const ID = /^(\d{12})([a-z2-7]{12})-([a-z2-7]{26})(?:-([1-9a-z][0-9a-z]{0,9}))?\.([a-z0-9]{2,4})$/;

const KINDS = new Set(['image', 'audio', 'video', 'model']);

/** A parsed id. It contains the whole path of the file, so no store needs a look-up. */
export interface MediaId {
  /** The expiry of the last file in the folder: year, month, day, hour and minute in UTC. */
  readonly bucket: string;
  /** Represents the account. */
  readonly owner: string;
  /** The file name within the owner's folder. */
  readonly file: string;
  /** The size in bytes; `null` for a stream that was sent to a store before its size was known. */
  readonly size: number | null;
  readonly mediaType: string;
  /** The file name for saving in a browser: letters, digits, dashes and a dot. */
  readonly saveName: string;
}

export function newMediaId(
  {
    expiresAtMs,
    owner,
    mediaType,
  }: { readonly expiresAtMs: number; readonly owner: string; readonly mediaType: string },
  size: number | null,
): string {
  const random = base32(randomBytes(RANDOM_CHARACTERS), RANDOM_CHARACTERS);
  const sized = size === null ? '' : `-${size.toString(36)}`;
  return `${bucketOf(expiresAtMs)}${owner}-${random}${sized}.${extensionOf(mediaType)}`;
}

/** Returns `null` if no store has created the id. */
export function parseMediaId(id: string): MediaId | null {
  const [, bucket, owner, random, size, extension] = ID.exec(id) ?? [];
  if (bucket === undefined || owner === undefined || random === undefined || extension === undefined) return null;
  const mediaType = mediaTypeOf(extension);
  if (mediaType === null) return null;
  const file = id.slice(bucket.length + owner.length + 1);
  const kind = mediaType.split('/', 1)[0] ?? '';
  const saveName = `${KINDS.has(kind) ? kind : 'file'}-${random.slice(0, 8)}.${extension}`;
  return { bucket, owner, file, size: size === undefined ? null : Number.parseInt(size, 36), mediaType, saveName };
}

/** Returns the size in a file name; `null` if no store has created the file. */
export function sizeInName(file: string): number | null {
  return parseMediaId(`${'0'.repeat(12)}${'a'.repeat(TAG_CHARACTERS)}-${file}`)?.size ?? null;
}

/** Returns the tag of an account in ids. Links are shown to others and must not reveal the account. */
export function ownerTag(key: Uint8Array, accountId: string): string {
  return base32(createHmac('sha256', key).update(`owner ${accountId}`).digest(), TAG_CHARACTERS);
}

/** Returns the folder of all files that expire within the same ten minutes. Names sort by time. */
export function bucketOf(expiresAtMs: number): string {
  const endMs = Math.ceil(expiresAtMs / BUCKET_MS) * BUCKET_MS;
  return new Date(endMs).toISOString().replace(/\D/g, '').slice(0, 12);
}

export function isBucket(name: string): boolean {
  return /^\d{12}$/.test(name);
}

export function isOwner(name: string): boolean {
  return /^[a-z2-7]{12}$/.test(name);
}

/** Whether every file in the bucket expired at least a minute ago, since the clocks of nodes differ. */
export function isOver(bucket: string, nowMs: number): boolean {
  return bucket <= bucketOf(nowMs - BUCKET_MS - 60_000);
}

/** Uses five bits of each byte. */
function base32(bytes: Uint8Array, characters: number): string {
  let text = '';
  for (let index = 0; index < characters; index++) text += BASE32[(bytes[index] ?? 0) & 31];
  return text;
}
