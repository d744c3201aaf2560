import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

/**
 * Members that Deepgram bills in addition to a recording's length, or that send something elsewhere (its published document,
 * `/v1/listen`).
 */
export const listenGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'Deepgram, "Pricing": it costs extra, or multiplies the price by the number of audio channels.',
    ...['multichannel', 'redact', 'detect_entities', 'sentiment', 'summarize', 'topics', 'custom_topic', 'intents'],
    ...['custom_intent', 'diarize', 'diarize_model', 'keyterm', 'mip_opt_out'],
  ),
  ...governs({ kind: 'unpriced' }, 'Deepgram, "Callback": the transcript is sent to another server.', 'callback'),
];
