import { afterAll, beforeAll } from 'bun:test';
import { type AgentBed, startAgentBed } from '../../conformance/coding-agents/bed.ts';
import { describeAgents } from '../../conformance/coding-agents/describe-agents.ts';
import { judgeByDocuments } from '../../conformance/coding-agents/judge-by-documents.ts';

/* Requests to upstreams are valid by the published documents of their formats. */

let bed: AgentBed;

beforeAll(async () => {
  bed = await startAgentBed(judgeByDocuments);
});

afterAll(async () => {
  await bed?.stop();
});

describeAgents(() => bed);
