import { afterEach, beforeEach, expect, test } from 'bun:test';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import { LimitedMailer } from '../../src/engine/mail/limited-mailer.ts';
import { type Mail, MailLimitError, type MailSender } from '../../src/engine/ports/mailer.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { closeTestStores, openTestStore } from '../../src/stores/sqlite/testing/test-store.ts';

let store: Store;
let sent: Mail[];
let clock: FakeClock;

beforeEach(async () => {
  store = await openTestStore({ clock: new FakeClock() });
  sent = [];
  clock = new FakeClock();
});
afterEach(closeTestStores);

/** Returns the mailer of one of several nodes, which share only the store. */
const node = (limits: { perHour?: number; perRecipientPerHour?: number; perAccountPerHour?: number }) =>
  new LimitedMailer({
    ...{ transport: { send: async (mail) => void sent.push(mail) }, people: store.people, clock },
    limits: { perHour: 1_000, perRecipientPerHour: 1_000, perAccountPerHour: 1_000, ...limits },
  });
/** Resolves to the limit that refuses the mail, or `null` if it was sent. */
const send = async (mailer: LimitedMailer, to: string, sender: MailSender): Promise<string | null> => {
  try {
    await (await mailer.reserve(to, sender)).send({ subject: 'Hello', text: 'There.' });
    return null;
  } catch (error) {
    if (!(error instanceof MailLimitError)) throw error;
    return error.limit;
  }
};

test('are limited per address over all nodes, however it is written', async () => {
  const nodes = [node({ perRecipientPerHour: 4 }), node({ perRecipientPerHour: 4 })];
  const spellings = ['jos\u00e9@example.com', 'JOSE\u0301@EXAMPLE.com'];
  const all = nodes.flatMap((one) =>
    spellings.flatMap((to) => Array.from({ length: 5 }, () => send(one, to, { accountId: to }))),
  );
  expect((await Promise.all(all)).filter((limit) => limit === null)).toHaveLength(4);
  expect(sent).toHaveLength(4);
});

test('refused for one address do not use up the limits of others', async () => {
  const mailer = node({ perHour: 5, perRecipientPerHour: 1, perAccountPerHour: 2 });
  const acme = { accountId: 'acme' };
  const flood = await Promise.all(Array.from({ length: 20 }, () => send(mailer, 'one@example.com', acme)));
  expect(flood.filter((limit) => limit === 'recipient')).toHaveLength(19);
  expect(await send(mailer, 'two@example.com', acme)).toBeNull();
  expect(await send(mailer, 'three@example.com', acme)).toBe('account');
  // The mail that the account could not send does not count for the address.
  expect(await send(mailer, 'three@example.com', { accountId: 'beta' })).toBeNull();
});

test('of accounts and strangers leave a fifth of the hour to operators', async () => {
  const mailer = node({ perHour: 10 });
  const others = Array.from({ length: 12 }, (_, at) =>
    send(mailer, `${at}@example.com`, at % 2 === 0 ? 'anyone' : { accountId: `of-${at}` }),
  );
  expect((await Promise.all(others)).filter((limit) => limit === 'gateway')).toHaveLength(4);
  const operators = Array.from({ length: 5 }, (_, at) => send(mailer, `op-${at}@example.com`, 'operators'));
  expect((await Promise.all(operators)).filter((limit) => limit === 'gateway')).toHaveLength(3);
  expect(sent).toHaveLength(10);
});

test('are allowed again an hour after the first one', async () => {
  const mailer = node({ perRecipientPerHour: 1 });
  expect(await send(mailer, 'a@example.com', 'operators')).toBeNull();
  clock.advance(3_599_999);
  await expect(mailer.reserve('a@example.com', 'operators')).rejects.toMatchObject({ retryAfterMs: 1_000 });
  clock.advance(1);
  expect(await send(mailer, 'a@example.com', 'operators')).toBeNull();
});

test('that are cancelled count for their address only', async () => {
  const mailer = node({ perHour: 1, perRecipientPerHour: 1 });
  await (await mailer.reserve('nobody@example.com', 'anyone')).cancel();
  expect(await send(mailer, 'nobody@example.com', 'anyone')).toBe('recipient');
  expect(await send(mailer, 'ann@example.com', 'anyone')).toBeNull();
});
