import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { asObject } from '../shared/json.ts';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from './bed.ts';
import { Books, keptSqliteQuery, nano } from './books.ts';
import { buy } from './client.ts';
import { toldCostIn } from './told-cost.ts';

/*
 * A reported usage of a quadrillion tokens is not trusted in any format, whole or streamed, for any kind of
 * account.
 */

const ACCOUNTS = ['prepaid', 'unlimited', 'limited'] as const;
const BALANCE = nano('1000');
/** 1,000 tokens cost a millionth of a dollar; about ten thousand tokens are plausible for such a request. */
const PRICING = { input_per_1m: '0.001', output_per_1m: '0.001' };
const MOST = nano('0.01');

let bed: MoneyBed;
let books: Books;

beforeAll(async () => {
  bed = await startMoneyBed({
    models: {
      overstated: { words: 1, usage: { input: 5, output: 10 ** 15 }, pricing: PRICING },
      crowded: { words: 1, usage: { input: 10 ** 15, output: 1 }, pricing: PRICING },
      honest: { words: 1, usage: { input: 5, output: 1 }, pricing: PRICING },
    },
    accounts: [
      { id: 'prepaid', balance_usd: '1000' },
      { id: 'unlimited', billing: 'unlimited' },
      { id: 'limited', balance_usd: '1000', keys: [{ id: 'limited', secret: keyOf('limited'), limit_usd: '500' }] },
    ],
  });
  books = new Books(bed, keptSqliteQuery(bed.space.database));
}, 600_000);

afterAll(async () => {
  await bed?.stop();
});

for (const account of ACCOUNTS) {
  for (const stream of [false, true]) {
    test(`${account}, ${stream ? 'streamed' : 'whole'}: only plausible usage is charged`, async () => {
      const before = await books.balance(account);
      let told = 0n;
      for (const format of CLIENT_FORMATS) {
        for (const upstreamFormat of new Set([format, 'openai-chat' as const])) {
          for (const model of ['overstated', 'crowded']) {
            const purchase = { model: modelOver(upstreamFormat, model), format, stream, maxTokens: 10 };
            const receipt = await buy({ port: bed.port(), key: keyOf(account), ...purchase });
            expect(receipt.status).toBe(200);
            told += nano(String(asObject(toldCostIn(receipt)).total_usd));
          }
        }
      }
      const charged = before - (await books.balance(account));
      expect(charged).toBeGreaterThan(0n);
      expect(charged).toBeLessThan(MOST);
      expect(told).toBe(charged);
    }, 600_000);
  }
}

test('the ledger verifies, and plausible usage is charged in full', async () => {
  const before = await books.balance('prepaid');
  await buy({ port: bed.port(), key: keyOf('prepaid'), model: modelOver('openai-chat', 'honest'), maxTokens: 10 });
  expect(before - (await books.balance('prepaid'))).toBe(6n);
  expect(await books.balance('prepaid')).toBeLessThan(BALANCE);
  await books.verify();
}, 600_000);
