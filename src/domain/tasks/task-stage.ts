/*
 * How far a task is, for the gateway. `created`: written, nothing sent. `submitting`: the upstream is being asked, and whether it
 * has taken the job is not known. `submitted`: it has, and is asked how far it is. `closing`: how the task ends is written and will
 * not change, but its money and files are not done yet. `completed` and `failed` are final.
 */
export const TASK_STAGES = ['created', 'submitting', 'submitted', 'closing', 'completed', 'failed'] as const;
export type TaskStage = (typeof TASK_STAGES)[number];

export const FINAL_STAGES = ['completed', 'failed'] as const satisfies readonly TaskStage[];

/** From which stages a task may get to each; to stay in one is a move, too, except in a final one. */
const PREDECESSORS: Readonly<Record<TaskStage, readonly TaskStage[]>> = {
  created: [],
  // Another channel is asked after one that has refused.
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

/** What clients see (contract, Async task). */
export const TASK_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
