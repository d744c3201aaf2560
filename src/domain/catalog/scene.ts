import type { Model } from './model.ts';
import { USUAL_OPERATIONS } from './model-operation.ts';

/** What a coding agent looks for a model for (contract, GET /v1/models, `recommended_for`). */
export const SCENES = ['image', 'video', 'music', '3d', 'tts', 'stt', 'embedding', 'rerank', 'translation'] as const;
export type Scene = (typeof SCENES)[number];

/** The scenes that a model is for: its own category's, and those whose operation it serves as well. */
export function scenesOf({ category, operations }: Pick<Model, 'category' | 'operations'>): readonly Scene[] {
  // Their category is the nearest that the contract has, and none of its scenes asks for verdicts.
  if (operations.includes('moderations')) return [];
  return SCENES.filter(
    (scene) => scene === category || USUAL_OPERATIONS[scene].some((operation) => operations.includes(operation)),
  );
}
