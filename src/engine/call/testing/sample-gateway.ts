import { expect } from 'bun:test';
import { until } from '../../../../conformance/shared/until.ts';
import type { Target } from '../../directory/target.ts';
import type { TextInbound } from '../../operations/text/inbound.ts';
import { TextOperation } from '../../operations/text/text.ts';
import { TextServices } from '../../operations/text/text-services.ts';
import { Calls } from '../call.ts';
import type { ResponseStream } from '../lane.ts';
import type { FormInbound, Operation } from '../operation.ts';
import type { Outbound } from '../responder.ts';
import { type AllPorts, fakePorts } from './fake-ports.ts';
import { inbound } from './sample-requests.ts';

type Asking = Parameters<typeof inbound>;

/** Makes the whole call path over recording fakes: `ask` sends it a text request, `run` a request of another operation. */
export function gateway(overrides: Partial<AllPorts> = {}) {
  const fakes = fakePorts(overrides);
  const calls = new Calls(fakes.ports);
  const services = new TextServices(fakes.ports);
  const run = <T extends Target, S extends ResponseStream>(
    operation: Operation<TextInbound & FormInbound, T, S>,
    ...[fields, client]: Asking
  ) => calls.run(operation, inbound(fields, { steps: fakes.steps, ...client }));
  const ask = (...asking: Asking) => run(new TextOperation(services), ...asking);
  return { ...fakes, calls, services, run, ask };
}

export type Gateway = ReturnType<typeof gateway>;

/** Reads the client's response to its end. */
export async function told(outbound: Outbound): Promise<string> {
  if (outbound.kind === 'whole') {
    return typeof outbound.body === 'string' ? outbound.body : new TextDecoder().decode(outbound.body);
  }
  let text = '';
  const { stream } = outbound;
  for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
    text += new TextDecoder().decode(piece);
  }
  return text;
}

/**
 * Waits until usage that is counted after the answer is recorded. The first count is slow, because it loads the
 * tokenizer.
 */
function settled({ calls }: Pick<Gateway, 'calls'>): Promise<void> {
  return until('all usage is counted', () => calls.inFlight === 0);
}

/** Checks what must hold however the calls ended: each is recorded once, and no resource is still held. */
export async function expectOver(made: Gateway, failureKind: string | null, records = 1): Promise<void> {
  await settled(made);
  const { calls, billing, limits, open } = made;
  expect(made.records.map((record) => record.failureKind)).toEqual(Array(records).fill(failureKind));
  expect([calls.inFlight, calls.responder.openStreams, open.count]).toEqual([0, 0, 0]);
  expect(billing.isEven).toBe(true);
  expect(limits.ended).toHaveLength(made.steps.filter((step) => step === 'admit').length);
}
