import { documentsMissing } from '../judges/documents.ts';
import { FORMATS } from '../judges/index.ts';
import { checkLeafRequest, describeLeafProblem, isTaken } from './check-leaf.ts';
import { leafPairs } from './leaf-pairs.ts';
import { CHAT_DIALECTS, dialectRequests, type LeafRequest, leafRequests } from './leaf-requests.ts';

/** The number of leaves from elsewhere with which each leaf is paired, besides those of its own object. */
const OTHERS = 3;

/**
 * Prints the result of every leaf of the published documents, alone and in pairs, in every other format. Resolves to true if no value was lost
 * unreported.
 */
export async function runLeaves(): Promise<boolean> {
  const missing = documentsMissing();
  if (missing !== undefined) {
    console.log(missing);
    return true;
  }
  let problems = 0;
  for (const format of FORMATS) {
    const single = leafRequests(format);
    problems += await printProblems(format, [...single, ...leafPairs(single, OTHERS)]);
  }
  for (const dialect of CHAT_DIALECTS) {
    const single = dialectRequests(dialect);
    const requests = [...single, ...leafPairs(single, OTHERS, isTaken)];
    problems += await printProblems(`chat of ${dialect}`, requests.filter(isTaken));
  }
  return problems === 0;
}

async function printProblems(name: string, requests: readonly LeafRequest[]): Promise<number> {
  const found = [];
  for (const request of requests) found.push(...(await checkLeafRequest(request)));
  console.log(`leaves of ${name.padEnd(20)} ${requests.length} requests, ${found.length} problems`);
  for (const problem of found) console.log(`  ${describeLeafProblem(problem)}`);
  return found.length;
}

if (import.meta.main) process.exit((await runLeaves()) ? 0 : 1);
