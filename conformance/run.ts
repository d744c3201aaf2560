import { runLeaves } from './leaves/main.ts';
import { matrixOptions, runMatrix } from './matrix/main.ts';
import { runChatRelay } from './openai-chat/main.ts';
import { runRequests } from './requests/main.ts';
import { recordingsMissing } from './shared/recordings.ts';

/**
 * `npm run conformance`: the relayed chats byte for byte, the matrix of all recorded text exchanges and the four official SDKs,
 * every recorded request at every other format, and a request for every leaf of the published documents, alone and in pairs. With
 * an option of the matrix (`--only openai/responses`, `--client gemini`, `--file 042`) only that part of it.
 */
async function main(): Promise<number> {
  const missing = recordingsMissing();
  if (missing !== undefined) {
    console.log(missing);
    return 0;
  }
  const options = matrixOptions(process.argv.slice(2));
  const isPart = Object.values(options).some((value) => value !== undefined);
  const relayed = isPart || (await runChatRelay());
  if (!isPart) console.log('');
  const translated = await runMatrix(options);
  if (isPart) return translated ? 0 : 1;
  console.log('');
  const carried = await runRequests();
  console.log('');
  const whole = await runLeaves();
  return relayed && translated && carried && whole ? 0 : 1;
}

process.exit(await main());
