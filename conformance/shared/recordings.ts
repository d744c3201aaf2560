import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EventStreamCodec } from '@smithy/eventstream-codec';

/** An exchange before its bodies are read. */
export interface RecordingRow {
  /** Its path in `folder`, such as `openai/chat/text-whole.json`. */
  readonly file: string;
  readonly folder: string;
  readonly provider: string;
  readonly api: string;
  readonly model?: string | null;
  readonly status: number;
  readonly stream: boolean;
  readonly tags?: readonly string[];
}

export interface Recording {
  /** The name by which the replay server selects it: `rec-` and eight hex digits. */
  readonly id: string;
  readonly file: string;
  readonly folder: string;
  readonly provider: string;
  readonly api: string;
  readonly status: number;
  readonly stream: boolean;
  readonly tags: ReadonlySet<string>;
  readonly requestBody: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** In base64 if the response is binary (AWS event streams, audio). */
  readonly responseBody: string;
  /** `null` if the response's headers were not recorded. */
  readonly contentType: string | null;
}

/** An upstream's response, byte for byte. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const projectFolder = path.join(import.meta.dir, '..', '..');

/** The project's own exchanges, written by hand. */
export const exchangesFolder = path.join(projectFolder, 'conformance', 'exchanges');

/** Recorded traffic is test data outside of the project. */
export const sharedFolder = process.env.SWITCHYARD_SHARED ?? path.join(projectFolder, '..', 'shared');
export const recordingsFolder = path.join(sharedFolder, 'recordings');

/** Returns `rec-` and the first eight hex digits of the SHA-1 of the file's path in its folder. */
export function recordingId(file: string): string {
  return `rec-${createHash('sha1').update(file).digest('hex').slice(0, 8)}`;
}

export function ownExchanges(): readonly RecordingRow[] {
  return rowsIn(exchangesFolder);
}

/** Returns the recorded exchanges, for suites that require them. */
export function recordedExchanges(): readonly RecordingRow[] {
  return rowsIn(recordingsFolder);
}

/** Returns the recorded exchanges, followed by the project's own. */
export function allExchanges(): readonly RecordingRow[] {
  return [...recordedExchanges(), ...ownExchanges()];
}

/** Returns the recorded exchanges if available, followed by the project's own. */
export function exchangesHere(): readonly RecordingRow[] {
  return existsSync(path.join(recordingsFolder, 'index.jsonl')) ? allExchanges() : ownExchanges();
}

/** Returns a folder's exchanges in the order of its `index.jsonl`; without one, its files by name. */
export function rowsIn(folder: string): readonly RecordingRow[] {
  const index = path.join(folder, 'index.jsonl');
  if (!existsSync(index)) return [...new Bun.Glob('*/*/*.json').scanSync({ cwd: folder })].sort().map(ownRow(folder));
  // The index is written by the recordings' own tool; its README documents the format.
  const rows = readFileSync(index, 'utf8').split('\n').filter(Boolean);
  return rows.map((line) => ({ ...(JSON.parse(line) as Omit<RecordingRow, 'folder'>), folder }));
}

function ownRow(folder: string): (file: string) => RecordingRow {
  return (file) => {
    const [provider = '', api = ''] = file.split('/');
    const { response } = readFile(path.join(folder, file));
    const stream = response.events !== undefined || response.frames !== undefined;
    return { file, folder, provider, api, status: response.status, stream };
  };
}

export function readRecording(row: RecordingRow): Recording {
  const { request, response } = readFile(path.join(row.folder, row.file));
  const { body } = bodyOf(response);
  return {
    id: recordingId(row.file),
    file: row.file,
    folder: row.folder,
    provider: row.provider,
    api: row.api,
    status: row.status,
    stream: row.stream,
    tags: new Set(row.tags ?? []),
    requestBody: textOf(request?.body),
    requestHeaders: request?.headers ?? {},
    responseBody: body,
    contentType: headerOf(response.headers ?? {}, 'content-type'),
  };
}

/** Reads the response as the provider sent it. */
export function readAnswerOf(row: Pick<RecordingRow, 'folder' | 'file'>): RecordedAnswer {
  const { response } = readFile(path.join(row.folder, row.file));
  const { body, isBase64 } = bodyOf(response);
  return {
    status: response.status,
    headers: response.headers ?? {},
    body: isBase64 ? Uint8Array.fromBase64(body) : new TextEncoder().encode(body),
  };
}

export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | null {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

/**
 * An exchange's file. Recordings have all bodies as text; the project's own have JSON bodies as JSON, and streams as a list of server-sent
 * events or AWS frames, for readability.
 */
interface RecordingFile {
  readonly request?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown } | null;
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly body_encoding?: string;
    readonly events?: readonly OwnEvent[];
    readonly frames?: readonly OwnFrame[];
  };
}

/** `event` is the event's name, omitted if the provider sends none; `data` is text, or JSON. */
interface OwnEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** A frame of an AWS event stream: an event, or an exception if `exception` names it. */
interface OwnFrame {
  readonly event?: string;
  readonly exception?: string;
  readonly payload: unknown;
}

function readFile(file: string): RecordingFile {
  // Both kinds are test data; a file of another shape fails the test that reads it.
  return JSON.parse(readFileSync(file, 'utf8')) as RecordingFile;
}

function bodyOf(response: RecordingFile['response']): { readonly body: string; readonly isBase64: boolean } {
  const { body, body_encoding: encoding, events, frames } = response;
  if (events !== undefined) return { body: events.map(sseText).join(''), isBase64: false };
  if (frames !== undefined) return { body: Buffer.concat(frames.map(frameBytes)).toString('base64'), isBase64: true };
  return { body: textOf(body) ?? '', isBase64: encoding === 'base64' };
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function sseText({ event, data }: OwnEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${textOf(data) ?? 'null'}\n\n`;
}

const codec = new EventStreamCodec(
  (input) => (typeof input === 'string' ? input : new TextDecoder().decode(input)),
  (input) => new TextEncoder().encode(input),
);

function frameBytes({ event, exception, payload }: OwnFrame): Uint8Array {
  const kind = exception === undefined ? 'event' : 'exception';
  const header = (value: string) => ({ type: 'string', value }) as const;
  return codec.encode({
    headers: {
      [`:${kind}-type`]: header(exception ?? event ?? ''),
      ':content-type': header('application/json'),
      ':message-type': header(kind),
    },
    body: new TextEncoder().encode(JSON.stringify(payload)),
  });
}
