import { afterEach, beforeEach, expect, test } from 'bun:test';
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import type { Store } from '../../engine/ports/store.ts';
import {
  sampleAccount,
  sampleCacheReport,
  sampleChannel,
  sampleRecord,
  sampleResponse,
  sampleTask,
} from '../../engine/ports/testing/samples.ts';
import { libraryKey } from '../../sign-in/shape.ts';
import { createContentBox } from '../../stores/shared/content-box.ts';
import { sealedColumns } from '../../stores/shared/secret/sealed-columns.ts';
import { createSecretBox } from '../../stores/shared/secret-box.ts';
import { forgetSecret, rotateSecret, type SecretPlace } from '../change-secret.ts';
import { derivedKey } from '../system.ts';

const OLD = 'the secret until now 0123456789';
const NEW = 'the secret from now on 0123456789';

const TASK = sampleTask({
  ticket: { operation: 'operations/1' },
  ending: { kind: 'failed', code: 'upstream_error', failureKind: 'server', message: 'It broke.' },
});

const REFUSED = {
  told: { message: '`size` must be a number; got "big".', param: 'size' },
  requestedModel: 'm',
  costNanoUsd: 0n,
} as const;
const MAIL = { smtp_url: 'smtps://user:a-password@mail.example.com:465', from: 'gate@example.com' };

export interface SecretSubject {
  readonly place: SecretPlace;
  open(secret: string): Promise<Store>;
  /** Runs a gateway on the database. */
  run(secret: string): Promise<{ stop(): Promise<void> }>;
  /** Lists tables and their columns whose names begin with `sealed`. */
  readonly sealedColumns: string;
  remove(): Promise<void>;
}

/** Registers the tests for every kind of database whose master secret changes or is lost. */
export function describeSecretChanges(create: () => Promise<SecretSubject>): void {
  let subject: SecretSubject;

  beforeEach(async () => {
    subject = await create();
  });
  afterEach(() => subject.remove());

  async function withStore<Result>(secret: string, use: (store: Store) => Promise<Result>): Promise<Result> {
    const store = await subject.open(secret);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  test('values encrypted with the old secret can be decrypted with the new one only', async () => {
    await withStore(OLD, fill);
    expect(await rotateSecret(subject.place, OLD, NEW)).toEqual({
      channels: 1,
      alert_targets: 2,
      settings: 1,
      responses: 60,
      tasks: 2,
      cache_reports: 1,
      idempotent_requests: 1,
      captures: 2,
      request_log: 30,
      sign_in_two_factors: 2,
    });
    await expect(subject.open(OLD)).rejects.toThrow('it was created with another master secret');
    await withStore(NEW, expectReadable);
    expect(await rotateSecret(subject.place, OLD, NEW)).toBeNull();
    const audit = await withStore(NEW, (store) => store.audit.page({ order: 'newest', after: null, limit: 5 }));
    expect(audit.filter(({ action }) => action === 'secret.rotate')).toHaveLength(1);
  });

  test('one unreadable value stops the rotation without any change', async () => {
    await withStore(OLD, async (store) => {
      await fill(store);
      const other = createContentBox(NEW).seal('x', ['captures', 'acme', 'req_1', 'answer']);
      await store.signIn.run(`UPDATE captures SET answer = ${mark(store, 1)}`, [other]);
    });
    await expect(rotateSecret(subject.place, OLD, NEW)).rejects.toThrow('cannot be decrypted');
    await expect(rotateSecret(subject.place, 'neither of the two secrets', NEW)).rejects.toThrow(
      'another master secret',
    );
    await withStore(OLD, async (store) => {
      expect((await store.directory.read('all')).channels).toMatchObject([{ apiKey: 'sk-upstream' }]);
    });
  });

  test('forgetting a lost secret removes everything that needs it, and keeps the ledger', async () => {
    await withStore(OLD, fill);
    expect(await forgetSecret(subject.place, OLD)).toBeNull();
    expect(await forgetSecret(subject.place, NEW)).toEqual({
      channels: ['openai-main'],
      targets: ['Hook', 'Own hook'],
      users: ['ann@example.com'],
      settings: ['mail'],
      deleted: { responses: 30, captures: 1, tasks: 1, idempotent_requests: 1 },
    });
    await withStore(NEW, async (store) => {
      const { channels, accounts } = await store.directory.read('all');
      expect(channels).toMatchObject([{ id: 'openai-main', apiKey: null }]);
      expect(accounts).toHaveLength(1);
      expect((await store.ledger.verify()).problems).toEqual([]);
      expect(await store.responses.get('acme', 'resp_7')).toBeNull();
      const lines = await store.requestLog.recent(50);
      expect(lines).toHaveLength(31);
      for (const line of lines) expect(line).not.toHaveProperty('told');
      expect(await store.settings.read()).toEqual({ mail: { from: MAIL.from }, routing: { max_attempts: 3 } });
    });
  });

  test('neither is possible while a gateway runs', async () => {
    const running = await subject.run(OLD);
    await expect(rotateSecret(subject.place, OLD, NEW)).rejects.toThrow(/Stop (?:it|them) first/);
    await expect(forgetSecret(subject.place, NEW)).rejects.toThrow(/Stop (?:it|them) first/);
    await running.stop();
    expect(await rotateSecret(subject.place, OLD, NEW)).toEqual({});
  });

  test('every sealed column is covered', async () => {
    const found = await withStore(OLD, (store) => store.signIn.run(subject.sealedColumns, []));
    const known = sealedColumns(OLD, NEW).map(({ table, column }) => `${table}.${column}`);
    expect(known).toEqual(expect.arrayContaining(found.rows.map(({ name }) => String(name))));
    expect(found.rows.length).toBeGreaterThan(6);
  });
}

function mark({ signIn }: Store, number: number): string {
  return signIn.dialect === 'postgres' ? `$${number}` : `?${number}`;
}

async function insert(
  store: Store,
  table: string,
  row: Readonly<Record<string, string | number | boolean | Uint8Array>>,
) {
  const marks = Object.keys(row).map((_, at) => mark(store, at + 1));
  const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`;
  await store.signIn.run(sql, Object.values(row));
}

/** Adds more rows than are read at once, with a value in every sealed column. */
async function fill(store: Store): Promise<void> {
  await store.directory.write('all', (writer) => {
    writer.putAccount(sampleAccount());
    writer.putChannel(sampleChannel({ id: 'openai-main', owner: null, apiKey: 'sk-upstream' }));
  });
  await store.settings.change(
    'mail',
    () => MAIL,
    () => [],
  );
  await store.settings.change(
    'routing',
    () => ({ max_attempts: 3 }),
    () => [],
  );
  for (let n = 0; n < 30; n++) await store.responses.put(sampleResponse({ id: `resp_${n}`, inputJson: `"${n}"` }));
  for (let n = 0; n < 30; n++) store.requestLog.append(sampleRecord({ ...REFUSED, requestId: `line_${n}` }));
  store.requestLog.append(sampleRecord({ requestId: 'answered', failedAttempts: [], costNanoUsd: 0n }));
  await store.requestLog.flush();
  await store.tasks.create(TASK);
  await store.cacheReports.add(sampleCacheReport({ description: 'a wrong answer' }), 10);
  const [box, contents] = [createSecretBox(OLD), createContentBox(OLD)];
  const target = { kind: 'webhook', enabled: true, origin: 'api', created_at_ms: 1, updated_at_ms: 1 };
  const words = JSON.stringify({ address: 'https://a.example', secret: 's', previousSecret: null });
  const sealed = (context: string) => box.seal(words, `alert target:${context}`);
  await insert(store, 'alert_targets', { ...target, owner: '', id: 'hook', name: 'Hook', sealed: sealed('/hook') });
  await insert(store, 'alert_targets', {
    ...target,
    owner: 'acme',
    id: 'own',
    name: 'Own hook',
    sealed: sealed('acme/own'),
  });
  await insert(store, 'idempotent_requests', {
    ...{ scope: 's', key: 'k', fingerprint: 'f', at_ms: 1 },
    sealed_answer: contents.seal('{}', ['idempotent request', 's', 'k']),
  });
  await insert(store, 'captures', {
    ...{ request_id: 'req_1', account_id: 'acme', at_ms: 1, bytes: 2, facts: '{}' },
    request: contents.seal('asked', ['captures', 'acme', 'req_1', 'request']),
    answer: contents.seal('answered', ['captures', 'acme', 'req_1', 'answer']),
  });
  const when = '2026-01-01T00:00:00.000Z';
  const user = { id: 'user_1', name: 'Ann', email: 'ann@example.com', created_at: when, updated_at: when };
  await insert(store, 'users', { ...user, two_factor_enabled: true });
  const key = libraryKey({ key: derivedKey(OLD, 'sign-in') });
  await insert(store, 'sign_in_two_factors', {
    ...{ id: 'two', user_id: 'user_1' },
    secret: await symmetricEncrypt({ key, data: 'seed' }),
    backup_codes: await symmetricEncrypt({ key, data: '["code"]' }),
  });
}

async function expectReadable(store: Store): Promise<void> {
  expect((await store.directory.read('all')).channels).toMatchObject([{ apiKey: 'sk-upstream' }]);
  expect((await store.settings.read()).mail).toEqual(MAIL);
  const { rows: words } = await store.signIn.run('SELECT words FROM settings', []);
  expect(JSON.stringify(words)).not.toContain('a-password');
  expect(await store.responses.get('acme', 'resp_29')).toMatchObject({ inputJson: '"29"' });
  const lines = await store.requestLog.recent(50);
  expect(lines.filter(({ told }) => told?.message === REFUSED.told.message)).toHaveLength(30);
  expect(await store.tasks.find(TASK.id)).toMatchObject({ ticket: TASK.ticket, ending: TASK.ending });
  const { rows: targets } = await store.signIn.run('SELECT owner, id, sealed FROM alert_targets', []);
  const box = createSecretBox(NEW);
  for (const { owner, id, sealed } of targets)
    expect(box.open(String(sealed), `alert target:${owner}/${id}`)).toContain('https://a.example');
  const { rows: captures } = await store.signIn.run('SELECT answer FROM captures', []);
  const answer = captures[0]?.answer as Uint8Array;
  expect(createContentBox(NEW).open(answer, ['captures', 'acme', 'req_1', 'answer'])).toBe('answered');
  const { rows: factors } = await store.signIn.run('SELECT secret FROM sign_in_two_factors', []);
  const key = libraryKey({ key: derivedKey(NEW, 'sign-in') });
  expect(await symmetricDecrypt({ key, data: String(factors[0]?.secret) })).toBe('seed');
}
