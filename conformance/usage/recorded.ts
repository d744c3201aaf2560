import type { Usage } from '../../src/domain/exchange/usage.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import { EventStreamToSse } from '../../src/formats/shared/stream/aws-event-stream.ts';
import type { UpstreamFormat } from '../../src/formats/text/format.ts';
import { providers } from '../../src/providers/index.ts';
import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import type { ApiKind } from '../readers/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';

/** The usage of a recorded response, as the gateway reads it. */
export interface RecordedUsage {
  readonly file: string;
  readonly provider: string;
  readonly api: ApiKind;
  /** Decoded, as for a client of another format. */
  readonly usage: Usage;
  /** Observed while relaying, as for a client of the same format; `undefined` if no client format matches. */
  readonly relayed: Usage | null | undefined;
}

/** Returns the usage of every response of a text model that reports any. */
export function recordedUsages(exchanges: readonly RecordingRow[]): readonly RecordedUsage[] {
  return matrixCases(exchanges).cases.flatMap((one) => {
    const { recording, kind, upstream } = one;
    const format = upstreamFormats.get(upstream.format);
    if (recording.status !== 200 || format === undefined) return [];
    const bytes = bytesOf(one);
    const usage = decoded(format, one, bytes);
    if (usage === null) return [];
    return [{ file: recording.file, provider: recording.provider, api: kind, usage, relayed: relayed(one, bytes) }];
  });
}

function bytesOf({ recording, recordedForm }: MatrixCase): Uint8Array<ArrayBuffer> {
  const isFramed = recording.provider === 'bedrock' && recordedForm === 'stream';
  if (!isFramed) return new TextEncoder().encode(recording.responseBody);
  return new Uint8Array(new EventStreamToSse().push(Buffer.from(recording.responseBody, 'base64')));
}

function decoded(format: UpstreamFormat, { upstream, recordedForm }: MatrixCase, bytes: Uint8Array): Usage | null {
  const provided = providers.get(upstream.provider)?.formats.find((one) => one.format === format.name);
  const source = { provider: upstream.provider, channel: 'c', quirks: provided?.quirks ?? [] };
  if (recordedForm === 'whole') {
    const answer = format.decodeAnswer(bytes, source);
    return answer instanceof Failure ? null : answer.usage;
  }
  const decoder = format.decodeStream(source);
  const parts = [...decoder.push(bytes), ...decoder.end()];
  return parts.reduce<Usage | null>((last, part) => ('usage' in part && part.usage ? part.usage : last), null);
}

function relayed({ upstream, recordedForm }: MatrixCase, bytes: Uint8Array<ArrayBuffer>): Usage | null | undefined {
  const format = clientFormats.get(upstream.format);
  if (format === undefined) return undefined;
  const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
  if (recordedForm === 'whole') {
    const answer = format.relayAnswer(bytes, patch);
    return answer instanceof Failure ? null : answer.usage;
  }
  const call = { purpose: 'generate', model: null, stream: true, framing: 'sse' } as const;
  const request = { call, model: 'public', stream: true, wantsStreamUsage: true, bytes: new Uint8Array(), body: {} };
  const relay = format.relayStream(request, patch);
  relay.push(bytes);
  relay.end();
  return relay.usage;
}
