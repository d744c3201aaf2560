import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { SAMPLED } from '../../../domain/trace/trace-context.ts';
import { CallTrace } from '../../call/call-trace.ts';
import { tracedMedia } from './traced-media.ts';

const CONTEXT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: SAMPLED, state: null };

test('each fetch is a step with its size or its failure, and without its URL', async () => {
  let nowMs = 0;
  const tracing = {
    ...{ wantsAddresses: false, wantsContent: () => false, begin: () => CONTEXT, isExported: () => true },
    export: () => undefined,
  };
  const trace = new CallTrace(tracing, CONTEXT, null, { address: () => null }, () => nowMs);
  const files = {
    fetch: async (url: string) => {
      nowMs += 5;
      if (url.endsWith('gone')) return new Failure('invalid_value', { kind: 'media_not_found', message: url });
      return { bytes: new Uint8Array(7), mediaType: 'image/png' };
    },
    release: () => undefined,
  };
  const traced = tracedMedia(files, trace);
  await traced.fetch('https://files.example/canary');
  await traced.fetch('https://files.example/gone');
  expect(trace.steps).toEqual([
    { name: 'media', fromMs: 0, toMs: 5, attempt: null, failureKind: null, bytes: 7 },
    { name: 'media', fromMs: 5, toMs: 10, attempt: null, failureKind: 'media_not_found' },
  ]);
});
