import type { NamedObject } from '../../format.ts';
import { isRecord } from '../../shared/json/record.ts';

/** How deep content is looked through: a tool's result holds content, which may hold documents of content. */
const MOST_DEPTH = 6;

/**
 * A file that its provider keeps, by its address there, or what only the provider's own account can read. Each provider has a scheme of
 * its own for its files (`ms:` at Moonshot, `oss:` at Alibaba, `asset:` at Volcengine), so any counts that is not public and not
 * the machine's own (`file:`, which media refuse by its field).
 */
const KEPT_AT_PROVIDER =
  /^(?:gs|s3):|^(?!https?:|data:|file:)[a-z][\w+.-]{0,30}:\/\/|^(?:https:\/\/[^/?#]*\bgoogleapis\.com\/(?:[^?#]*\/)?)?(?:v1(?:alpha|beta)?\/)?files\//i;

/** What is longer is inline data, and 50 MB of it would be put together to see how it begins: 37 ms. */
const LONGEST_ADDRESS = 1024 * 1024;

/** Gathers what a request names, with where it stands. */
export class NamedObjects {
  readonly found: NamedObject[] = [];

  /** A text that names an object; anything else names none. */
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

  /** An address; a public one, or one that holds its own bytes, names no object. */
  url(value: unknown, path: string): void {
    if (typeof value === 'string' && isKeptAtProvider(value)) this.found.push({ id: value, path });
  }

  /**
   * Content of any depth: every `file_id`, and the addresses in the members that hold one. In no format does a `file_id` stand
   * in content for anything but a file to be read.
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

/** The texts in a list of values. */
export function texts(...values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string' && value !== '').map(String);
}
