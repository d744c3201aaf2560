import type { LineOutcome } from '../../../domain/batches/batch.ts';
import type { RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import type { GivenAnswer } from '../../call/line-relay.ts';
import type { LineBodies } from '../line-bodies.ts';
import { isPassing, type LineWorker } from '../line-worker.ts';
import type { OpenBatch } from '../open-batch.ts';
import { GivenLine } from './given-line.ts';
import type { RelayPorts } from './relay-ports.ts';
import { chargeUndelivered, type UndeliveredPorts } from './undelivered.ts';

export interface GivenLinesPorts extends Pick<UndeliveredPorts, 'batches' | 'ledger' | 'log'> {
  readonly bodies: Pick<LineBodies, 'take' | 'giveBack'>;
  readonly lineEnded: (outcome: LineOutcome) => void;
}

/** Settles the lines of a batch whose answers have come from batches of providers. */
export class GivenLines {
  constructor(
    private readonly ports: GivenLinesPorts,
    private readonly relaying: RelayPorts,
    private readonly worker: Pick<LineWorker, 'call' | 'conclude'>,
    private readonly one: OpenBatch,
  ) {}

  /** Stores the result of a line. Resolves to `again` if the gateway is to run it itself; rejects if that cannot be decided now. */
  async settle(line: RelayedLine, given: GivenAnswer): Promise<'done' | 'again'> {
    const { accountId } = this.one.batch;
    const bytes = line.bytes + given.bytes.length;
    if (!this.ports.bodies.take(accountId, bytes)) throw new Error('there is no memory for the result of a line');
    try {
      return await this.settled(line, given);
    } finally {
      this.ports.bodies.giveBack(accountId, bytes);
    }
  }

  private async settled(line: RelayedLine, given: GivenAnswer): Promise<'done' | 'again'> {
    const { one, worker, ports } = this;
    const relay = new GivenLine(given);
    const request = { requestId: line.requestId, relay };
    const first = await worker.call(one, line, request);
    const called = 'run' in first && first.isKeyStale ? await worker.call(one, line, request) : first;
    if ('run' in called) {
      const { failure, isNoted } = called.run;
      const mayPass = failure !== null && isPassing(failure);
      if (relay.isReached && mayPass && !isNoted) return given.status < 300 ? notNow() : 'again';
      if (relay.isReached || isNoted) {
        await worker.conclude(one, line, called);
        return 'done';
      }
      if (mayPass) return notNow();
    }
    const ending = { given, json: called.json };
    if (await chargeUndelivered({ ...ports, ...this.relaying }, one.batch, line, ending)) ports.lineEnded('errored');
    else one.lose();
    return 'done';
  }
}

function notNow(): never {
  throw new Error('the answer to a line cannot be settled now');
}
