import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, type Query } from '../../conformance/money/books.ts';
import { buyAtOnce, type Purchase, type Receipt, tally } from '../../conformance/money/client.ts';
import { Gate } from '../../conformance/money/gate.ts';
import { CLIENT_FORMATS } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';

const PRICING = { input_per_1m: '1', output_per_1m: '10' };
const USAGE = { input: 12, output: 30 };
const UNDER_WAY = 24;
const ACCOUNTS = ['payer', 'recorded'] as const;
const TIMEOUT_MS = 600_000;

/** A store that can be broken and repaired. */
export interface Trouble {
  readonly reason: RegExp;
  readonly env: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Tests that a gateway whose store rejects writes sells nothing that it cannot charge, and loses nothing. */
export function describeUnwritable(name: string, make: () => Promise<Trouble>): void {
  describe(`a gateway with ${name}`, () => {
    let trouble: Trouble;
    const gate = new Gate();
    let bed: ProcessBed;
    let books: Books;

    beforeAll(async () => {
      trouble = await make();
      const sound = { words: 30, usage: USAGE };
      bed = await startProcessBed({
        models: {
          sound: { ...sound, pricing: PRICING },
          // The test decides when the stream ends.
          slow: { ...sound, afterWord: (words) => (words === 2 ? gate.pass() : undefined), pricing: PRICING },
          free: { ...sound, pricing: 'free' },
        },
        accounts: [
          { id: 'payer', balance_usd: '100' },
          { id: 'recorded', billing: 'unlimited' },
        ],
        env: trouble.env,
      });
      books = new Books(bed, trouble.query);
    }, TIMEOUT_MS);

    afterAll(async () => {
      await bed?.stop();
      await trouble?.remove();
    }, TIMEOUT_MS);

    const ready = async () => {
      const answer = await fetch(`http://127.0.0.1:${bed.port()}/readyz`);
      const { reason = null } = (await answer.json()) as { readonly reason?: string };
      return { status: answer.status, reason };
    };
    const purchase = (name: string, index: number, patience: Pick<Purchase, 'takesUnwritable'> = {}) => {
      const format = CLIENT_FORMATS[index % 4]!;
      // Every second request is translated.
      const model = modelOver(CLIENT_FORMATS[(index + (index % 8 < 4 ? 0 : 1)) % 4]!, name);
      return {
        ...{ port: bed.port(), format, model, stream: index % 3 === 0 },
        key: keyOf(ACCOUNTS[index % 2]!),
        ...patience,
      };
    };
    const charged = async (receipts: readonly Receipt[]) => {
      const charges = await books.chargesByRequest();
      return receipts.filter(({ requestId }) => charges.has(requestId)).length;
    };

    test(
      'refuses what it cannot charge, and recovers by itself',
      async () => {
        const { served } = bed.upstream;
        expect(await ready()).toEqual({ status: 200, reason: null });
        gate.close();
        const underWay = buyAtOnce(UNDER_WAY, (index) => ({ ...purchase('slow', index), stream: true }));
        await until('all streams have begun', () => served.filter(({ words }) => words > 1).length === UNDER_WAY);
        await trouble.begin();
        await until('the gateway is not ready', async () => (await ready()).status === 503);
        // At first it may only report that the store cannot be read.
        await until('/readyz reports the reason', async () => trouble.reason.test((await ready()).reason ?? ''));

        // The requests in flight now end and cannot be charged.
        gate.release();
        await until('their upstreams have ended', () => served.every(({ isWhole }) => isWhole));

        const before = served.length;
        const refused = await buyAtOnce(32, (index) => purchase('sound', index, { takesUnwritable: true }));
        for (const { status, headers, body, error } of refused) {
          expect([status, headers.get('retry-after'), body]).toEqual([
            503,
            '5',
            expect.stringContaining('cannot record the cost'),
          ]);
          expect(body).not.toMatch(/tmp|sqlite|postgres|disk/i);
          expect(error.message).toBeString();
        }
        expect(served).toHaveLength(before);
        // Free requests and reads keep working.
        expect(tally(await buyAtOnce(8, (index) => purchase('free', index)))).toEqual({ 200: 8 });
        const models = await fetch(`http://127.0.0.1:${bed.port()}/v1/models`, {
          headers: { authorization: `Bearer ${keyOf('payer')}` },
        });
        expect(models.status).toBe(200);
        expect(served).toHaveLength(before + 8);

        await trouble.end();
        await until('the gateway is ready again', async () => (await ready()).status === 200);
        // The requests in flight have waited for their charges.
        const waited = await underWay;
        expect(tally(waited)).toEqual({ 200: UNDER_WAY });
        const admitted = await buyAtOnce(8, (index) => purchase('sound', index));
        expect(tally(admitted)).toEqual({ 200: 8 });
        expect([await charged(waited), await charged(refused), await charged(admitted)]).toEqual([UNDER_WAY, 0, 8]);
        await books.log([...waited, ...admitted, ...refused]);
        await books.verify();
      },
      TIMEOUT_MS,
    );
  });
}
