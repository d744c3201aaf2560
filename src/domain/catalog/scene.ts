import type { Model } from './model.ts';
import { USUAL_OPERATIONS } from './model-operation.ts';

/** The purposes for which a coding agent looks for a model (contract, GET /v1/models, `recommended_for`). */
export const SCENES = ['image', 'video', 'music', '3d', 'tts', 'stt', 'embedding', 'rerank', 'translation'] as const;
export type Scene = (typeof SCENES)[number];

/** Returns the scenes of a model: its own category's, and those whose operation it also serves. */
export function scenesOf({ category, operations }: Pick<Model, 'category' | 'operations'>): readonly Scene[] {
  // Moderation models have the contract's nearest category, but no scene matches their purpose.
  if (operations.includes('moderations')) return [];
  return SCENES.filter(
    (scene) => scene === category || USUAL_OPERATIONS[scene].some((operation) => operations.includes(operation)),
  );
}
