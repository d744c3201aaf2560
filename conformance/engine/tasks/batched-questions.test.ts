import { afterEach, expect, test } from 'bun:test';
import type { Scripted } from '../../../src/engine/call/testing/fake-upstream.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { TaskBed } from './task-bed.ts';

const json = (body: unknown, status = 200): Scripted => ({ status, pieces: [JSON.stringify(body)] });
const song = (id: string) => ({
  ...{ task_id: id, status: 'SUCCESS', action: 'MUSIC' },
  data: [{ id: 'clip', audio_url: 'https://files.example/song.mp3', duration: 100 }],
});

afterEach(closeTestStores);

test.each<readonly [string, () => Scripted]>([
  ['a 404', () => json({ message: 'there is no such job' }, 404)],
  ['a 400', () => json({ message: 'one of the ids is wrong' }, 400)],
  ['invalid JSON', () => ({ pieces: ['<html>'] })],
  ['garbage', () => json({ code: 'success', data: 7 })],
])('jobs are polled individually if a batch is rejected with %s', async (_name, refusal) => {
  const bed = await TaskBed.open();
  const node = await bed.node({ pollIntervalMs: 1_000 });
  const good = await node.submitted('suno', 'good');
  const other = await node.submitted('suno', 'other');
  const bad = await node.submitted('suno', 'bad');
  bed.answer = ({ url, method }) => {
    const { pathname } = new URL(url);
    if (method === 'POST') return refusal();
    if (pathname.endsWith('/bad')) return json({ message: 'there is no such job' }, 404);
    return json({ code: 'success', data: song(pathname.split('/').at(-1) ?? '') });
  };
  await bed.pass(20_000);
  expect(await bed.task(good)).toMatchObject({ stage: 'completed' });
  expect(await bed.task(other)).toMatchObject({ stage: 'completed' });
  expect(await bed.task(bad)).toMatchObject({ stage: 'submitted' });
});

test('jobs stay in a batch if the provider is only busy', async () => {
  const bed = await TaskBed.open();
  const node = await bed.node({ pollIntervalMs: 1_000 });
  for (const job of ['one', 'two', 'three']) await node.submitted('suno', job);
  bed.answer = () => json({ message: 'slow down' }, 429);
  await bed.pass(20_000);
  expect(bed.asked.filter((asked) => asked.startsWith('GET'))).toEqual([]);
});

test('a response with more values than jobs could have is not parsed', async () => {
  const bed = await TaskBed.open();
  const node = await bed.node({ pollIntervalMs: 1_000 });
  const id = await node.submitted('suno', 'one');
  let extra: readonly number[] = new Array<number>(200_000).fill(1);
  bed.answer = () => json({ code: 'success', data: song('one'), extra });
  await bed.pass(20_000);
  expect(await bed.task(id)).toMatchObject({
    stage: 'submitted',
    lastPollError: expect.stringContaining('200000 values'),
  });
  extra = [];
  await bed.pass(60_000);
  expect(await bed.task(id)).toMatchObject({ stage: 'completed' });
});
