import type { VideoShapes } from '../shared/video-shape.ts';

const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'];
const FIRST: VideoShapes = { ratios: RATIOS, resolutions: ['480p', '720p'] };
const SECOND: VideoShapes = { ratios: RATIOS, resolutions: ['480p', '720p', '1080p'] };
const UNKNOWN: VideoShapes = { ratios: null, resolutions: null };

/** In seconds (docs.x.ai, "Video Generation"). */
export const LENGTHS = { least: 1, most: 15 };
/** What xAI makes where it is told nothing. */
export const DEFAULT_SECONDS = 8;
export const DEFAULT_RESOLUTION = '480p';
/** The longest video that it edits, and the largest resolution that an edit has ("Video Editing"). */
export const EDITED = { seconds: 8.7, resolution: '720p' };

/** Whether it is one of xAI's own, of which the lengths and the usual values are known. */
export function isImagine(id: string): boolean {
  return /(?:^|\/)grok-imagine-video/i.test(id);
}

export function shapesOf(id: string): VideoShapes {
  if (!isImagine(id)) return UNKNOWN;
  return /imagine-video(?:-beta)?$/i.test(id) ? FIRST : SECOND;
}
