import { base64Of } from '../wire/base64.ts';
import type { Attachment } from './conversation.ts';

/** The limit of all files in bytes: below the gateway's, including the third that base64 adds. */
const MOST_BYTES = 20_000_000;

/** Types by file name, for those that the browser does not know. */
const KINDS: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  ts: 'text/plain',
  tsx: 'text/plain',
  py: 'text/plain',
  rs: 'text/plain',
  go: 'text/plain',
  sql: 'text/plain',
  csv: 'text/csv',
  log: 'text/plain',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

async function attachmentOf(file: File): Promise<Attachment> {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  const type = (KINDS[ending] ?? file.type) || 'application/octet-stream';
  return { name: file.name, type: type.split(';')[0] ?? type, base64: await base64Of(file) };
}

/** Returns the files as attachments, or the problem with them. */
export async function attachmentsOf(
  files: readonly File[],
  before: readonly Attachment[],
): Promise<Attachment[] | 'tooLarge' | 'unreadable'> {
  const held = before.reduce((sum, { base64 }) => sum + base64.length * 0.75, 0);
  if (files.reduce((sum, { size }) => sum + size, held) > MOST_BYTES) return 'tooLarge';
  try {
    return await Promise.all(files.map(attachmentOf));
  } catch {
    return 'unreadable';
  }
}
