import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleIdentity } from '../../domain/testing/sample-identity.ts';
import { SAMPLED, type TraceContext } from '../../domain/trace/trace-context.ts';
import type { TracedCall } from '../ports/tracing.ts';
import { Outcome } from './outcome.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const CONTEXT: TraceContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: SAMPLED, state: null };
const LINE = { method: 'POST', route: '/v1/chat/completions', path: '/v1/chat/completions' };

function traced({ isExported = true, wantsAddresses = false } = {}) {
  const calls: TracedCall[] = [];
  const tracing = {
    ...{ wantsAddresses, wantsContent: () => false, begin: () => CONTEXT, isExported: () => isExported },
    export: (call: TracedCall) => void calls.push(call),
  };
  const fakes = fakePorts();
  const outcome = new Outcome({ ...fakes.ports, tracing }, sampleIdentity(), 'openai-chat');
  outcome.comesFrom({ line: () => LINE, address: () => '192.0.2.1' });
  return { ...fakes, outcome, calls };
}

const target = (id: string) => targetOf(channelOf(id, 'chatting'));
const reset = new Failure('upstream_error', { kind: 'reset', message: 'The prompt was: canary.' });

describe('the trace of a call', () => {
  test('has its attempts and its steps in order, with their times', () => {
    const { outcome, clock, principal, calls } = traced();
    outcome.admittedAs(principal);
    clock.advance(1);
    outcome.limitedBy({ refusal: null, headers: null, limits: null, end: () => undefined });
    clock.advance(2);
    outcome.trace?.passed('read', null);
    outcome.attemptBegan(target('chat-b'), 0);
    clock.advance(3);
    outcome.heard({ status: 503, headers: new Headers({ 'x-request-id': 'theirs-1' }) });
    outcome.attemptFailed(reset, 3);
    outcome.attemptBegan(target('chat-a'), 1);
    outcome.trace?.takesLane(true);
    clock.advance(4);
    outcome.heard({ status: 200, headers: new Headers() });
    outcome.record();
    expect(calls).toMatchObject([
      {
        ...{ context: CONTEXT, parent: null, line: LINE, clientAddress: null, failureSide: null, parameters: null },
        steps: [{ name: 'read', fromMs: 1, toMs: 3, attempt: null, failureKind: null }],
        attempts: [
          {
            retryCount: 0,
            channelId: 'chat-b',
            fromMs: 3,
            heardMs: 6,
            toMs: 6,
            status: 503,
            upstreamRequestId: 'theirs-1',
          },
          { retryCount: 1, channelId: 'chat-a', fromMs: 6, heardMs: 10, toMs: null, status: 200, isRelayed: true },
        ],
      },
    ]);
    expect(calls[0]?.attempts[0]?.failure).toEqual({ kind: 'reset', side: 'upstream' });
    expect(calls[0]?.record.traceId).toBe(CONTEXT.traceId);
  });

  test('has the kind of the failure that ended a step, and not its message', () => {
    const { outcome, principal, calls } = traced();
    outcome.admittedAs(principal);
    outcome.trace?.passed('encode', reset, true);
    outcome.record();
    expect(calls[0]?.steps).toMatchObject([{ name: 'encode', failureKind: 'reset', attempt: null }]);
    expect(JSON.stringify(calls[0]?.steps)).not.toContain('canary');
  });

  test('has the address of the client only if it is wanted', () => {
    const { outcome, principal, calls } = traced({ wantsAddresses: true });
    outcome.admittedAs(principal);
    outcome.record();
    expect(calls[0]?.clientAddress).toBe('192.0.2.1');
  });

  test('is not exported, and not in the record, if its end does not select it', () => {
    const { outcome, principal, calls, records } = traced({ isExported: false });
    outcome.admittedAs(principal);
    outcome.record();
    expect(calls).toEqual([]);
    expect(records[0]).not.toHaveProperty('traceId');
  });

  test('is not exported for a caller without a valid key', () => {
    const { outcome, calls } = traced();
    outcome.failed(new Failure('invalid_api_key', { message: 'No key.' }), 401);
    outcome.record();
    expect(calls).toEqual([]);
  });

  test('holds a bounded number of steps', () => {
    const { outcome, principal, calls } = traced();
    outcome.admittedAs(principal);
    for (let count = 0; count < 1_000; count++) outcome.trace?.passed('media', null);
    outcome.record();
    expect(calls[0]?.steps.length).toBe(200);
  });

  test('does not exist while tracing is switched off', () => {
    const fakes = fakePorts();
    const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat');
    outcome.comesFrom({ address: () => null });
    expect(outcome.trace).toBeNull();
  });
});
