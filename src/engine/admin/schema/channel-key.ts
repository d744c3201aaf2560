import { z } from 'zod';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { MAP, mapOf } from '../../../providers/shared/file-fields.ts';

const PLAIN = /^[\x21-\x7e]{1,10000}$/;
const PLAIN_RULE = 'must be a key without spaces or line breaks';
const FILE_RULE = 'must be the unchanged contents of a credentials file; this is not valid JSON';
const LONGEST_FILE = 10_000;
const LENGTH_RULE = `must have at most ${LONGEST_FILE} characters`;
const MOST_MEMBERS = 100;

/**
 * A channel's `api_key`: text without spaces, or the JSON of a credentials file (a service account of Google) as an object or as text with
 * any white space. JSON is kept on one line, so that the same file is the same key no matter how it was pasted.
 */
export const channelKey = z
  .union([z.string(), mapOf(z.string(), z.unknown(), MAP.error, MOST_MEMBERS)], { error: PLAIN_RULE })
  .transform((value, context) => {
    const key = typeof value === 'string' && !isCredentialsFile(value) ? value : inOneLine(value);
    const rule = key === null ? FILE_RULE : ruleBrokenBy(key);
    if (key !== null && rule === null) return key;
    context.addIssue({ code: 'custom', message: rule ?? FILE_RULE });
    return z.NEVER;
  });

/** Returns whether a key is the text of a credentials file. */
export function isCredentialsFile(key: string): boolean {
  return key.trimStart().startsWith('{');
}

function ruleBrokenBy(key: string): string | null {
  if (isCredentialsFile(key)) return key.length > LONGEST_FILE ? LENGTH_RULE : null;
  return PLAIN.test(key) ? null : PLAIN_RULE;
}

/**
 * Returns the JSON on one line, or `null` if the value is not a JSON object. Line breaks inside strings, which some terminals insert into a
 * pasted private key, are escaped first.
 */
function inOneLine(value: string | object): string | null {
  if (typeof value !== 'string') return JSON.stringify(value);
  const escaped = value.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (text) => text.replace(/\r?\n/g, '\\n'));
  try {
    const parsed: unknown = JSON.parse(escaped);
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed) : null;
  } catch {
    return null;
  }
}

/** Returns whether an unchecked value is a credentials file. */
export function holdsCredentialsFile(key: unknown): boolean {
  return typeof key === 'string' ? isCredentialsFile(key) : typeof key === 'object' && key !== null;
}

/** Returns the message for a credentials file that the provider does not use. */
export function noCredentialsFile({ name }: Pick<ProviderManifest, 'name'>): string {
  return `${PLAIN_RULE}; ${name} does not use a credentials file`;
}
