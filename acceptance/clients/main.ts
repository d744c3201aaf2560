import { chosenClients } from './index.ts';
import { packagesOf } from './install.ts';

/*
 * Installs the clients named by the arguments in parallel and prints the names of those that are installed. A failing registry is not an
 * error of the gateway. `bun acceptance/clients/main.ts codex,ai-sdk`
 */

const problems = new Set<string>();
const missing: string[] = [];
const found = await Promise.all(
  chosenClients(process.argv.slice(2).join(',')).map(async (client) => {
    try {
      await packagesOf(client);
      return [client.name];
    } catch (error) {
      problems.add(String(error));
      missing.push(client.name);
      return [];
    }
  }),
);
for (const problem of problems) console.error(problem);
if (missing.length > 0) console.error(`could not be installed, and so are not tested: ${missing.join(', ')}`);
console.log(found.flat().join(','));
