import { describe, expect, test } from 'bun:test';
import { Failure } from '../domain/failure/failure.ts';
import type { GenerationRequest } from '../domain/tasks/generation-request.ts';
import type { FileSource, JobReport, JobTicket } from '../domain/tasks/job.ts';
import { taskWires } from './index.ts';
import type { TaskWire } from './shared/tasks/wire.ts';
import { WRONG_VALUES } from './shared/testing/image-exchange.ts';
import { PLAIN_VIDEO } from './shared/testing/video-exchange.ts';

/* Laws that hold for every job wire, whatever its upstream says. */

const COMMON = { model: 'public-model', prompt: 'a fox', user: null, options: {}, body: {} };
const REQUESTS: readonly GenerationRequest[] = [
  PLAIN_VIDEO,
  {
    ...{ ...COMMON, kind: 'music', title: null, tags: null, action: 'MUSIC', mv: null },
    ...{ continueClipId: null, continueAtSeconds: null },
  },
  {
    ...{ ...COMMON, kind: '3d', negativePrompt: null, images: [], format: null, texture: null },
    ...{ targetPolycount: null, seed: null },
  },
];
const OF_OPERATION = { 'videos.generations': 0, 'music.generations': 1, '3d.generations': 2 } as const;

function requestOf({ operations }: TaskWire): GenerationRequest {
  const [operation] = operations;
  const index = Object.entries(OF_OPERATION).find(([name]) => name === operation)?.[1] ?? 0;
  return REQUESTS[index] ?? PLAIN_VIDEO;
}

const STATES = ['completed', 'succeeded', 'succeed', 'success', 'SUCCESS', 'done', 'failed', 'FAILED', 'queued', 'odd'];
const NAMES = [
  ...[
    'id',
    'request_id',
    'task_id',
    'taskId',
    'name',
    'status',
    'state',
    'data',
    'output',
    'outputs',
    'result',
    'error',
  ],
  ...[
    'message',
    'video',
    'videos',
    'url',
    'response',
    'done',
    'code',
    'items',
    'images',
    'seconds',
    'progress',
    'size',
  ],
];
const BAD_TEXTS = [
  '../x',
  'https://evil.example/a',
  'javascript:x',
  'x'.repeat(20_000),
  '\u0000',
  'file:///etc/passwd',
];

/** Returns a seeded pseudo-random generator, so that each run draws the same numbers. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % sides;
  };
}

function oddValue(roll: (sides: number) => number, depth: number): unknown {
  const pick = (list: readonly unknown[]) => list[roll(list.length)];
  const kind = roll(depth > 3 ? 4 : 8);
  if (kind === 0) return pick(WRONG_VALUES);
  if (kind === 1) return pick(BAD_TEXTS);
  if (kind < 4) return pick(STATES);
  if (kind === 4) return Array.from({ length: roll(3) }, () => oddValue(roll, depth + 1));
  return oddObject(roll, depth + 1);
}

function oddObject(roll: (sides: number) => number, depth: number): object {
  const members = Array.from({ length: 1 + roll(8) }, () => [NAMES[roll(NAMES.length)], oddValue(roll, depth)]);
  return Object.fromEntries(roll(20) === 0 ? [...members, ['__proto__', { a: 1 }]] : members);
}

function answersOf(seed: number): readonly Uint8Array[] {
  const roll = dice(seed);
  const texts = ['', '{', 'null', '[]', '{"__proto__":{"status":"completed"}}', `${'['.repeat(9_000)}`];
  const objects = Array.from({ length: 150 }, () => JSON.stringify(oddObject(roll, 0)));
  return [...texts, ...objects].map((text) => new TextEncoder().encode(text));
}

/** Checks that the gateway can use what a report says. */
function expectSound(report: JobReport): void {
  if (report.state === 'failed') {
    expect(report.failure.message).not.toBe('');
    expect(report.failure.message).not.toMatch(/https?:\/\//);
  }
  if (report.state === 'working') expect(report.progress === null || Number.isInteger(report.progress)).toBe(true);
  if (report.state !== 'done') return;
  expect(report.result.items.length).toBeGreaterThan(0);
  for (const { source, cover, video } of report.result.items) {
    for (const one of [source, cover ?? null, video ?? null]) expectSource(one);
  }
}

function expectSource(source: FileSource | null): void {
  if (source === null || source.kind === 'base64') return;
  expect(source.url).toMatch(source.kind === 'url' ? /^(?:https?:\/\/|data:)/ : /^(?:https?:\/)?\//);
  expect(source.url).not.toContain('/../');
}

function expectHarmless(ticket: JobTicket, wire: TaskWire): void {
  const { url } = wire.poll(ticket, { upstreamModel: 'theirs' });
  expect(url).toMatch(/^(?:https?:\/)?\//);
  expect(url).not.toContain('/../');
  for (const value of Object.values(ticket)) expect(typeof value).toBe('string');
}

describe.each([...taskWires.values()])('$name', (wire) => {
  test('declares which options change the price', () => {
    const { harmlessOptions = [], pricedOptions = [] } = wire;
    expect(new Set([...harmlessOptions, ...pricedOptions]).size).toBe(harmlessOptions.length + pricedOptions.length);
  });

  test('reads any response to a request or about a job without throwing', () => {
    const target = { upstreamModel: 'theirs' };
    const headers = new Headers();
    const tickets: JobTicket[] = [{ id: 'job-1' }];
    for (const bytes of answersOf(wire.name.length)) {
      const submission = wire.decodeSubmission({ bytes, headers }, requestOf(wire), target);
      if (submission instanceof Failure) continue;
      expectHarmless(submission.ticket, wire);
      expectSound(submission.report);
      if (tickets.length < 4) tickets.push(submission.ticket);
    }
    for (const bytes of answersOf(97 + wire.name.length)) {
      for (const ticket of tickets) {
        const report = wire.decodePoll({ bytes, headers }, ticket, target);
        if (!(report instanceof Failure)) expectSound(report);
      }
    }
  });
});
