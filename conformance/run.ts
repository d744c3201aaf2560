import { matrixOptions, runMatrix } from './matrix/main.ts';
import { runChatRelay } from './openai-chat/main.ts';
import { recordingsMissing } from './shared/recordings.ts';

/**
 * `npm run conformance`: the relayed chats byte for byte, and the matrix of all recorded text exchanges and the four official
 * SDKs. With an option of the matrix (`--only openai/responses`, `--client gemini`, `--file 042`) only that part of it.
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
  return relayed && translated ? 0 : 1;
}

process.exit(await main());
