import { FORMATS } from '../judges/index.ts';
import { type ClientFormat, readRecordedRequest } from '../readers/index.ts';
import { asObject, isObject } from '../shared/json.ts';
import { type Recording, type RecordingRow, readRecording } from '../shared/recordings.ts';
import { RARE_REQUESTS } from './rare/index.ts';
import type { ModelKind } from './targets.ts';

/** A request as a client sent it to a provider. */
export interface ClientRequest {
  /** The recording's file. */
  readonly name: string;
  readonly format: ClientFormat;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  readonly kind: ModelKind;
  /** Its `anthropic-` headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns every request of the four client formats that a provider has accepted, each body once. */
export function recordedRequests(exchanges: readonly RecordingRow[]): readonly ClientRequest[] {
  const found = new Map<string, ClientRequest>();
  for (const row of exchanges) {
    if (row.status !== 200) continue;
    const recording = readRecording(row);
    const request = readRecordedRequest(recording);
    if (request === null || request.format === null || recording.requestBody === null) continue;
    const { body, format } = request;
    const stream = format === 'gemini' ? row.stream : body.stream === true;
    const key = `${format} ${stream} ${recording.requestBody}`;
    if (found.has(key)) continue;
    const kind = asksToThink(body) ? 'thinking' : 'plain';
    const headers = format === 'anthropic-messages' ? ownHeaders(recording) : {};
    found.set(key, { name: row.file, format, text: recording.requestBody, body, stream, kind, headers });
  }
  return [...found.values()];
}

/** Returns the handwritten requests for what is rare in recordings. */
export function rareRequests(): readonly ClientRequest[] {
  return FORMATS.flatMap((format) =>
    Object.entries(RARE_REQUESTS[format]).map(([about, rare]): ClientRequest => {
      const body = format === 'gemini' ? rare : { model: '', ...rare };
      const kind = asksToThink(body) ? 'thinking' : 'plain';
      return { name: `rare: ${about}`, format, text: JSON.stringify(body), body, stream: false, kind, headers: {} };
    }),
  );
}

function ownHeaders({ requestHeaders }: Recording): Record<string, string> {
  return Object.fromEntries(
    Object.entries(requestHeaders).flatMap(([name, value]) =>
      /^anthropic-(?:version|beta)$/i.test(name) && typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
    ),
  );
}

/** Returns whether the request asks for thinking, in any of the formats. */
export function asksToThink(body: Readonly<Record<string, unknown>>): boolean {
  const generation = asObject(body.generationConfig ?? body.generation_config);
  const thinking = asObject(generation.thinkingConfig ?? generation.thinking_config);
  return (
    ['enabled', 'adaptive'].includes(String(asObject(body.thinking).type)) ||
    isObject(body.reasoning) ||
    (body.reasoning_effort ?? 'none') !== 'none' ||
    asObject(body.output_config).effort !== undefined ||
    ['enable_thinking', 'chat_template_kwargs', 'google', 'extra_body'].some((member) => member in body) ||
    Object.entries(thinking).some(([key, value]) => !/^include/i.test(key) && value !== 0)
  );
}
