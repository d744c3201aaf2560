import { google } from './google.ts';
import { openai } from './openai.ts';
import type { TaskSimulator } from './simulator.ts';
import { vertex } from './vertex.ts';
import { xai } from './xai.ts';

/** Every provider of tasks that is played over HTTP. */
export const taskSimulators: readonly TaskSimulator[] = [google, openai, vertex, xai];
