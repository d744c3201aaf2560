import type { LineOutcome } from '../domain/batches/batch.ts';
import { Turns } from '../domain/concurrency/turns.ts';
import { BatchRunner } from '../engine/batches/batch-runner.ts';
import { type BodyMemory, LineBodies } from '../engine/batches/line-bodies.ts';
import { LineCalls } from '../engine/batches/line-calls.ts';
import { RELAY_BOUNDS } from '../engine/batches/relay/relay-ports.ts';
import type { Calls } from '../engine/call/call.ts';
import type { Directory } from '../engine/directory/directory.ts';
import type { Operations } from '../engine/operations/index.ts';
import type { DurableBilling } from '../engine/ports/billing.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newId, newRequestId } from './system.ts';

/** The parts of the gateway that run the lines of batches. */
interface BatchParts {
  readonly calls: Calls;
  readonly operations: Operations;
  readonly bodies: BodyMemory;
  /** The name of this process, as for tasks. */
  readonly owner: string;
  readonly durableBilling: DurableBilling;
  readonly upstream: Upstream;
  readonly directory: () => Directory;
  readonly lineEnded: (outcome: LineOutcome) => void;
}

export interface BatchServices {
  readonly lines: LineCalls;
  readonly runner: BatchRunner;
}

/** Wires the runner of batches. */
export function createBatches(options: GatewayOptions, parts: BatchParts): BatchServices {
  const { store, clock, logger, sleep, every, batches: settings, retention, maxBodyBytes, publicUrl } = options;
  const lines = new LineCalls(parts.calls, parts.operations, publicUrl ?? '');
  const bodies = new LineBodies(parts.bodies, settings.sharePercent);
  const runner = new BatchRunner({
    ...{ clock, logger, sleep, every, settings, lines, random: Math.random, newRequestId },
    ...{ batches: store.batches, files: store.files, ledger: store.ledger, log: store.requestLog },
    ...{ keepMs: retention.batchesMs, maxLineBytes: maxBodyBytes, owner: parts.owner, lineEnded: parts.lineEnded },
    relaying: {
      ...{ clock, logger, settings, random: Math.random, ...RELAY_BOUNDS },
      ...{ store: store.batchRelays, holds: store.holds, billing: parts.durableBilling, upstream: parts.upstream },
      channelAt: (place, accountId) => parts.directory().relayAt(place, accountId),
      ...{ bodies, reading: new Turns() },
      newRelayId: () => newId('relay_', 32),
    },
    bodies,
    secretHashOf: async (accountId, keyId) => {
      const { credentials } = await store.directory.read({
        credentials: [{ accountId, kind: 'inference', id: keyId }],
        serving: false,
      });
      return credentials[0]?.secretHash ?? null;
    },
  });
  return { lines, runner };
}
