import type { VideoShapes } from '../shared/video-shape.ts';

const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'];
const FIRST: VideoShapes = { ratios: RATIOS, resolutions: ['480p', '720p'] };
const SECOND: VideoShapes = { ratios: RATIOS, resolutions: ['480p', '720p', '1080p'] };
const UNKNOWN: VideoShapes = { ratios: null, resolutions: null };

/** Lengths in seconds (docs.x.ai, "Video Generation"). */
export const LENGTHS = { least: 1, most: 15 };
/** The default values of xAI. */
export const DEFAULT_SECONDS = 8;
export const DEFAULT_RESOLUTION = '480p';
/** The longest video that can be edited, and the highest resolution of an edit ("Video Editing"). */
export const EDITED = { seconds: 8.7, resolution: '720p' };

/** Returns whether the model is one of xAI's own, whose lengths and defaults are known. */
export function isImagine(id: string): boolean {
  return /(?:^|\/)grok-imagine-video/i.test(id);
}

export function shapesOf(id: string): VideoShapes {
  if (!isImagine(id)) return UNKNOWN;
  return /imagine-video(?:-beta)?$/i.test(id) ? FIRST : SECOND;
}
