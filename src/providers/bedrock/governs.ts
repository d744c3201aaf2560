import { ANTHROPIC_GOVERNS } from '../shared/governed/anthropic.ts';
import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const GUARDRAIL = governs(
  { kind: 'owners-own' },
  'Bedrock, "Guardrails": guardrails belong to the AWS account and are billed separately.',
  'guardrailConfig',
  'amazon-bedrock-guardrailConfig',
  'amazon-bedrock-trace',
);

export const messagesGoverns: readonly GovernedMember[] = [...ANTHROPIC_GOVERNS, ...GUARDRAIL];

export const converseGoverns: readonly GovernedMember[] = [
  ...GUARDRAIL,
  ...governs(
    { kind: 'token-price', factors: { default: '1', priority: '1.75', flex: '0.5' }, isTier: true },
    'Bedrock, "Service tiers": priority costs 75 % more, flex half.',
    'serviceTier.type',
  ),
  ...governs({ kind: 'unpriced' }, 'Bedrock, "Latency-optimized inference": it has separate prices.', [
    'performanceConfig.latency',
    /^(?!standard$)/,
  ]),
];
