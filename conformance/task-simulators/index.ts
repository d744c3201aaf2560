import { alibaba } from './alibaba.ts';
import { blackForestLabs } from './black-forest-labs.ts';
import { fal } from './fal.ts';
import { google } from './google.ts';
import { kling } from './kling.ts';
import { luma } from './luma.ts';
import { meshy } from './meshy.ts';
import { minimax } from './minimax.ts';
import { openai } from './openai.ts';
import { replicate } from './replicate.ts';
import { runway } from './runway.ts';
import type { TaskSimulator } from './simulator.ts';
import { suno } from './suno.ts';
import { tripo } from './tripo.ts';
import { tripoV2 } from './tripo-v2.ts';
import { vertex } from './vertex.ts';
import { vidu } from './vidu.ts';
import { volcengine } from './volcengine.ts';
import { xai } from './xai.ts';

/** Every simulated provider of tasks. */
export const taskSimulators: readonly TaskSimulator[] = [
  alibaba,
  blackForestLabs,
  fal,
  google,
  kling,
  luma,
  meshy,
  minimax,
  openai,
  replicate,
  runway,
  suno,
  tripo,
  tripoV2,
  vertex,
  vidu,
  volcengine,
  xai,
];
