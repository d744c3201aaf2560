import { alibaba } from './alibaba.ts';
import { google } from './google.ts';
import { minimax } from './minimax.ts';
import { openai } from './openai.ts';
import { runway } from './runway.ts';
import type { TaskSimulator } from './simulator.ts';
import { vertex } from './vertex.ts';
import { volcengine } from './volcengine.ts';
import { xai } from './xai.ts';

/** Every provider of tasks that is played over HTTP. */
export const taskSimulators: readonly TaskSimulator[] = [
  alibaba,
  google,
  minimax,
  openai,
  runway,
  vertex,
  volcengine,
  xai,
];
