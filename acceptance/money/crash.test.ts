import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano, sqliteQuery } from '../../conformance/money/books.ts';
import { buy, type Receipt } from '../../conformance/money/client.ts';
import { Gate } from '../../conformance/money/gate.ts';
import { CLIENT_FORMATS, inParallel } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';
import { copyAsKilled } from './crash-image.ts';

/*
 * Checks the books after a kill at a random moment. Most moments are checked in a copy of the data folder, taken while the gateway is
 * stopped: a kill would leave the same files, and the gateway need not restart. The last moment is a real kill.
 */

/** The number of copies, and of kills. Run more with `SWITCHYARD_CRASH_ROUNDS=50 bun test ./acceptance/money/crash.test.ts`. */
const MOMENTS = Number(process.env.SWITCHYARD_CRASH_ROUNDS ?? 3);
const KILLS = Number(process.env.SWITCHYARD_CRASH_ROUNDS ?? 1);
const BUYERS = 48;
/** Responses between two moments, so that a restarted gateway is under load again. */
const ANSWERS_BETWEEN = 20;
const MORE_ANSWERS = 40;
const REFUSED_PAUSE_MS = 100;
const TIMEOUT_MS = 600_000;

const PRICING = { input_per_1m: '1', output_per_1m: '10' };
/** More than the tokenizer counts in the prompt, so that an estimate never exceeds the reported usage. */
const INPUT = 30;

const MODELS = {
  quick: { words: 3, usage: { input: INPUT, output: 3 }, pricing: PRICING },
  slow: { words: 15, gapMs: 8, usage: { input: INPUT, output: 15 }, pricing: PRICING },
  unreported: { words: 6, usage: null, pricing: PRICING },
  fixed: { words: 2, usage: { input: INPUT, output: 2 }, pricing: { per_request: '0.0005' } },
  failing: { words: 0, usage: null, refuses: 500, pricing: PRICING },
  broken: { words: 10, gapMs: 2, usage: { input: INPUT, output: 10 }, cutAfter: 5, pricing: PRICING },
} as const;
type ModelName = keyof typeof MODELS;
const MODEL_NAMES = Object.keys(MODELS) as ModelName[];

/** The cost of a complete response; `null` if it is counted by the tokenizer. */
const COST: Readonly<Record<ModelName, bigint | null>> = {
  quick: nano('0.00006'),
  slow: nano('0.00018'),
  unreported: null,
  fixed: nano('0.0005'),
  failing: 0n,
  broken: null,
};
const DEAREST = nano('0.0005');
/** A balance that a few requests exhaust, so that there are refusals on a slow machine too. */
const LITTLE_USD = '0.001';

const ACCOUNTS = ['prepaid', 'short', 'unlimited', 'limited'] as const;
/** Weighted towards accounts with money: the others are soon refused. */
const PAYING = [...ACCOUNTS, 'prepaid', 'unlimited', 'prepaid', 'unlimited'] as const;

interface Bought {
  readonly model: ModelName;
  readonly receipt: Receipt;
}

describe.each([1, 3])('with %d worker(s)', (workers) => {
  const all: Bought[] = [];
  let begun = 0;
  let bed: ProcessBed;
  let books: Books;
  /** Holds the copies, which gateways in this process open. */
  let copies: Workspace;

  beforeAll(async () => {
    copies = await Workspace.create();
    bed = await startProcessBed({
      workers,
      models: MODELS,
      accounts: [
        { id: 'prepaid', balance_usd: '1000' },
        { id: 'short', balance_usd: LITTLE_USD },
        { id: 'unlimited', billing: 'unlimited' },
        {
          ...{ id: 'limited', balance_usd: '1000' },
          keys: [{ id: 'limited', name: 'limited', secret: keyOf('limited'), limit_usd: LITTLE_USD }],
        },
      ],
      // Upstream failures are part of the load and must not open the breaker.
      breaker: { minimum_requests: 1_000_000 },
      settings: { routing: { max_attempts: 1 } },
    });
    books = new Books(bed);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await bed?.stop();
    await copies?.remove();
  }, TIMEOUT_MS);

  const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

  /** Sends requests until the test ends. */
  async function buyOn(): Promise<void> {
    while (isOpen) {
      await pause.pass();
      if (!isOpen) return;
      const [model, format, account] = [oneOf(MODEL_NAMES), oneOf(CLIENT_FORMATS), oneOf(PAYING)];
      // Half of the requests are translated.
      const upstreamFormat = oneOf([format, oneOf(CLIENT_FORMATS)]);
      begun++;
      const receipt = await buy({
        ...{ port: bed.port(), key: keyOf(account), model: modelOver(upstreamFormat, model), format },
        ...{ stream: Math.random() < 0.7, maxTokens: 20 },
      });
      all.push({ model, receipt });
      // Real time: accounts without money must not keep the gateway busy with refusals.
      if (receipt.status === 402) await Bun.sleep(REFUSED_PAUSE_MS);
    }
  }

  const completeCount = () => all.filter(({ receipt }) => receipt.isComplete).length;
  let isOpen = false;
  /** Pauses the load while a copy is checked. */
  const pause = new Gate();

  function startBuying(): Promise<unknown> {
    isOpen = true;
    return inParallel(BUYERS, BUYERS, buyOn);
  }

  /** Resolves after a random number of further responses. */
  async function aMoment(): Promise<void> {
    const wanted = completeCount() + ANSWERS_BETWEEN + Math.random() * MORE_ANSWERS;
    await until('more responses have arrived', () => completeCount() >= wanted, TIMEOUT_MS);
  }

  test(
    `every complete response is charged once in the files a kill would leave, at ${MOMENTS} moments`,
    async () => {
      const buying = startBuying();
      for (let number = 1; number <= MOMENTS; number++) {
        await aMoment();
        const SWITCHYARD_DATA = copies.path(`copy-${number}`);
        await copyAsKilled(bed.nodes[0]!.pid, bed.space.data, SWITCHYARD_DATA);
        // These responses were sent before; the outcome of requests in flight is unknown.
        const known = all.slice();
        pause.close();
        await expectRightCopy(SWITCHYARD_DATA, known, begun - known.length);
        pause.release();
      }
      isOpen = false;
      await buying;
    },
    TIMEOUT_MS,
  );

  async function expectRightCopy(SWITCHYARD_DATA: string, known: readonly Bought[], underWay: number): Promise<void> {
    const env = { ...bed.env, SWITCHYARD_DATA, SWITCHYARD_WORKERS: '1' };
    const query = sqliteQuery(`${SWITCHYARD_DATA}/switchyard.sqlite`);
    const copied = new Books({ space: copies, run: (...args) => copies.run(args, { env }) }, query);
    const next = await copies.serve({ env });
    await copied.untilEachChargeHasItsLine();
    await copied.verify();
    expect(chargeProblems(known, underWay, await copied.chargesByRequest())).toEqual([]);
    expect(await copied.leased()).toEqual([]);
    await next.stop();
  }

  for (let number = 1; number <= KILLS; number++) {
    test(
      `every complete response is charged once after the gateway was killed (${number} of ${KILLS})`,
      async () => {
        const buying = startBuying();
        await aMoment();
        isOpen = false;
        await bed.kill();
        await buying;
        await bed.start();
        await books.untilNothingIsLeased();
        await books.untilEachChargeHasItsLine();
        await books.verify();
        const unanswered = all.filter(({ receipt }) => receipt.status === 0).length;
        expect(chargeProblems(all, unanswered, await books.chargesByRequest())).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  function chargeProblems(
    known: readonly Bought[],
    unanswered: number,
    charges: ReadonlyMap<string, bigint>,
  ): readonly string[] {
    const ids = new Set(known.map(({ receipt }) => receipt.requestId));
    const problems = known.flatMap(({ model, receipt }) => problemOf(model, receipt, charges.get(receipt.requestId)));
    // Clients do not know the ids of the requests that were in flight when the gateway died.
    const nameless = [...charges].filter(([requestId]) => !ids.has(requestId));
    if (nameless.length > unanswered) problems.push(`${nameless.length} charges for ${unanswered} unanswered requests`);
    problems.push(...nameless.filter(([, cost]) => cost > DEAREST).map(([id, cost]) => `${id} is charged ${cost}`));
    return problems.slice(0, 10);
  }

  function problemOf(model: ModelName, receipt: Receipt, charge: bigint | undefined): readonly string[] {
    const { status, requestId, isComplete } = receipt;
    if (status === 0) return [];
    const told = `${requestId} (${model}, ${status}, ${isComplete ? 'complete' : 'incomplete'}) is charged ${charge}`;
    if (status !== 200) return (charge ?? 0n) === 0n ? [] : [told];
    if (!isComplete) return charge === undefined || (charge >= 0n && charge <= DEAREST) ? [] : [told];
    const cost = COST[model];
    const isRight = cost === null ? charge !== undefined && charge > 0n && charge <= DEAREST : charge === cost;
    return isRight ? [] : [told];
  }

  test(
    'requests have ended in every way, and each balance is the sum of its entries and can be spent whole',
    async () => {
      // If one commit takes a second, new requests are refused until it is done.
      const begun = all.filter(({ receipt }) => receipt.error.code !== 'storage_unavailable');
      const statuses = new Set(begun.map(({ receipt }) => receipt.status));
      expect([...statuses].sort()).toEqual([0, 200, 402, 502]);
      const answered = all.filter(({ receipt }) => receipt.isComplete);
      for (const model of MODEL_NAMES.filter((name) => name !== 'failing' && name !== 'broken')) {
        expect(answered.filter((one) => one.model === model).length).toBeGreaterThan(0);
      }
      expect(all.some(({ receipt }) => receipt.status === 200 && !receipt.isComplete)).toBe(true);
      for (const account of ACCOUNTS)
        expect([account, await books.balance(account)]).toEqual([account, await books.sum(account)]);
      await expectSpendable('short');
      await books.untilNothingIsLeased();
      if (process.env.SWITCHYARD_CRASH_ROUNDS !== undefined) console.log(await summary());
    },
    TIMEOUT_MS,
  );

  /** Expects that the whole balance can be spent: nothing stays leased for requests that died with a gateway. */
  async function expectSpendable(account: string): Promise<void> {
    const asked = { port: bed.port(), key: keyOf(account), model: modelOver('openai-chat', 'fixed') };
    let receipt = await buy(asked);
    while (receipt.status === 200) receipt = await buy(asked);
    expect([receipt.status, receipt.error.code]).toEqual([402, 'insufficient_balance']);
    const left = await books.balance(account);
    expect([left >= 0n, left < DEAREST]).toEqual([true, true]);
  }

  async function summary(): Promise<string> {
    const charges = await books.chargesByRequest();
    const cut = all.filter(({ receipt }) => receipt.status === 200 && !receipt.isComplete);
    const unanswered = all.filter(({ receipt }) => receipt.status === 0);
    const complete = all.filter(({ receipt }) => receipt.isComplete);
    const known = new Set(all.map(({ receipt }) => receipt.requestId));
    return [
      `${MOMENTS} copies and ${KILLS} kills, ${all.length} requests:`,
      `${complete.length} complete and charged once;`,
      `${cut.length} cut, ${cut.filter(({ receipt }) => charges.has(receipt.requestId)).length} of them charged;`,
      `${unanswered.length} without an answer, ${[...charges.keys()].filter((id) => !known.has(id)).length} of them charged;`,
      `${all.length - complete.length - cut.length - unanswered.length} refused or failed, none charged`,
    ].join(' ');
  }
});
