import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer } from '../first-light/upstream.ts';
import { until } from '../shared/until.ts';
import { BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { type Answer, CLIENT_FORMATS, incomplete, inParallel } from './client.ts';
import { broken, counts, forgetAll, unavailable, upstreamsNamed } from './upstreams.ts';

const PRIVATE_ID = 'acme-own-channel';
const PRIVATE_MODEL = 'acme-own-model';
/** A model of Acme's channel that cools down after one failure. */
const FRAIL_MODEL = 'acme-frail-model';

const upstreams = upstreamsNamed('platform', 'spare', 'own');
const { platform, spare, own } = upstreams;
let bed: RoutingBed;

beforeAll(async () => {
  const breaker = { minimum_requests: 1_000 };
  bed = await startRoutingBed({
    channels: [
      channelTo(platform, { id: 'platform', models: ['shared', 'lone', 'doomed'], breaker }),
      channelTo(spare, { id: 'spare', models: ['doomed', 'healthy'], breaker }),
      channelTo(spare, { id: 'brittle', models: ['brittle'], breaker: { minimum_requests: 1, cooldown_ms: 60_000 } }),
      channelTo(own, {
        ...{ id: PRIVATE_ID, name: "Acme's own channel", owner: 'acme' },
        // It is tried first although its priority and weight are the lowest.
        ...{ models: ['shared', 'lone', 'brittle', PRIVATE_MODEL], priority: 1_000, weight: 0.001, breaker },
      }),
      channelTo(own, {
        ...{ id: 'acme-frail-channel', owner: 'acme', models: [FRAIL_MODEL] },
        breaker: { minimum_requests: 1, cooldown_ms: 60_000 },
      }),
    ],
  });
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

beforeEach(() => {
  for (const upstream of Object.values(upstreams)) upstream.answer = chatAnswer;
  forgetAll(upstreams);
});

/** Returns everything that a client sees: headers and body. */
const told = ({ headers, text }: Answer) => `${[...headers].join('\n')}\n\n${text}`;

function expectNoTrace(answers: readonly Answer[]): void {
  for (const answer of answers) {
    expect(told(answer)).not.toContain(PRIVATE_ID);
    expect(told(answer)).not.toContain(PRIVATE_MODEL);
    expect(told(answer)).not.toContain('own channel');
    expect(told(answer)).not.toContain('PRIVATE');
  }
}

describe('a PRIVATE channel', () => {
  test('is tried first for its account, whatever its priority', async () => {
    const answers = await inParallel(24, 4, (index) =>
      bed.ask({ model: 'shared', format: CLIENT_FORMATS[index % 4]!, stream: index % 3 === 0 }),
    );
    expect(incomplete(answers)).toEqual([]);
    expect(counts(upstreams)).toEqual([0, 0, 24]);
    expect(new Set(answers.map(({ channelType }) => channelType))).toEqual(new Set(['PRIVATE']));
  });

  test('falls back to the platform’s channels if it fails', async () => {
    own.answer = broken;
    const answer = await bed.ask({ model: 'shared' });
    expect(answer).toMatchObject({ isComplete: true, channel: 'platform', channelType: 'PLATFORM', retryCount: 1 });
  });

  test('is never used for another account, even if all other channels fail', async () => {
    const well = await inParallel(24, 4, (index) =>
      bed.ask({ model: 'shared', key: BETA, format: CLIENT_FORMATS[index % 4]!, stream: index % 3 === 0 }),
    );
    expect(incomplete(well)).toEqual([]);
    platform.answer = unavailable;
    spare.answer = unavailable;
    const failed = await Promise.all(CLIENT_FORMATS.map((format) => bed.ask({ model: 'lone', key: BETA, format })));
    // Beta has only one channel for the model, so its error is Beta's response.
    expect(failed.map(({ status }) => status)).toEqual([502, 502, 502, 502]);
    expect(own.count).toBe(0);
    expectNoTrace([...well, ...failed]);
  });

  test('is not revealed to another account by a model that is not found', async () => {
    const asked = [PRIVATE_MODEL, 'acme-own-modal', 'nothing'];
    const answers = await Promise.all(asked.map((model) => bed.ask({ model, key: BETA })));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expectNoTrace(answers.slice(1));
    // The requested model is repeated in the error, but not as a suggestion.
    const { error, headers } = answers[0]!;
    expect(JSON.stringify([error.suggestions ?? [], error.did_you_mean ?? null])).not.toContain(PRIVATE_MODEL);
    expect(headers.get('x-routing') ?? '').not.toContain(PRIVATE_ID);
    const { error: unknown } = answers[2]!;
    expect(String(error.message).replace(PRIVATE_MODEL, 'X')).toBe(String(unknown.message).replace('nothing', 'X'));
  });

  test('is an alternative for its own account only', async () => {
    platform.answer = unavailable;
    spare.answer = unavailable;
    // Beta's only channel for the model, the platform's, is down; Acme has its own channel for it.
    expect((await bed.ask({ model: 'brittle', key: BETA })).status).toBe(502);
    const alternatives = async (key?: string) => {
      const answer = await bed.ask({ model: 'doomed', ...(key === undefined ? {} : { key }) });
      expect([answer.status, answer.error.code]).toEqual([503, 'all_channels_failed']);
      const ids = (answer.error.alternatives as { id: string }[]).map(({ id }) => id);
      return { answer, ids };
    };
    const acme = await alternatives();
    expect(acme.ids).toEqual(expect.arrayContaining(['healthy', 'brittle', PRIVATE_MODEL]));
    const beta = await alternatives(BETA);
    expect(beta.ids).toContain('healthy');
    expect(beta.ids).not.toContain('brittle');
    expectNoTrace([beta.answer]);
  });

  test('is marked in the request log, even if it was unavailable and no other channel exists', async () => {
    const noted = async (model: string, key?: string) => {
      const answer = await bed.ask({ model, ...(key === undefined ? {} : { key }) });
      const database = new Database(bed.space.database, { readonly: true });
      const line = () =>
        database
          .query<{ channel_id: string | null; is_private: number }, [string]>(
            'select channel_id, is_private from request_log where request_id = ?',
          )
          .get(String(answer.headers.get('x-request-id')));
      try {
        await until('the request is in the log', () => line() !== null);
        const { channel_id: channelId, is_private: isPrivate } = line() ?? {};
        return [channelId, isPrivate];
      } finally {
        database.close();
      }
    };
    own.answer = unavailable;
    expect(await noted(FRAIL_MODEL)).toEqual(['acme-frail-channel', 1]);
    expect(await noted(FRAIL_MODEL)).toEqual([null, 1]);
    expect(await noted('lone')).toEqual(['platform', 0]);
    spare.answer = unavailable;
    await bed.ask({ model: 'brittle', key: BETA });
    expect(await noted('brittle', BETA)).toEqual([null, 0]);
  });

  test('is in no line of the request log of another account', async () => {
    // Covers the requests of the previous tests and one more of each account.
    await bed.ask({ model: 'shared' });
    const last = await bed.ask({ model: 'shared', key: BETA });
    const database = new Database(bed.space.database, { readonly: true });
    try {
      const rows = (where: string) => database.query(`select * from request_log where ${where}`).all();
      const isLogged = () => rows(`request_id = '${last.headers.get('x-request-id')}'`).length === 1;
      await until('the last request is in the log', isLogged);
      expect(rows(`account_id = 'acme' and channel_id = '${PRIVATE_ID}'`).length).toBeGreaterThan(0);
      const ofBeta = rows("account_id = 'beta'");
      expect(ofBeta.length).toBeGreaterThan(0);
      expect(JSON.stringify(ofBeta)).not.toContain(PRIVATE_ID);
    } finally {
      database.close();
    }
  });
});
