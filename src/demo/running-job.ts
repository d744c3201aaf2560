import type { JobTicket } from '../domain/tasks/job.ts';
import { sandboxUpstream } from '../providers/sandbox/local.ts';
import { Chance } from './chance.ts';
import { HOUR_MS } from './demo-time.ts';
import { TASK_MODELS } from './models.ts';
import type { PlannedTask } from './task-plan.ts';

const LONGEST_DELAY_MS = HOUR_MS;

/** The wires over which a gateway polls the sandbox's jobs. */
export const RUNNING_WIRES = {
  video: 'sandbox-videos',
  music: 'sandbox-music',
  '3d': 'sandbox-3d',
  image: 'sandbox-images',
} as const;

/** Starts a job in the sandbox that ends within the hour, for a gateway that is started with the demo. Resolves to its ticket. */
export async function runningJob({
  modelId,
  title,
  asked,
}: Pick<PlannedTask, 'modelId' | 'title' | 'asked'>): Promise<JobTicket> {
  const { kind, sandbox } = TASK_MODELS[modelId];
  const chance = new Chance(title);
  const options = { delay_ms: Math.round(chance.between(0.1, 1) * LONGEST_DELAY_MS) };
  const order = { model: sandbox, kind, prompt: title, n: asked.count, seconds: asked.seconds, options };
  const request = new Request('http://sandbox.invalid/v1/jobs', { method: 'POST', body: JSON.stringify(order) });
  const { id } = (await (await sandboxUpstream(request)).json()) as { readonly id: string };
  // A ticket for images has the URL of the next poll, as in `imageSubmission`; the other wires make it from the id.
  return kind === 'image' ? { prompt: title, format: '', method: 'GET', url: `/jobs/${id}` } : { id };
}
