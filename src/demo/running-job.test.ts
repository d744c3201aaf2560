import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { polledJobs } from '../engine/tasks/pollable-jobs.ts';
import { sandboxUpstream } from '../providers/sandbox/local.ts';
import { HOUR_MS } from './demo-time.ts';
import { TASK_MODELS, type TaskModelId } from './models.ts';
import { RUNNING_WIRES, runningJob } from './running-job.ts';

afterEach(() => {
  setSystemTime();
});

const MODELS = Object.keys(TASK_MODELS) as TaskModelId[];

test.each(MODELS)('a running task of %s can be polled, stays open, and ends well', async (modelId) => {
  const begunAtMs = Date.now();
  const asked = { count: 1, seconds: null, resolution: null };
  const ticket = await runningJob({ modelId, title: 'Harbour at first light', asked });
  const wire = polledJobs(RUNNING_WIRES[TASK_MODELS[modelId].kind]);
  if (wire === null) throw new Error('the gateway knows no such wire');
  expect(wire.isAskable?.(ticket) ?? true).toBe(true);
  const target = { publicId: modelId, upstreamModel: TASK_MODELS[modelId].sandbox } as never;
  const report = async () => {
    const { url } = wire.poll(ticket, target);
    const answer = await sandboxUpstream(new Request(`http://sandbox.invalid/v1${url}`));
    return wire.decodePoll({ bytes: await answer.bytes(), headers: answer.headers as never }, ticket, target);
  };
  expect(await report()).toMatchObject({ state: 'working' });
  setSystemTime(begunAtMs + HOUR_MS);
  expect(await report()).toMatchObject({ state: 'done' });
});
