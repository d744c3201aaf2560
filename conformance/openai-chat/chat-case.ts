import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import { generatedChatRequest } from './generated-request.ts';

export type ChatRequest = Readonly<Record<string, unknown>>;

/** A recorded exchange that can be run through an SDK. */
export interface ChatCase {
  readonly recording: Recording;
  /** The public model id. */
  readonly publicId: string;
  /** The client's request without its model. */
  readonly request: ChatRequest;
  readonly streaming: boolean;
  /** Whether the client asked for usage at the end of its stream (`stream_options.include_usage`). */
  readonly asksForUsage: boolean;
  /** Whether the recorded stream has a chunk with usage and no choices. */
  readonly hasUsageChunk: boolean;
  readonly succeeds: boolean;
}

const CHAT_APIS: ReadonlySet<string> = new Set(['chat', 'openai-compat-chat']);

/** Cohere's `chat` recordings have Cohere's own shape, so they belong to another format. */
const OTHER_SHAPES: ReadonlySet<string> = new Set(['cohere']);

/**
 * Returns whether this is the chunk that `stream_options.include_usage` adds: usage and no choices. A chunk with
 * neither (Azure's content filter results) does not count, nor does usage beside a choice (Mistral, DeepSeek …).
 */
export function isUsageOnlyChunk(chunk: unknown): boolean {
  if (!isObject(chunk)) return false;
  return Array.isArray(chunk.choices) && chunk.choices.length === 0 && isObject(chunk.usage);
}

/** Returns the JSON of each `data:` line of a recorded stream, without `[DONE]` and comments. */
export function streamChunks(body: string): readonly unknown[] {
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.flatMap((line) => {
    const chunk = parseJson(line.slice('data:'.length));
    return chunk === undefined ? [] : [chunk];
  });
}

function recordedRequest(recording: Recording): ChatRequest | undefined {
  if (recording.requestBody === null) return undefined;
  const parsed = parseJson(recording.requestBody);
  return isObject(parsed) && asArray(parsed.messages).length > 0 ? parsed : undefined;
}

function chatCase(recording: Recording, publicId: string): ChatCase {
  const { model: _recordedModel, ...request } = recordedRequest(recording) ?? generatedChatRequest(recording);
  return {
    recording,
    publicId,
    request,
    streaming: request.stream === true,
    asksForUsage: asObject(request.stream_options).include_usage === true,
    hasUsageChunk: recording.stream && streamChunks(recording.responseBody).some(isUsageOnlyChunk),
    succeeds: recording.status < 400,
  };
}

/** Returns every chat of an OpenAI-compatible provider, including errors. */
export function chatCases(exchanges: readonly RecordingRow[]): readonly ChatCase[] {
  const rows = exchanges.filter((row) => CHAT_APIS.has(row.api) && !OTHER_SHAPES.has(row.provider));
  const counts = new Map<string, number>();
  return rows.flatMap((row) => {
    const recording = readRecording(row);
    if (!isChat(recording)) return [];
    const number = (counts.get(row.provider) ?? 0) + 1;
    counts.set(row.provider, number);
    return [chatCase(recording, `public-${row.provider}-${number}`)];
  });
}

/** Excludes the transcriptions and OCR responses that are filed among the chats. */
function isChat({ status, stream, responseBody }: Recording): boolean {
  return status >= 400 || stream || 'choices' in asObject(parseJson(responseBody));
}

export function modelMap(cases: readonly ChatCase[]): Record<string, string> {
  return Object.fromEntries(cases.map((one) => [one.publicId, one.recording.id]));
}

export function byProvider(cases: readonly ChatCase[]): ReadonlyMap<string, readonly ChatCase[]> {
  return new Map([...Map.groupBy(cases, (one) => one.recording.provider)].sort(([a], [b]) => a.localeCompare(b)));
}
