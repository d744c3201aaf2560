import type { StrictUpstream } from '../rule.ts';
import { alibaba } from './alibaba.ts';
import { cerebras } from './cerebras.ts';
import { deepseek } from './deepseek.ts';
import { groq } from './groq.ts';
import { fireworks, nvidia, openModelServer, openrouter, together } from './hosts.ts';
import { minimax } from './minimax.ts';
import { mistral } from './mistral.ts';
import { moonshot } from './moonshot.ts';
import { perplexity } from './perplexity.ts';
import { xai } from './xai.ts';
import { zai } from './zai.ts';

/** Services for chat completions other than OpenAI's. */
export const chatUpstreams: readonly StrictUpstream[] = [
  ...[deepseek, mistral, xai, groq, moonshot, alibaba, zai, cerebras, fireworks, together],
  ...[minimax, perplexity, openrouter, nvidia, openModelServer],
];
