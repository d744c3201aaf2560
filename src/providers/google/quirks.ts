import type { Quirk } from '../../formats/quirk.ts';
import { lacks } from '../shared/quirks.ts';

export const geminiQuirks: readonly Quirk[] = lacks(
  ['image-url', 'audio-url', 'video-url', 'document-url'],
  'approximated',
  'Files behind external addresses are read by models after 2.0 only; for older ones the gateway fetches the bytes.',
  /gemini-(?:1|2\.0)/,
);
