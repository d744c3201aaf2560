import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const transcriptionGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'ElevenLabs, "Speech to Text": it costs a surcharge, or the price for each channel.',
    ...['entity_detection', 'entity_redaction', 'detect_speaker_roles', 'use_multi_channel'],
  ),
  ...governs(
    { kind: 'owners-own' },
    'ElevenLabs, "Speech to Text": it uses something of the workspace of the channel\'s key.',
    ...['webhook', 'webhook_id', 'use_speaker_library'],
  ),
];
