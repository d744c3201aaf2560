/** The kind of result that a task produces. */
export const TASK_KINDS = ['video', 'music', '3d', 'image'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];
