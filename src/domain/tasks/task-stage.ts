/*
 * The stages of a task in the gateway. `created`: stored, nothing sent. `submitting`: being sent to the upstream, so it is
 * unknown whether the job was accepted. `submitted`: it was, and is polled. `closing`: the outcome is stored and will not change,
 * but billing and files are not finished. `completed` and `failed` are final.
 */
export const TASK_STAGES = ['created', 'submitting', 'submitted', 'closing', 'completed', 'failed'] as const;
export type TaskStage = (typeof TASK_STAGES)[number];

export const FINAL_STAGES = ['completed', 'failed'] as const satisfies readonly TaskStage[];

/** The stages from which a task may reach each stage; staying in one is also a transition, except in a final one. */
const PREDECESSORS: Readonly<Record<TaskStage, readonly TaskStage[]>> = {
  created: [],
  // After a refusal another channel is tried.
  submitting: ['created', 'submitting'],
  submitted: ['submitting', 'submitted'],
  closing: ['created', 'submitting', 'submitted', 'closing'],
  completed: ['closing'],
  failed: ['closing'],
};

export function predecessorsOf(stage: TaskStage): readonly TaskStage[] {
  return PREDECESSORS[stage];
}

export function isFinal(stage: TaskStage): boolean {
  return stage === 'completed' || stage === 'failed';
}

/** The statuses that clients see (contract, Async task). */
export const TASK_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
