import { describe, expect, test } from 'bun:test';
import type { WebhookRule } from '../../domain/guards/guard.ts';
import { type GuardedContent, MOST_IMAGES } from '../guards/guard-check.ts';
import type { WebhookAnswer, WebhookRequest } from '../ports/webhook-sender.ts';
import { WebhookCheck } from './webhook-check.ts';
import { type SlotQueue, WebhookGates } from './webhook-gate.ts';

const RULE: WebhookRule = { url: 'https://hook.example/', secret: 'whsec_AAAA', onFailure: 'closed', timeoutMs: 3_000 };
const CONTENT = { stage: 'input', texts: ['hello'], images: [] } as const;
const ALLOWED: WebhookAnswer = { status: 200, body: '{"action":"allow"}' };
const never = new AbortController().signal;

function webhook(
  answer: () => WebhookAnswer | Promise<WebhookAnswer>,
  newSlots: () => SlotQueue = () => ({ acquire: freeSlot }),
) {
  const time = { nowMs: 1_000_000 };
  const sent: WebhookRequest[] = [];
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  const gates = new WebhookGates({ clock, newSlots });
  const send = async (request: WebhookRequest) => {
    sent.push(request);
    return await answer();
  };
  const ports = { sender: { send }, clock, newId: () => 'grd_1', gates };
  const checkOf = (rule: WebhookRule) => new WebhookCheck(ports, { id: 'g' }, rule);
  const check = checkOf(RULE);
  const ask = (accountId: string, signal = never, content: GuardedContent = CONTENT, by = check) =>
    by.check(content, { requestId: 'req_1', accountId, keyId: 'key' }, signal);
  return { ask, checkOf, sent, time };
}

async function freeSlot() {
  return () => undefined;
}

describe('a webhook that does not answer', () => {
  test('is not asked any more, until a request after a pause finds that it answers again', async () => {
    let answer: WebhookAnswer = { problem: 'timeout' };
    const { ask, sent, time } = webhook(() => answer);
    for (const account of ['a', 'b', 'c', 'a', 'b', 'c']) await ask(account);
    const count = sent.length;
    expect(count).toBeLessThan(6);
    for (const account of ['a', 'd']) expect(await ask(account)).toEqual({ problem: 'unavailable' });
    expect(sent).toHaveLength(count);
    time.nowMs += 1_000;
    answer = ALLOWED;
    expect(await ask('d')).toEqual({ verdicts: [] });
    expect(await ask('e')).toEqual({ verdicts: [] });
  });

  test('within the short deadline of one guard is asked for a guard that waits longer', async () => {
    let answer: WebhookAnswer = { problem: 'timeout' };
    const { ask, checkOf } = webhook(() => answer);
    for (let at = 0; at < 6; at++) await ask(`account-${at}`);
    expect(await ask('a')).toEqual({ problem: 'unavailable' });
    answer = ALLOWED;
    const patient = checkOf({ ...RULE, timeoutMs: RULE.timeoutMs * 2 });
    expect(await ask('a', never, CONTENT, patient)).toEqual({ verdicts: [] });
  });

  test('for one account is asked for others', async () => {
    let answer: WebhookAnswer = { problem: 'timeout' };
    const { ask, sent } = webhook(() => answer);
    for (let at = 0; at < 20; at++) await ask('a');
    expect(sent).toHaveLength(5);
    answer = ALLOWED;
    expect(await ask('b')).toEqual({ verdicts: [] });
    expect(await ask('a')).toEqual({ problem: 'unavailable' });
  });

  test('is asked again after clients that have left, and after answers that are errors', async () => {
    const leaving = new AbortController();
    const { ask, sent } = webhook(() => (leaving.signal.aborted ? { status: 500, body: '' } : left(leaving)));
    for (let at = 0; at < 10; at++) await ask('a', leaving.signal);
    expect(await ask('a')).toEqual({ problem: 'http_500' });
    expect(sent.length).toBeGreaterThan(1);
  });
});

function left(client: AbortController): WebhookAnswer {
  client.abort();
  return { problem: 'stopped' };
}

test.each([
  [2_900, 100, true],
  [100, 2_900, false],
])(
  'requests that wait %i ms for a slot and %i ms for the answer leave the webhook open: %p',
  async (wait, rest, isOpen) => {
    let nowMs = 0;
    const pass = (ms: number) => {
      nowMs += ms;
    };
    const acquire = async () => {
      pass(wait);
      return () => undefined;
    };
    const clock = { monotonicMs: () => nowMs };
    const gate = new WebhookGates({ clock, newSlots: () => ({ acquire }) }).of(RULE);
    const within = new AbortController();
    within.abort();
    const call = { signal: never, within: within.signal };
    const late = async (): Promise<WebhookAnswer> => {
      pass(rest);
      return { problem: 'stopped' };
    };
    for (let at = 0; at < 6; at++) await gate.ask({ ...call, accountId: `account-${at % 3}` }, late);
    expect(await gate.ask({ ...call, accountId: 'other' }, async () => ALLOWED)).toEqual(
      isOpen ? ALLOWED : { problem: 'unavailable' },
    );
  },
);

test('more images than a webhook takes are not judged', async () => {
  const { ask, sent } = webhook(() => ALLOWED);
  const images = (count: number) => ({ ...CONTENT, images: Array<string>(count).fill('data:image/png;base64,AAAA') });
  expect(await ask('a', never, images(MOST_IMAGES))).toEqual({ verdicts: [] });
  expect(await ask('a', never, images(MOST_IMAGES + 1))).toEqual({ problem: 'too_long' });
  expect(sent).toHaveLength(1);
});

test('a request without a slot is not sent, and says why', async () => {
  const { ask, sent } = webhook(
    () => ALLOWED,
    () => ({ acquire: async () => null }),
  );
  expect(await ask('a')).toEqual({ problem: 'busy' });
  expect(sent).toEqual([]);
});

test('each request gives its slot back', async () => {
  let running = 0;
  const acquire = async () => {
    running++;
    return () => {
      running--;
    };
  };
  const { ask } = webhook(
    () => ({ problem: 'connection_failed' }),
    () => ({ acquire }),
  );
  for (let at = 0; at < 10; at++) await ask('a');
  expect(running).toBe(0);
});
