import type { Lengths } from '../../shared/tasks/generation-request.ts';
import type { VideoShapes } from '../shared/video-shape.ts';

/** The rules of a generation of Veo (ai.google.dev, "Generate videos with Veo"; Google Cloud, "Veo"). */
export interface VeoModel {
  readonly lengths: Lengths;
  readonly shapes: VideoShapes;
  readonly hasSound: boolean;
  readonly defaultSeconds: number;
  readonly defaultResolution: string;
}

const RATIOS = ['16:9', '9:16'];
const veo = (lengths: Lengths, resolutions: readonly string[], hasSound = true): VeoModel => ({
  lengths,
  shapes: { ratios: RATIOS, resolutions },
  hasSound,
  defaultSeconds: 8,
  defaultResolution: '720p',
});

const FAMILIES: readonly (readonly [RegExp, VeoModel])[] = [
  // The model has one resolution, and no member for it.
  [/veo-2/, veo({ least: 5, most: 8 }, [], false)],
  [/veo-3\.0|veo-3-|veo-3$|veo-[\d.]+-lite/, veo([4, 6, 8], ['720p', '1080p'])],
  [/veo-3/, veo([4, 6, 8], ['720p', '1080p', '4k'])],
];

/** Returns `null` for an unknown model, which gets the client's values. */
export function veoModel(id: string): VeoModel | null {
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? null;
}

export const MOST_VIDEOS = 4;
export const MOST_REFERENCES = 3;
