import { afterAll, beforeAll } from 'bun:test';
import { type AgentBed, startAgentBed } from './coding-agents/bed.ts';
import { describeAgents } from './coding-agents/describe-agents.ts';

let bed: AgentBed;

beforeAll(async () => {
  bed = await startAgentBed();
});

afterAll(async () => {
  await bed?.stop();
});

describeAgents(() => bed);
