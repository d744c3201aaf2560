import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One line of the recordings' index. */
export interface RecordingRow {
  readonly file: string;
  readonly provider: string;
  readonly api: string;
  readonly model?: string | null;
  readonly status: number;
  readonly stream: boolean;
  readonly tags?: readonly string[];
}

export interface Recording {
  /** The name under which the replay tool serves it: `rec-` and eight hex digits. */
  readonly id: string;
  readonly file: string;
  readonly provider: string;
  readonly api: string;
  readonly status: number;
  readonly stream: boolean;
  readonly tags: ReadonlySet<string>;
  readonly requestBody: string | null;
  readonly responseBody: string;
  /** Null where the recorder did not keep the answer's headers. */
  readonly contentType: string | null;
}

const projectFolder = path.join(import.meta.dir, '..', '..');

/** The recordings lie beside the project, not in it: they are data to test against. */
export const sharedFolder = process.env.SWITCHYARD_SHARED ?? path.join(projectFolder, '..', 'shared');
export const recordingsFolder = path.join(sharedFolder, 'recordings');
export const replayTool = path.join(sharedFolder, 'replay', 'replay.mjs');

/** Why tests over recordings cannot run here, or undefined where they can. */
export function recordingsMissing(): string | undefined {
  const absent = [path.join(recordingsFolder, 'index.jsonl'), replayTool].find((file) => !existsSync(file));
  return absent === undefined ? undefined : `skipped: there are no provider recordings here (${absent} is absent)`;
}

/** The replay tool's rule: the first eight hex digits of the SHA-1 of the file's path below the recordings folder. */
export function recordingId(file: string): string {
  return `rec-${createHash('sha1').update(file).digest('hex').slice(0, 8)}`;
}

export function recordingRows(): readonly RecordingRow[] {
  const index = readFileSync(path.join(recordingsFolder, 'index.jsonl'), 'utf8');
  // The index is written by the recordings' own tool; its shape is documented in its README.
  return index.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordingRow]));
}

export function readRecording(row: RecordingRow): Recording {
  const file = JSON.parse(readFileSync(path.join(recordingsFolder, row.file), 'utf8')) as {
    readonly request?: { readonly body?: string | null };
    readonly response: { readonly body?: string | null; readonly headers?: Readonly<Record<string, string>> };
  };
  const headers = Object.entries(file.response.headers ?? {});
  return {
    id: recordingId(row.file),
    file: row.file,
    provider: row.provider,
    api: row.api,
    status: row.status,
    stream: row.stream,
    tags: new Set(row.tags ?? []),
    requestBody: file.request?.body ?? null,
    responseBody: file.response.body ?? '',
    contentType: headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? null,
  };
}
