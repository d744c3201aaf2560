import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { recordingsFolder } from '../../conformance/shared/recordings.ts';
import { until } from '../../conformance/shared/until.ts';
import { lastOf, type Recorded, type Sequence, SequenceBed } from '../../conformance/task-sequences/bed.ts';

/* Replays Replicate's recorded responses, from the creation of a job through its polls, through a whole gateway. */

setDefaultTimeout(600_000);

const folder = path.join(recordingsFolder, 'replicate', 'predictions');

interface Exchange extends Recorded {
  readonly file: string;
  readonly path: string;
  readonly index: number;
  readonly isCreation: boolean;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly answer: Readonly<Record<string, unknown>>;
}

const recordings = replicateSequences();

function replicateExchanges(): readonly Exchange[] {
  return readdirSync(folder)
    .map((file) => {
      const { source, request, response } = asObject(parseJson(readFileSync(path.join(folder, file), 'utf8')));
      const { method, url, body: sent } = asObject(request);
      const { status, body } = asObject(response);
      return {
        ...{ file, path: String(asObject(source).path), index: Number(asObject(source).index) },
        isCreation: method === 'POST' && /\/predictions$/.test(String(url)),
        sent: asObject(parseJson(String(sent ?? ''))),
        ...{ status: Number(status), body: String(body), answer: asObject(parseJson(String(body))) },
      };
    })
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.index - b.index);
}

/** Returns each creation with the later responses about its prediction. Without polls, the creation is all there is. */
function replicateSequences(): readonly Sequence[] {
  const all = replicateExchanges();
  return all
    .filter(({ isCreation, sent, status }) => isCreation && status === 201 && typeof sent.version === 'string')
    .map((create) => {
      const later = all.filter(
        (one) => one.path === create.path && one.index > create.index && one.answer.id === create.answer.id,
      );
      return {
        ...{ name: create.file.replace(/\.json$/, ''), endpoint: 'images', provider: 'replicate', create },
        upstreamModel: `${create.answer.model}:${create.sent.version}`,
        polls: later.length === 0 ? [create] : later,
      };
    });
}

let bed: SequenceBed;

beforeAll(async () => {
  bed = await SequenceBed.start(() => ({ sequences: recordings }));
});
afterAll(() => bed?.stop());

const named = (list: readonly Sequence[]) => list.map((one) => [one.name, one] as const);
const ending = (status: string) => recordings.filter((one) => lastOf(one).status === status);
const open = recordings.filter((one) => ['starting', 'processing'].includes(String(lastOf(one).status)));

test('the recordings contain successful, failed and unfinished sequences', () => {
  const counts = [ending('succeeded').length, ending('canceled').length, open.length];
  expect(counts.every((count) => count >= 2)).toBe(true);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(recordings.length);
});

test.each(named(ending('succeeded')))('%s: the image is stored and can be read', async (_name, sequence) => {
  const id = await bed.begin(sequence);
  const output = asArray(lastOf(sequence).output);
  const data = await bed.expectMade(id, output.length);
  expect(data).toMatchObject(output.map(() => ({ url: expect.stringContaining('/out-0.png') })));
  const prediction = lastOf(sequence).id;
  const questions = bed.provider.asked.filter((one) => one.includes('/predictions'));
  expect(questions).toEqual([
    'POST /v1/predictions Bearer replicate-key',
    ...sequence.polls.map(() => `GET /v1/predictions/${prediction} Bearer replicate-key`),
  ]);
  expect(bed.provider.asked.filter((one) => one.includes('/pbxt/') && !one.endsWith('no key'))).toEqual([]);
});

test.each(named(ending('canceled')))('%s: the task fails without a charge', async (_name, sequence) => {
  await bed.expectFailed(await bed.begin(sequence), /cancel/i, 'upstream_error');
});

test.each(named(open))('%s: the task stays pending until an operator ends it', async (_name, sequence) => {
  const id = await bed.begin(sequence);
  await until('the job is polled', () => bed.provider.questions > 5);
  await until('the task is processing', async () => (await bed.read(id)).status === 'processing');
  const failed = await bed.space.run(['tasks', 'fail', id, '--reason', 'It was given up.']);
  expect(failed).toMatchObject({ exitCode: 0 });
  await bed.expectFailed(id, /^It was given up\.$/, 'client_closed_request');
});

test('the books are correct afterwards', async () => {
  expect(await bed.space.run(['ledger', 'verify'])).toMatchObject({ exitCode: 0 });
});
