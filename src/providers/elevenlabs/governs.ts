import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const transcriptionGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'ElevenLabs, "Speech to Text": it has a surcharge, or multiplies the price by the number of audio channels.',
    ...['entity_detection', 'entity_redaction', 'detect_speaker_roles', 'use_multi_channel'],
  ),
  ...governs(
    { kind: 'owners-own' },
    'ElevenLabs, "Speech to Text": it uses data of the workspace that owns the key.',
    ...['webhook', 'webhook_id', 'use_speaker_library'],
  ),
];
