import { describe, expect, test } from 'bun:test';
import { nextOver, sentOver, WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { sandboxImages } from './index.ts';

test('a request names what to make', async () => {
  const asked = { count: 2, size: { width: 512, height: 512 }, options: { delay_ms: 5 } } as const;
  expect(await sentOver(sandboxImages, 'sandbox-slow-image', asked)).toMatchObject({
    body: { kind: 'image', prompt: 'a fox in the snow', n: 2, resolution: '512x512', options: { delay_ms: 5 } },
  });
});

describe('a job', () => {
  test('is polled by its id until it is done', () => {
    for (const status of ['queued', 'working']) {
      expect(nextOver(sandboxImages, { id: 'job_a', status })).toMatchObject({ method: 'GET', url: '/jobs/job_a' });
    }
    expect(nextOver(sandboxImages, { id: 'job_a', status: 'done', items: [] })).toBeNull();
  });

  test('may fail, and a refusal is a client error', () => {
    expect(nextOver(sandboxImages, { id: 'job_a', status: 'failed', error: 'No.' })).toMatchObject({
      kind: 'job_failed',
    });
    expect(nextOver(sandboxImages, { id: 'job_a', status: 'refused', error: 'No.' })).toMatchObject({ side: 'client' });
  });

  test('with an unknown state or id is invalid', () => {
    for (const value of WRONG_VALUES) {
      expect(nextOver(sandboxImages, { id: 'job_a', status: value })).toMatchObject({ kind: 'garbage' });
      expect(nextOver(sandboxImages, { id: value, status: 'queued' })).toMatchObject({ kind: 'garbage' });
    }
    expect(nextOver(sandboxImages, { id: 'job_/../x', status: 'queued' })).toMatchObject({ kind: 'garbage' });
  });
});
