import { isRecord } from '../../shared/json/record.ts';
import type { NamedObject } from '../provider-state.ts';

/** The depth to which content is searched: a tool's result has content, which may have documents with content. */
const MOST_DEPTH = 6;

/**
 * Matches the address of a file that a provider stores, or anything else that only the provider's own account can read. Each
 * provider has its own scheme for its files (`ms:` at Moonshot, `oss:` at Alibaba, `asset:` at Volcengine), so any scheme counts
 * that is neither public nor local (`file:`, which is refused with its field's error).
 */
const KEPT_AT_PROVIDER =
  /^(?:gs|s3):|^(?!https?:|data:|file:)[a-z][\w+.-]{0,30}:\/\/|^(?:https:\/\/[^/?#]*\bgoogleapis\.com\/(?:[^?#]*\/)?)?(?:v1(?:alpha|beta)?\/)?files\//i;

/** Longer texts are inline data; examining the beginning of 50 MB would flatten the string: 37 ms. */
const LONGEST_ADDRESS = 1024 * 1024;

/** Collects the objects that a request refers to, with their paths. */
export class NamedObjects {
  readonly found: NamedObject[] = [];

  /** Adds a non-empty text as an id; anything else is ignored. */
  id(value: unknown, path: string): void {
    if (typeof value === 'string' && value !== '') this.found.push({ id: value, path });
  }

  optionalId(value: unknown, path: string, optional: 'shown' | 'alone'): void {
    if (typeof value === 'string' && value !== '') this.found.push({ id: value, path, optional });
  }

  ids(values: unknown, path: string): void {
    if (!Array.isArray(values)) return;
    for (const [index, value] of values.entries()) this.id(value, `${path}[${index}]`);
  }

  /** Adds an address, unless it is public or contains its own data. */
  url(value: unknown, path: string): void {
    if (typeof value === 'string' && isKeptAtProvider(value)) this.found.push({ id: value, path });
  }

  /**
   * Collects from content at any depth every `file_id`, and the addresses in members that hold one. In every format a `file_id`
   * in content refers to a file to be read.
   */
  content(value: unknown, path: string, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const element: unknown = value[index];
        if (typeof element === 'object') this.content(element, `${path}[${index}]`, depth + 1);
      }
      return;
    }
    if (isRecord(value)) this.block(value, path, depth);
  }

  private block(block: Readonly<Record<string, unknown>>, path: string, depth: number): void {
    if (block.file_id !== undefined) this.id(block.file_id, `${path}.file_id`);
    for (const name of ADDRESS_MEMBERS) {
      const member = block[name];
      if (typeof member === 'string') this.url(member, `${path}.${name}`);
      else if (isRecord(member)) this.block(member, `${path}.${name}`, depth);
    }
    for (const name of CONTENT_MEMBERS) {
      const member = block[name];
      if (typeof member === 'object') this.content(member, `${path}.${name}`, depth + 1);
    }
  }
}

const ADDRESS_MEMBERS = ['url', 'file_url', 'image_url', 'video_url', 'audio_url', 'document_url', 'file', 'source'];
const CONTENT_MEMBERS = ['content', 'output'];

export function isKeptAtProvider(address: string): boolean {
  return address.length <= LONGEST_ADDRESS && !address.startsWith('data:') && KEPT_AT_PROVIDER.test(address);
}

/** Returns the non-empty texts in a list of values. */
export function texts(...values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string' && value !== '').map(String);
}
