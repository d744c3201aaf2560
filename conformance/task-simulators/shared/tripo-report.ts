import { type Check, isFlag, isText, isWhole, oneOf } from './body-problem.ts';

/* The common parts of both versions of Tripo's API: options, states and the response envelope. */

export const TRIPO_KEY = 'tsk_simulated';
export const TRIPO_MODEL = oneOf('v3.1-20260211', 'v3.0-20250812', 'v2.5-20250123', 'P1-20260311', 'P2-20260801');
export const isPublicUrl: Check = (value) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value);

export const TRIPO_OPTIONS: Readonly<Record<string, Check>> = {
  texture: isFlag,
  pbr: isFlag,
  quad: isFlag,
  auto_size: isFlag,
  face_limit: (value) => isWhole(value) && Number(value) >= 48 && Number(value) <= 2_000_000,
  model_seed: isWhole,
  texture_seed: isWhole,
  texture_quality: oneOf('standard', 'detailed', 'extreme'),
  geometry_quality: oneOf('standard', 'detailed'),
};
/** The options for a model that is generated from text only. */
export const TRIPO_TEXT: Readonly<Record<string, Check>> = {
  prompt: (value) => isText(value) && String(value).length <= 1_024,
  negative_prompt: (value) => isText(value) && String(value).length <= 255,
  image_seed: isWhole,
};

export const TRIPO_STATES = {
  working: ['queued', 'unknown', 'running'],
  completed: ['success'],
  failed: ['failed', 'cancelled', 'expired', 'banned', 'objected'],
};
export const TRIPO_REFUSED = ['banned', 'objected'];

/**
 * Returns the members of a job that both versions share. `objected` is a failure with the code of the content
 * policy.
 */
export function tripoState(task_id: string, state: string): Readonly<Record<string, unknown>> {
  if (TRIPO_STATES.working.includes(state)) return { task_id, status: state, progress: state === 'running' ? 42 : 0 };
  if (state === 'objected') return { task_id, status: 'failed', progress: 50, error_code: 2_008 };
  return { task_id, status: state, progress: state === 'success' ? 100 : 50 };
}

export function tripoData(data: object): Response {
  return Response.json({ code: 0, data });
}

export function tripoError(status: number, code: number, message: string): Response {
  return Response.json({ code, status: 'error', message, suggestion: 'See the document.' }, { status });
}
