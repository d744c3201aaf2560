import { expect, test } from 'bun:test';
import type { JobTicket } from '../../../domain/tasks/job.ts';
import { imageWires, taskWires } from '../../index.ts';
import type { JobCancel } from './wire.ts';

const target = { upstreamModel: 'up' } as never;

/** The requests of the published documents, for a ticket that the wire writes. */
const REQUESTS: Readonly<
  Record<string, readonly [ticket: JobTicket, request: string, begun?: JobCancel['endsBegun']]>
> = {
  'runway-videos': [{ id: 'a b' }, 'DELETE /tasks/a%20b', 'billed'],
  'ark-videos': [{ id: 'cgt-1' }, 'DELETE /contents/generations/tasks/cgt-1'],
  'dashscope-videos': [{ id: '7' }, 'POST /../../api/v1/tasks/7/cancel'],
  'minimax-videos': [{ id: '7', api: '2' }, 'DELETE /../v2/video_generation/7'],
  'replicate-videos': [{ id: 'p1' }, 'POST /predictions/p1/cancel', 'billed'],
  'replicate-music': [{ id: 'p1' }, 'POST /predictions/p1/cancel', 'billed'],
  'replicate-3d': [{ id: 'p1' }, 'POST /predictions/p1/cancel', 'billed'],
  'replicate-images': [{ url: '/predictions/p1' }, 'POST /predictions/p1/cancel', 'billed'],
  'fal-videos': [{ id: 'r1', app: '/fal-ai/veo3', step: 'status' }, 'PUT /fal-ai/veo3/requests/r1/cancel', 'billed'],
  'fal-music': [{ id: 'r1', app: '/fal-ai/x', step: 'status' }, 'PUT /fal-ai/x/requests/r1/cancel', 'billed'],
  'fal-3d': [{ id: 'r1', app: '/fal-ai/x', step: 'status' }, 'PUT /fal-ai/x/requests/r1/cancel', 'billed'],
  'fal-images': [{ url: '/fal-ai/flux/requests/r1/status' }, 'PUT /fal-ai/flux/requests/r1/cancel', 'billed'],
  'sandbox-videos': [{ id: 'job_1' }, 'POST /jobs/job_1/cancel', 'free'],
  'sandbox-music': [{ id: 'job_1' }, 'POST /jobs/job_1/cancel', 'free'],
  'sandbox-3d': [{ id: 'job_1' }, 'POST /jobs/job_1/cancel', 'free'],
};

const wires = [...taskWires.values(), ...imageWires.values()];

test('the wires that can cancel are known, and send what the providers document', () => {
  const found = wires.flatMap(({ name, cancel }) => {
    if (cancel === undefined) return [];
    const [ticket = {}] = REQUESTS[name] ?? [];
    const request = cancel.request(ticket, target);
    return [[name, `${request?.method} ${request?.url}`, cancel.endsBegun]];
  });
  const expected = Object.entries(REQUESTS).map(([name, [, request, begun]]) => [name, request, begun]);
  expect(found.sort()).toEqual(expected.sort());
});

test.each([
  ['fal-videos', { id: 'r1', app: '/fal-ai/veo3', step: 'result' }],
  ['fal-images', { url: '/fal-ai/flux/requests/r1' }],
  ['minimax-videos', { id: '7', api: '1' }],
  ['replicate-images', { url: 'https://elsewhere.example/predictions/p1' }],
])('%s does not cancel a job that has finished or has no such address: %p', (name, ticket) => {
  const wire = wires.find((one) => one.name === name);
  expect(wire?.cancel?.request(ticket, target)).toBeNull();
});

test.each([
  ['canceled', 'ended'],
  ['aborted', 'ended'],
  ['processing', 'asked'],
  ['starting', 'asked'],
  ['succeeded', 'asked'],
] as const)('a prediction that is %s after the request is %s', (status, meaning) => {
  const bytes = new TextEncoder().encode(JSON.stringify({ id: 'p1', status }));
  expect(taskWires.get('replicate-videos')?.cancel?.decode({ bytes, headers: new Headers() })).toBe(meaning);
});
