import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { FORMATS } from '../../conformance/judges/index.ts';
import { checkLeafRequest, describeLeafProblem, isTaken } from '../../conformance/leaves/check-leaf.ts';
import { leafPairs } from '../../conformance/leaves/leaf-pairs.ts';
import {
  asClientRequest,
  CHAT_DIALECTS,
  type Dialect,
  dialectRequests,
  leafRequests,
} from '../../conformance/leaves/leaf-requests.ts';
import { sampledLeaves, sampleOf } from '../../conformance/leaves/sampled-leaves.ts';
import { type RequestBed, startRequestBed } from '../../conformance/requests/request-bed.ts';
import { checkRequests, describeProblem } from '../../conformance/requests/run-requests.ts';

/*
 * Possible requests are in the published documents, not in recordings. A request for every leaf of them, with every word, branch and bound,
 * alone and together with others of its object, must arrive at each other format, be reported as lost, or be refused by name.
 */
describe('every leaf of the published document', () => {
  test.each(FORMATS)(
    'of %s is carried, reported or refused',
    async (format) => {
      const single = leafRequests(format);
      expect(single.length).toBeGreaterThan(200);
      const requests = [...single, ...leafPairs(single, 0)];
      const problems: string[] = [];
      for (const request of requests) {
        for (const problem of await checkLeafRequest(request)) problems.push(describeLeafProblem(problem));
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );
});

/** One in this many pairs of a dialect's leaves is tried here; `npm run conformance` tries them all. */
const PAIRS = 8;

/**
 * Members of a dialect's document that the contract does not accept, with the refusal that the client receives, and those that the gateway
 * itself uses: it chooses the channel of a session, and asks the fallback models (docs/fallbacks.md).
 */
const NOT_CARRIED: Readonly<Record<Dialect, readonly string[]>> = {
  openrouter: ['vanished: models[', 'vanished: route =', 'vanished: session_id ='],
  groq: ['tools[1].function is required and must be an object with a name'],
  mistral: ['max_tokens must be an integer of at least 1', 'response_format.type is required'],
  together: [
    'messages[1].content[0].image_url is required',
    'messages[1].content[0].type is required',
    'logprobs must be true or false',
    'tools[1].type is required',
    'tools[2].type is required',
    'tool_choice must be one of',
  ],
};

describe('every leaf of a chat dialect', () => {
  test.each(CHAT_DIALECTS)(
    'of %s is carried, reported or refused',
    async (dialect) => {
      const single = dialectRequests(dialect);
      const pairs = leafPairs(single, 0, isTaken).filter((request, index) => index % PAIRS === 0 && isTaken(request));
      const problems: string[] = [];
      for (const request of [...single, ...pairs]) {
        for (const problem of await checkLeafRequest(request)) problems.push(describeLeafProblem(problem));
      }
      const expected = NOT_CARRIED[dialect];
      expect(problems.filter((problem) => !expected.some((refusal) => problem.includes(refusal)))).toEqual([]);
      expect(expected.filter((refusal) => !problems.some((problem) => problem.includes(refusal)))).toEqual([]);
    },
    600_000,
  );
});

/** One in this many requests also goes through a gateway with its sockets. */
const EVERY = 60;

describe('a sample of the leaves', () => {
  let bed: RequestBed;

  beforeAll(async () => {
    bed = await startRequestBed();
  });

  afterAll(async () => {
    await bed?.stop();
  });

  test.each(FORMATS)(
    'of %s has the same outcome through a whole gateway',
    async (format) => {
      const sample = leafRequests(format).filter((_, index) => index % EVERY === 0);
      const verdicts = await checkRequests(bed, sample.map(asClientRequest));
      expect(verdicts.filter(({ outcome }) => outcome === 'failed').map(describeProblem)).toEqual([]);
    },
    600_000,
  );
});

test.each(FORMATS)('the conformance sample for %s is up to date with its document', (format) => {
  // `bun conformance/leaves/write-sample.ts` regenerates them.
  expect(sampledLeaves(format)).toEqual(sampleOf(leafRequests(format)));
});
