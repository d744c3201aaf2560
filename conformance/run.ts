import { documentsMissing } from './judges/index.ts';
import { runLeaves } from './leaves/main.ts';
import { matrixOptions, runMatrix } from './matrix/main.ts';
import { runChatRelay } from './openai-chat/main.ts';
import { runRequests } from './requests/main.ts';
import { exchangesFolder, exchangesHere, type RecordingRow, recordingsFolder } from './shared/recordings.ts';

/**
 * `npm run conformance`: the relayed chats byte for byte, the matrix of all text exchanges and the four official SDKs,
 * every request in every other format, and a request for every leaf of the published documents, alone and in pairs. It
 * uses the project's own exchanges (`conformance/exchanges`) and the recorded ones, if present. The options of the
 * matrix (`--only openai/responses`, `--client gemini`, `--file 042`) limit the run to that part.
 */
async function main(): Promise<number> {
  const options = matrixOptions(process.argv.slice(2));
  const exchanges = exchangesHere();
  const isPart = Object.values(options).some((value) => value !== undefined);
  const relayed = isPart || (await runChatRelay(exchanges));
  if (!isPart) console.log('');
  const translated = await runMatrix(exchanges, options);
  if (isPart) return translated ? 0 : 1;
  console.log('');
  const carried = await runRequests(exchanges);
  console.log('');
  const whole = await runLeaves();
  printNotRun(exchanges);
  return relayed && translated && carried && whole ? 0 : 1;
}

/** Prints what this run skipped because the data beside the project is missing. */
function printNotRun(exchanges: readonly RecordingRow[]): void {
  const hasRecorded = exchanges.some(({ folder }) => folder !== exchangesFolder);
  if (!hasRecorded) console.log(`\nnot run, exchanges of real providers: ${recordingsFolder} has none`);
  const documents = documentsMissing();
  if (documents !== undefined) {
    console.log(`\nnot run, judging requests and answers by the providers' documents, and their leaves: ${documents}`);
  }
}

process.exit(await main());
