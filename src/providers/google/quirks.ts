import type { Quirk } from '../../formats/text/quirk.ts';
import { lacks } from '../shared/quirks.ts';

export const geminiQuirks: readonly Quirk[] = [
  ...lacks(
    ['image-url', 'audio-url', 'video-url', 'document-url'],
    'approximated',
    'Only models after 2.0 read files at external URLs; for older ones the gateway downloads the bytes.',
    /gemini-(?:1|2\.0)/,
  ),
  ...lacks(
    ['frequency-penalty', 'presence-penalty'],
    'dropped',
    'Gemini 2.5 and later return a 400, "Penalty is not enabled".',
    /gemini-(?:2\.5|[3-9]|\d\d|(?:flash|flash-lite|pro)-latest)/,
  ),
  ...lacks(
    ['logprobs'],
    'dropped',
    'Gemini 2.5 and later return a 400, "Logprobs is not enabled".',
    /gemini-(?:2\.5|[3-9]|\d\d|(?:flash|flash-lite|pro)-latest)/,
  ),
];
