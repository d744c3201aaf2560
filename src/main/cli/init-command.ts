import { Option } from 'commander';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { answersFrom, askForAnswers, type InitTexts } from './init/answers.ts';
import { configurationText, type InitAnswers, neededVariables, SITUATIONS } from './init/configuration-text.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { refuseExisting, writeWholeFile } from './whole-file.ts';

interface InitOptions extends Partial<InitTexts> {
  readonly output?: string;
  readonly force?: boolean;
}

const DEFAULT_OUTPUT = 'switchyard.yaml';

/**
 * Adds `switchyard init`: a first configuration file.
 *
 * @param terminal the terminal for questions, or `null`
 */
export function addInitCommand(
  { program, dependencies }: CommandSetup,
  terminal: Terminal | null = processTerminal(dependencies.stdout),
): void {
  program
    .command('init')
    .description('write a commented configuration file for a laptop, one server or a cluster')
    .addOption(new Option('--for <situation>', 'where the gateway will run').choices(SITUATIONS))
    .option('--providers <names>', 'providers, separated by commas, each with a channel')
    .option('--public-url <url>', 'address for clients (server, cluster)')
    .option('--trusted-proxies <ranges>', 'addresses of reverse proxies, separated by commas (server, cluster)')
    .option('--bucket <name>', 'S3 bucket for generated files (cluster)')
    .option('--output <file>', `the file to write (${DEFAULT_OUTPUT})`)
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      `
Without --for it asks, if there is a terminal. The file names the environment variables of secrets and never contains one.

Examples:
  switchyard init
  switchyard init --for laptop --providers openai,anthropic
  switchyard init --for cluster --providers openai --public-url https://ai.example.com --bucket acme-media`,
    )
    .action(async (options: InitOptions) => {
      const { stdout } = dependencies;
      const path = options.output || DEFAULT_OUTPUT;
      const replaces = options.force === true;
      // Before the questions, so that nobody answers them in vain.
      await refuseExisting(path, { replaces });
      const answers = await wantedAnswers(options, terminal, await dependencies.providers());
      await writeWholeFile(path, configurationText(answers), { replaces, isPrivate: false });
      stdout.write(nextSteps(path, answers));
    });
}

async function wantedAnswers(
  options: InitOptions,
  terminal: Terminal | null,
  providers: Parameters<typeof answersFrom>[1],
): Promise<InitAnswers> {
  if (options.for !== undefined) return answersFrom({ ...options, for: options.for }, providers);
  const named = (['providers', 'publicUrl', 'trustedProxies', 'bucket'] as const).some(
    (name) => options[name] !== undefined,
  );
  if (terminal === null || named) throw new CommandError(NEEDED, 2);
  const answers = await askForAnswers(terminal, providers);
  if (answers !== null) return answers;
  throw new CommandError(`No file was written. ${NEEDED}`, 2);
}

const NEEDED =
  '--for: say where the gateway will run: laptop, server or cluster. With --providers, --public-url, --trusted-proxies and --bucket ' +
  'it answers the other questions, and --output names the file';

function nextSteps(path: string, answers: InitAnswers): string {
  const variables = neededVariables(answers);
  const file = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  const first =
    variables.length === 0
      ? []
      : [`Set ${variables.join(', ')} (or NAME_FILE to the path of a file with the value). Then:`];
  const lines = [
    `${path} is written.`,
    ...first,
    `  switchyard apply --check ${file}`,
    `  switchyard serve --config ${file}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
