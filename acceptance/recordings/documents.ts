import { readFileSync } from 'node:fs';
import path from 'node:path';
import { recordingsFolder, sharedFolder } from '../../conformance/shared/recordings.ts';

/** Returns a provider's published document (OpenAPI, as JSON or YAML), untyped because each test knows its shape. */
export function publishedDocument(file: string): any {
  const text = readFileSync(path.join(sharedFolder, 'specs', file), 'utf8');
  return file.endsWith('.json') ? JSON.parse(text) : Bun.YAML.parse(text);
}

/** Returns the gateway's contract as Markdown. */
export function contractText(): string {
  return readFileSync(path.join(sharedFolder, 'spec', 'gateway-api.md'), 'utf8');
}

interface RecordedFile {
  readonly request: { readonly method: string; readonly url: string; readonly body: string };
  readonly response: { readonly status: number; readonly body: string; readonly body_encoding?: string };
}

/** Returns a recorded exchange by its path in the recordings folder. Its bodies are texts. */
export function recordedFile(file: string): RecordedFile {
  return JSON.parse(readFileSync(path.join(recordingsFolder, file), 'utf8')) as RecordedFile;
}
